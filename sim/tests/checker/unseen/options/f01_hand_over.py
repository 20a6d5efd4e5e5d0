from locksim.lang import *


class Node(Struct):
    value = word()
    next = pointer("Node")


class HandOver(Workload):
    box = pointer(Node)
    kept = pointer(Node)

    def thread(self):
        if thread() == 0:
            node = yield alloc(Node)
            yield node.value.store(9, RELAXED)
            yield self.box.store(node, RELEASE)
        else:
            node = yield self.box.load(ACQUIRE)
            while not node:
                yield pause()
                node = yield self.box.load(ACQUIRE)
            assert (yield node.value.load(RELAXED)) == 9
            yield self.box.store(NULL, RELAXED)
            yield free(node)
            again = yield alloc(Node)
            assert (yield again.value.load(RELAXED)) == 0
            yield self.kept.store(again, RELAXED)
