"""Michael and Scott's queue (PODC 1996), no node used twice; and five wrong ones."""

from locksim.lang import (
    ACQ_REL,
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    Struct,
    array,
    pointer,
    thread,
    word,
)


class Node(Struct):
    """A value and what comes behind it."""

    value = word()
    next = pointer("Node")


class MSQueue(Struct):
    """The node at ``head`` is a dummy; ``tail`` may lag one behind, and whoever sees that helps."""

    nodes = array(10, Node)
    used = array(3)
    head = pointer(Node)
    tail = pointer(Node)

    def setup(self):
        yield self.head.store(self.nodes[0])
        yield self.tail.store(self.nodes[0])

    def new(self, value):
        used = yield self.used[thread()].load(RELAXED)
        yield self.used[thread()].store(used + 1, RELAXED)
        node = self.nodes[1 + 3 * thread() + used]
        yield node.value.store(value, RELAXED)
        return node

    def enqueue(self, value):
        node = yield from self.new(value)
        while True:
            tail = yield self.tail.load(ACQUIRE)
            behind = yield tail.next.load(ACQUIRE)
            if behind == NULL:
                if (yield tail.next.compare_swap(NULL, node, RELEASE)) == NULL:
                    yield self.tail.compare_swap(tail, node, RELEASE)
                    return
            else:
                yield self.tail.compare_swap(tail, behind, RELEASE)

    def dequeue(self):
        while True:
            head = yield self.head.load(ACQUIRE)
            tail = yield self.tail.load(ACQUIRE)
            first = yield head.next.load(ACQUIRE)
            if first == NULL:
                return 0
            if head == tail:
                yield self.tail.compare_swap(tail, first, RELEASE)
            else:
                value = yield first.value.load(RELAXED)
                if (yield self.head.compare_swap(head, first, RELEASE)) == head:
                    return value


class LinksByStore(MSQueue):
    """Wrong: two that enqueue at once link to the same node, and one is lost."""

    def enqueue(self, value):
        node = yield from self.new(value)
        tail = yield self.tail.load(ACQUIRE)
        yield tail.next.store(node, RELEASE)
        yield self.tail.store(node, RELEASE)


class TakesByStore(MSQueue):
    """Wrong: two that dequeue at once take the same value."""

    def dequeue(self):
        head = yield self.head.load(ACQUIRE)
        first = yield head.next.load(ACQUIRE)
        if first == NULL:
            return 0
        yield self.head.store(first, RELEASE)
        value = yield first.value.load(RELAXED)
        return value


class SwingsFirst(MSQueue):
    """Wrong: a queue that looks empty behind a node that is not linked yet."""

    def enqueue(self, value):
        node = yield from self.new(value)
        before = yield self.tail.swap(node, ACQ_REL)
        yield before.next.store(node, RELEASE)

    def dequeue(self):
        while True:
            head = yield self.head.load(ACQUIRE)
            first = yield head.next.load(ACQUIRE)
            if first == NULL:
                return 0
            value = yield first.value.load(RELAXED)
            if (yield self.head.compare_swap(head, first, RELEASE)) == head:
                return value


class GivesUp(MSQueue):
    """Wrong: a dequeue that loses against another says that the queue is empty."""

    def dequeue(self):
        head = yield self.head.load(ACQUIRE)
        tail = yield self.tail.load(ACQUIRE)
        first = yield head.next.load(ACQUIRE)
        if first == NULL:
            return 0
        if head == tail:
            yield self.tail.compare_swap(tail, first, RELEASE)
        value = yield first.value.load(RELAXED)
        if (yield self.head.compare_swap(head, first, RELEASE)) == head:
            return value
        return 0


class RelaxedLink(MSQueue):
    """Wrong under c11 only: the node can be seen before its value."""

    def enqueue(self, value):
        node = yield from self.new(value)
        while True:
            tail = yield self.tail.load(ACQUIRE)
            behind = yield tail.next.load(ACQUIRE)
            if behind == NULL:
                if (yield tail.next.compare_swap(NULL, node, RELAXED)) == NULL:
                    yield self.tail.compare_swap(tail, node, RELAXED)
                    return
            else:
                yield self.tail.compare_swap(tail, behind, RELAXED)
