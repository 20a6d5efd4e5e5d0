from locksim.lang import *


class Node(Struct):
    next = pointer("Node")


class HeapFull(Workload):
    first = pointer(Node)

    def thread(self):
        for i in range(17):
            node = yield alloc(Node)
            first = yield self.first.load()
            yield node.next.store(first)
            yield self.first.store(node)
