from locksim.lang import *


class Node(Struct):
    locked = word()


class KeepsNode(Lock):
    tail = pointer(Node)
    first = part(Node, padded=True)
    nodes = perthread(Node)

    def setup(self):
        yield self.tail.store(self.first)

    def acquire(self):
        me = self.nodes[thread()]
        yield me.locked.store(1, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        while (yield before.locked.load(ACQUIRE)):
            yield pause()

    def release(self):
        yield self.nodes[thread()].locked.store(0, RELEASE)
