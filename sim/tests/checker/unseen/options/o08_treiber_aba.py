from locksim.lang import *


class Node(Struct):
    next = pointer("Node")
    value = word()


class TreiberAba(Struct):
    top = pointer(Node, padded=True)
    used = word()
    nodes = array(8, Node)
    spare = perthread(pointer(Node))

    def push(self, value):
        node = yield self.spare[thread()].load()
        if node:
            yield self.spare[thread()].store(NULL)
        else:
            number = yield self.used.fetch_add(1)
            node = self.nodes[number]
        yield node.value.store(value)
        top = yield self.top.load()
        while True:
            yield node.next.store(top)
            seen = yield self.top.compare_swap(top, node)
            if seen == top:
                return
            top = seen

    def pop(self):
        while True:
            top = yield self.top.load()
            if not top:
                return 0
            after = yield top.next.load()
            if (yield self.top.compare_swap(top, after)) == top:
                value = yield top.value.load()
                if not (yield self.spare[thread()].load()):
                    yield self.spare[thread()].store(top)
                return value
