from locksim.lang import *


class Node(Struct):
    value = word()


class SwapReleaseOnly(Workload):
    box = pointer(Node)

    def thread(self):
        node = yield alloc(Node)
        yield node.value.store(1, RELAXED)
        before = yield self.box.swap(node, RELEASE)
        if before:
            yield free(before)
