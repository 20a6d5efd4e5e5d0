from locksim.lang import *


class Node(Struct):
    locked = word()


class Clh(Lock):
    tail = pointer(Node)
    first = part(Node, padded=True)
    nodes = perthread(Node)
    mine = perthread(pointer(Node))
    previous = perthread(pointer(Node))

    def setup(self):
        yield self.tail.store(self.first)
        for i in range(n_threads()):
            yield self.mine[i].store(self.nodes[i])

    def acquire(self):
        me = yield self.mine[thread()].load(RELAXED)
        yield me.locked.store(1, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        yield self.previous[thread()].store(before, RELAXED)
        while (yield before.locked.load(ACQUIRE)):
            yield pause()

    def release(self):
        me = yield self.mine[thread()].load(RELAXED)
        before = yield self.previous[thread()].load(RELAXED)
        yield self.mine[thread()].store(before, RELAXED)
        yield me.locked.store(0, RELEASE)
