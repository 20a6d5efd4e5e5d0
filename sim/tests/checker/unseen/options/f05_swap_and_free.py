from locksim.lang import *


class Node(Struct):
    value = word()


class SwapAndFree(Workload):
    box = pointer(Node)

    def thread(self):
        node = yield alloc(Node)
        yield node.value.store(1, RELAXED)
        before = yield self.box.swap(node, ACQ_REL)
        if before:
            yield free(before)
