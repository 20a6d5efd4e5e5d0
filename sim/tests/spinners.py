"""Workloads that wait, for the tests of spinning, of deadlocks and of the fast engine."""

from locksim.lang import (
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    Struct,
    Workload,
    alloc,
    array,
    block,
    compute,
    cpu,
    done,
    free,
    n_cpus,
    param,
    part,
    pause,
    pointer,
    random_below,
    wake,
    word,
)
from locksim.library.locks.ttas import TTASLock


class Node(Struct):
    """What programs allocate: more than a line on a small machine."""

    value = word()
    items = array(3)
    next = pointer("Node")


class Handover(Workload):
    """CPU 0 computes, then sets a flag for which all others spin; then everybody returns."""

    delay_ps = param(1000)
    flag = word(padded=True)

    def thread(self):
        if cpu() == 0:
            yield compute(self.delay_ps)
            yield self.flag.store(1, RELEASE)
        else:
            while (yield self.flag.load(ACQUIRE)) == 0:
                yield pause()
        yield done()


class Turns(Workload):
    """The CPUs take turns for ever, each spinning on one word until its number comes up."""

    work_ps = param(40)
    turn = word(padded=True)

    def thread(self):
        while True:
            while (yield self.turn.load(ACQUIRE)) % n_cpus() != cpu():
                yield pause()
            yield compute(random_below(self.work_ps) + 1)
            yield self.turn.fetch_add(1, RELEASE)
            yield done()


class SameMoment(Workload):
    """CPU 2 spins; CPU 3 wakes CPU 1, which then takes CPU 2's line within the same moment.

    On a machine where waking costs nothing, the event of CPU 1 is made at the time of CPU 3's, with
    a lower number, after a round of CPU 2 at that time.
    """

    wait_ps = param(1000)
    flag = word(padded=True)

    def thread(self):
        if cpu() == 1:
            yield block()
            yield self.flag.fetch_add(1)
        elif cpu() == 2:
            while (yield self.flag.load(ACQUIRE)) == 0:
                yield pause()
        elif cpu() == 3:
            yield compute(self.wait_ps)
            yield wake(1)


class FreedUnderASpinner(Workload):
    """CPU 1 spins on an object that CPU 0 frees."""

    shared = pointer(Node)

    def thread(self):
        if cpu() == 0:
            node = yield alloc(Node)
            yield self.shared.store(node, RELEASE)
            yield compute(2000)
            yield free(node)
        else:
            node = yield self.shared.load(ACQUIRE)
            while not node:
                yield pause()
                node = yield self.shared.load(ACQUIRE)
            while (yield node.items[1].load(RELAXED)) == 0:
                yield pause()


class TakenTwice(Workload):
    """CPU 0 takes a lock twice; the others sleep for ever or return."""

    lock = part(TTASLock)

    def thread(self):
        if cpu() == 0:
            yield from self.lock.acquire()
            yield from self.lock.acquire()
        if cpu() == 1:
            yield block()


class SpinsOnANode(Workload):
    """CPU 0 waits for an object of its own that nobody else knows."""

    def thread(self):
        node = yield alloc(Node)
        while (yield node.items[2].load(RELAXED)) == 0:
            yield pause()


class Hoarder(Workload):
    """Allocates until memory is out, and counts how many it got."""

    got = word()
    again = word()

    def thread(self):
        first = yield alloc(Node)
        last = first
        count = 0
        while last:
            count += 1
            last = yield alloc(Node)
        yield self.got.store(count, RELAXED)
        if first:
            yield free(first)
            if (yield alloc(Node)) == first:
                yield self.again.store(1, RELAXED)
        last = NULL


class Fault(Workload):
    """One fault of each kind, chosen by a number.

    Arguments:
        kind: 0 … 10. x: an operand.
    """

    kind = param(0)
    x = param(0)
    items = array(4)
    nodes = array(2, Node)
    shared = pointer(Node)

    def thread(self):
        yield compute(1234)
        if self.kind == 0:
            node = yield self.shared.load()
            yield node.next.load()
        elif self.kind == 1:
            node = yield alloc(Node)
            yield free(node)
            yield node.items[1].store(1, RELAXED)
            yield compute(100_000)
        elif self.kind == 2:
            node = yield alloc(Node)
            yield self.shared.store(node)
            yield free(node)
            yield free(node)
        elif self.kind == 3:
            yield compute(self.x - 1)
        elif self.kind == 4:
            yield self.items[self.x + 4].load()
        elif self.kind == 5:
            yield self.nodes[self.x].items[self.x - 1].swap(1)
        elif self.kind == 6:
            yield compute(7 % self.x)
        elif self.kind == 7:
            yield compute(1 << self.x - 1)
        elif self.kind == 8:
            yield compute(random_below(self.x))
        elif self.kind == 9:
            yield wake(self.x + n_cpus())
        else:
            assert self.x


class FaultsInAHeapNode(Workload):
    """An index out of range, and a free of an object's middle, in allocated memory."""

    kind = param(0)

    def thread(self):
        node = yield alloc(Node)
        if self.kind == 0:
            yield node.items[cpu() + 3].load()
        elif self.kind == 1:
            yield node.value.store(1, RELAXED)
            yield free(node)
            yield compute(1_000_000)
        else:
            yield wake(-1 - cpu())
