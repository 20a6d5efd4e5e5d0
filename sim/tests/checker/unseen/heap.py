from locksim.lang import *


class Node(Struct):
    """A queue's node."""

    locked = word()


class HeapCLH(Lock):
    """CLH with a fresh node each time; who waited on a node frees it."""

    tail = pointer(Node)
    mine = percpu(pointer(Node))

    def acquire(self):
        node = yield alloc(Node)
        yield node.locked.store(1, RELAXED)
        before = yield self.tail.swap(node, ACQ_REL)
        if before:
            while (yield before.locked.load(ACQUIRE)):
                yield pause()
            yield free(before)
        yield self.mine[cpu()].store(node, RELAXED)

    def release(self):
        node = yield self.mine[cpu()].load(RELAXED)
        yield self.mine[cpu()].store(NULL, RELAXED)
        yield node.locked.store(0, RELEASE)


class HeapCLHRelaxedWait(Lock):
    """The same, with a RELAXED look at the node and an acquire fence behind the loop."""

    tail = pointer(Node)
    mine = percpu(pointer(Node))

    def acquire(self):
        node = yield alloc(Node)
        yield node.locked.store(1, RELAXED)
        before = yield self.tail.swap(node, ACQ_REL)
        if before:
            while (yield before.locked.load(RELAXED)):
                yield pause()
            yield fence(ACQUIRE)
            yield free(before)
        yield self.mine[cpu()].store(node, RELAXED)

    def release(self):
        node = yield self.mine[cpu()].load(RELAXED)
        yield self.mine[cpu()].store(NULL, RELAXED)
        yield node.locked.store(0, RELEASE)


class HeapCLHOwnerFrees(Lock):
    """Each frees its own node when it leaves."""

    tail = pointer(Node)
    mine = percpu(pointer(Node))

    def acquire(self):
        node = yield alloc(Node)
        yield node.locked.store(1, RELAXED)
        before = yield self.tail.swap(node, ACQ_REL)
        if before:
            while (yield before.locked.load(ACQUIRE)):
                yield pause()
        yield self.mine[cpu()].store(node, RELAXED)

    def release(self):
        node = yield self.mine[cpu()].load(RELAXED)
        yield node.locked.store(0, RELEASE)
        yield free(node)


class KeepsLast(Lock):
    """Remembers a node for each section, and forgets the one before."""

    held = word()
    last = percpu(pointer(Node))

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
        node = yield alloc(Node)
        yield self.last[cpu()].store(node, RELAXED)

    def release(self):
        yield self.held.store(0, RELEASE)
