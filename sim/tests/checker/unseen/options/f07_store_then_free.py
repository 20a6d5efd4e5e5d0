from locksim.lang import *


class Node(Struct):
    value = word()


class StoreThenFree(Workload):
    unused = word()

    def thread(self):
        node = yield alloc(Node)
        yield node.value.store(1, RELAXED)
        yield free(node)
