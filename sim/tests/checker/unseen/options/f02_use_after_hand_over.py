from locksim.lang import *


class Node(Struct):
    value = word()


class UseAfterHandOver(Workload):
    box = pointer(Node)

    def thread(self):
        if thread() == 0:
            node = yield alloc(Node)
            yield self.box.store(node, RELEASE)
            yield node.value.store(9, RELAXED)
        else:
            node = yield self.box.load(ACQUIRE)
            if node:
                yield free(node)
