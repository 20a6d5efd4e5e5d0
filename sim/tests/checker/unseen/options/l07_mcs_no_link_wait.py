from locksim.lang import *


class Node(Struct):
    next = pointer("Node")
    waits = word()


class ForgetsSuccessor(Lock):
    tail = pointer(Node)
    nodes = percpu(Node)

    def acquire(self):
        me = self.nodes[cpu()]
        yield me.next.store(NULL, RELAXED)
        yield me.waits.store(1, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        if before:
            yield before.next.store(me, RELEASE)
            while (yield me.waits.load(ACQUIRE)):
                yield pause()

    def release(self):
        me = self.nodes[cpu()]
        after = yield me.next.load(ACQUIRE)
        if after:
            yield after.waits.store(0, RELEASE)
        else:
            yield self.tail.compare_swap(me, NULL, RELEASE)
