from locksim.lang import *


class Node(Struct):
    next = pointer("Node")
    value = word()


class SwapTail(Struct):
    head = pointer(Node, padded=True)
    tail = pointer(Node, padded=True)
    used = word(1)
    nodes = array(16, Node)

    def setup(self):
        yield self.head.store(self.nodes[0])
        yield self.tail.store(self.nodes[0])

    def enqueue(self, value):
        number = yield self.used.fetch_add(1)
        node = self.nodes[number]
        yield node.value.store(value)
        before = yield self.tail.swap(node)
        yield before.next.store(node)

    def dequeue(self):
        while True:
            head = yield self.head.load()
            after = yield head.next.load()
            if not after:
                return 0
            value = yield after.value.load()
            if (yield self.head.compare_swap(head, after)) == head:
                return value
