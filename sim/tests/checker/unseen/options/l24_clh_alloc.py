from locksim.lang import *


class Node(Struct):
    locked = word()


class ClhAlloc(Lock):
    tail = pointer(Node)
    holder = pointer(Node)

    def acquire(self):
        me = yield alloc(Node)
        yield me.locked.store(1, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        if before:
            while (yield before.locked.load(ACQUIRE)):
                yield pause()
            yield free(before)
        yield self.holder.store(me, RELAXED)

    def release(self):
        me = yield self.holder.load(RELAXED)
        yield me.locked.store(0, RELEASE)
