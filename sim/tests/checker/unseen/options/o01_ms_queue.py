from locksim.lang import *


class Node(Struct):
    next = pointer("Node")
    value = word()


class MsQueue(Struct):
    head = pointer(Node, padded=True)
    tail = pointer(Node, padded=True)
    used = word(1)
    nodes = array(16, Node)

    def setup(self):
        yield self.head.store(self.nodes[0])
        yield self.tail.store(self.nodes[0])

    def enqueue(self, value):
        number = yield self.used.fetch_add(1, RELAXED)
        node = self.nodes[number]
        yield node.value.store(value, RELAXED)
        while True:
            tail = yield self.tail.load(ACQUIRE)
            after = yield tail.next.load(ACQUIRE)
            if after:
                yield self.tail.compare_swap(tail, after, ACQ_REL)
            elif (yield tail.next.compare_swap(NULL, node, ACQ_REL)) == NULL:
                yield self.tail.compare_swap(tail, node, ACQ_REL)
                return

    def dequeue(self):
        while True:
            head = yield self.head.load(ACQUIRE)
            after = yield head.next.load(ACQUIRE)
            if not after:
                return 0
            value = yield after.value.load(RELAXED)
            if (yield self.head.compare_swap(head, after, ACQ_REL)) == head:
                return value
