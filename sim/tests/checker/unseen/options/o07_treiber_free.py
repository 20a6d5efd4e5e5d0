from locksim.lang import *


class Node(Struct):
    next = pointer("Node")
    value = word()


class TreiberFree(Struct):
    top = pointer(Node)

    def push(self, value):
        node = yield alloc(Node)
        yield node.value.store(value, RELAXED)
        top = yield self.top.load(RELAXED)
        while True:
            yield node.next.store(top, RELAXED)
            seen = yield self.top.compare_swap(top, node, RELEASE)
            if seen == top:
                return
            top = seen

    def pop(self):
        while True:
            top = yield self.top.load(ACQUIRE)
            if not top:
                return 0
            after = yield top.next.load(RELAXED)
            if (yield self.top.compare_swap(top, after, ACQ_REL)) == top:
                value = yield top.value.load(RELAXED)
                yield free(top)
                return value
