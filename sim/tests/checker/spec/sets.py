"""The lazy list (Heller and others, OPODIS 2005), no node used twice; and five wrong ones."""

from locksim.lang import ACQUIRE, RELAXED, RELEASE, Struct, array, pause, pointer, thread, word

LAST = 100


class Node(Struct):
    """A key; the list has them in rising order."""

    number = word()
    next = pointer("Node")
    removed = word()
    locked = word()


class LazySet(Struct):
    """Changes lock the two nodes around a place and look again; ``contains`` takes no lock."""

    nodes = array(8, Node)
    used = array(2)

    def setup(self):
        yield self.nodes[0].next.store(self.nodes[1])
        yield self.nodes[1].number.store(LAST)

    def lock(self, node: Node):
        while (yield node.locked.swap(1, ACQUIRE)):
            yield pause()

    def unlock(self, node: Node):
        yield node.locked.store(0, RELEASE)

    def still(self, before: Node, here: Node):
        """Whether two locked nodes are in the list, one behind the other."""
        if (yield before.removed.load(RELAXED)):
            return 0
        return (yield before.next.load(RELAXED)) == here

    def link(self, before: Node, node: Node):
        yield before.next.store(node, RELEASE)

    def unlink(self, before: Node, node: Node):
        yield node.removed.store(1, RELEASE)
        behind = yield node.next.load(RELAXED)
        yield before.next.store(behind, RELEASE)

    def lock_second(self, node: Node):
        yield from self.lock(node)

    def unlock_second(self, node: Node):
        yield from self.unlock(node)

    def add(self, key):
        while True:
            before = self.nodes[0]
            here = yield before.next.load(ACQUIRE)
            while (yield here.number.load(RELAXED)) < key:
                before = here
                here = yield before.next.load(ACQUIRE)
            yield from self.lock(before)
            yield from self.lock_second(here)
            fits = yield from self.still(before, here)
            found = yield here.number.load(RELAXED)
            if fits and found != key:
                used = yield self.used[thread()].load(RELAXED)
                yield self.used[thread()].store(used + 1, RELAXED)
                node = self.nodes[2 + 3 * thread() + used]
                yield node.number.store(key, RELAXED)
                yield node.next.store(here, RELAXED)
                yield from self.link(before, node)
            yield from self.unlock_second(here)
            yield from self.unlock(before)
            if fits:
                return found != key

    def remove(self, key):
        while True:
            before = self.nodes[0]
            here = yield before.next.load(ACQUIRE)
            while (yield here.number.load(RELAXED)) < key:
                before = here
                here = yield before.next.load(ACQUIRE)
            yield from self.lock(before)
            yield from self.lock_second(here)
            fits = yield from self.still(before, here)
            found = yield here.number.load(RELAXED)
            if fits and found == key:
                yield from self.unlink(before, here)
            yield from self.unlock_second(here)
            yield from self.unlock(before)
            if fits:
                return found == key

    def contains(self, key):
        here = yield self.nodes[0].next.load(ACQUIRE)
        while (yield here.number.load(RELAXED)) < key:
            here = yield here.next.load(ACQUIRE)
        removed = yield here.removed.load(ACQUIRE)
        return (yield here.number.load(RELAXED)) == key and not removed


class LooksOnce(LazySet):
    """Wrong: between the search and the locks, another thread may have changed the place."""

    def still(self, before: Node, here: Node):
        yield pause()
        return 1


class NeverMarks(LazySet):
    """Wrong: a key is added behind a node that is no longer in the list."""

    def unlink(self, before: Node, node: Node):
        behind = yield node.next.load(RELAXED)
        yield before.next.store(behind, RELEASE)


class LocksOne(LazySet):
    """Wrong: while a node is removed, another is added behind it."""

    def lock_second(self, node: Node):
        yield pause()

    def unlock_second(self, node: Node):
        yield pause()


class OnlyMarks(LazySet):
    """Wrong: looks whether the node was removed, and not what comes behind it now."""

    def still(self, before: Node, here: Node):
        return (yield before.removed.load(RELAXED)) == 0


class RelaxedLink(LazySet):
    """Wrong under c11 only: a node can be seen before its key."""

    def link(self, before: Node, node: Node):
        yield before.next.store(node, RELAXED)
