from locksim.lang import *


class Node(Struct):
    next = word()
    value = word()


class TreiberOneBit(Struct):
    top = word(padded=True)
    used = word()
    nodes = array(8, Node)
    spare = perthread(word())

    def push(self, value):
        mine = yield self.spare[thread()].load()
        if mine:
            yield self.spare[thread()].store(0)
        else:
            mine = (yield self.used.fetch_add(1)) + 1
        yield self.nodes[mine - 1].value.store(value)
        top = yield self.top.load()
        while True:
            yield self.nodes[mine - 1].next.store(top & 15)
            seen = yield self.top.compare_swap(top, (top & 16) + mine)
            if seen == top:
                return
            top = seen

    def pop(self):
        while True:
            top = yield self.top.load()
            first = top & 15
            if first == 0:
                return 0
            after = yield self.nodes[first - 1].next.load()
            if (yield self.top.compare_swap(top, ((top & 16) ^ 16) + after)) == top:
                value = yield self.nodes[first - 1].value.load()
                if (yield self.spare[thread()].load()) == 0:
                    yield self.spare[thread()].store(first)
                return value
