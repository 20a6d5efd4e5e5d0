"""Workloads as a student writes them: what ``locklab check FILE:Workload`` is asked about."""

from locksim.lang import (
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    Struct,
    Workload,
    alloc,
    array,
    free,
    n_cpus,
    pointer,
    thread,
    word,
)


class StoreBuffering(Workload):
    """Each thread raises its flag, then looks at the other's."""

    flag = array(2)
    seen = array(2)

    def thread(self):
        me = thread()
        yield self.flag[me].store(1, RELAXED)
        other = yield self.flag[1 - me].load(RELAXED)
        yield self.seen[me].store(other, RELAXED)


class MessagePassing(Workload):
    """Thread 0 hands a plain word over by a flag."""

    data = word(plain=True)
    ready = word()
    got = word(-1)

    def thread(self):
        if thread() == 0:
            yield self.data.store(42)
            yield self.ready.store(1, RELEASE)
        elif (yield self.ready.load(ACQUIRE)) == 1:
            value = yield self.data.load()
            yield self.got.store(value)


class RelaxedFlag(MessagePassing):
    """The same without an order: the data races."""

    def thread(self):
        if thread() == 0:
            yield self.data.store(42)
            yield self.ready.store(1, RELAXED)
        elif (yield self.ready.load(ACQUIRE)) == 1:
            value = yield self.data.load()
            yield self.got.store(value)


class Turnstile(Workload):
    """Threads pass one after another, or so its invariant says."""

    inside = word()

    def thread(self):
        yield self.inside.fetch_add(1)
        yield self.inside.fetch_add(-1)

    def invariant(self):
        assert (yield self.inside.load()) <= 1


class Gate(Turnstile):
    """A thread goes in only where no other is."""

    def thread(self):
        if (yield self.inside.compare_swap(0, 1)) == 0:
            yield self.inside.store(0)


class Node(Struct):
    """One of a list."""

    value = word(7)


class Published(Workload):
    """The first node is there before its pointer, or so the invariant relies on."""

    head = pointer(Node)

    def thread(self):
        node = yield alloc(Node)
        yield node.value.store(7, RELAXED)
        old = yield self.head.swap(node)
        if old != NULL:
            yield free(old)

    def invariant(self):
        node = yield self.head.load()
        if node != NULL:
            assert (yield node.value.load()) == 7


class PublishedEarly(Published):
    """The pointer is set before the node is filled."""

    def thread(self):
        node = yield alloc(Node)
        old = yield self.head.swap(node)
        yield node.value.store(7, RELAXED)
        if old != NULL:
            yield free(old)


class FreedEarly(Published):
    """The node is freed while the pointer still leads to it."""

    def thread(self):
        node = yield alloc(Node)
        yield node.value.store(7, RELAXED)
        yield self.head.store(node)
        yield free(node)


class Writes(Turnstile):
    """An invariant is not a step."""

    def invariant(self):
        yield self.inside.store(0)


class Asks(Turnstile):
    """An invariant belongs to no thread."""

    def invariant(self):
        assert (yield self.inside.load()) != thread()


class Endless(Turnstile):
    """An invariant that waits."""

    def invariant(self):
        while (yield self.inside.load()) == 0:
            assert n_cpus() > 0


class PlainNode(Struct):
    """Plain data on the heap."""

    value = word(plain=True)


class PlainHeap(Workload):
    """Allocates plain data, of which races are not found."""

    def thread(self):
        node = yield alloc(PlainNode)
        yield node.value.store(1)
        yield free(node)
