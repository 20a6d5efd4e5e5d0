"""Treiber's stack (IBM RJ 5118, 1986), with and without protection against ABA; five wrong ones."""

from locksim.lang import ACQ_REL, ACQUIRE, RELAXED, RELEASE, Struct, array, word

TAG = 256


class TreiberStack(Struct):
    """A node is its own value: ``push(1)`` links node 1. Right as long as no node comes back."""

    top = word()
    below = array(8)

    def push(self, value):
        top = yield self.top.load(RELAXED)
        while True:
            yield self.below[value].store(top, RELAXED)
            found = yield self.top.compare_swap(top, value, RELEASE)
            if found == top:
                return
            top = found

    def pop(self):
        while True:
            top = yield self.top.load(ACQUIRE)
            if top == 0:
                return 0
            below = yield self.below[top].load(RELAXED)
            if (yield self.top.compare_swap(top, below, ACQ_REL)) == top:
                return top


class TaggedStack(Struct):
    """The word at the top counts the changes too, so an old one is never taken for the present."""

    top = word()
    below = array(8)

    def push(self, value):
        top = yield self.top.load(RELAXED)
        while True:
            yield self.below[value].store(top % TAG, RELAXED)
            found = yield self.top.compare_swap(top, top - top % TAG + TAG + value, RELEASE)
            if found == top:
                return
            top = found

    def pop(self):
        while True:
            top = yield self.top.load(ACQUIRE)
            if top % TAG == 0:
                return 0
            below = yield self.below[top % TAG].load(RELAXED)
            changed = top - top % TAG + TAG + below
            if (yield self.top.compare_swap(top, changed, ACQ_REL)) == top:
                return top % TAG


class TagStartsAnew(TaggedStack):
    """Wrong: the tag starts anew where the stack is empty."""

    def pop(self):
        while True:
            top = yield self.top.load(ACQUIRE)
            if top % TAG == 0:
                return 0
            below = yield self.below[top % TAG].load(RELAXED)
            changed = 0
            if below:
                changed = top - top % TAG + TAG + below
            if (yield self.top.compare_swap(top, changed, ACQ_REL)) == top:
                return top % TAG


class PushesByStore(TreiberStack):
    """Wrong: two that push at once stand on the same node, and one is lost."""

    def push(self, value):
        top = yield self.top.load(RELAXED)
        yield self.below[value].store(top, RELAXED)
        yield self.top.store(value, RELEASE)


class PopsByStore(TreiberStack):
    """Wrong: two that pop at once take the same node."""

    def pop(self):
        top = yield self.top.load(ACQUIRE)
        if top == 0:
            return 0
        below = yield self.below[top].load(RELAXED)
        yield self.top.store(below, RELEASE)
        return top


class LinksTooLate(TreiberStack):
    """Wrong: what is below a node is written when the node is on top already."""

    def push(self, value):
        top = yield self.top.swap(value, ACQ_REL)
        yield self.below[value].store(top, RELEASE)


class RelaxedPush(TreiberStack):
    """Wrong under c11 only: the node can be seen before what is below it."""

    def push(self, value):
        top = yield self.top.load(RELAXED)
        while True:
            yield self.below[value].store(top, RELAXED)
            found = yield self.top.compare_swap(top, value, RELAXED)
            if found == top:
                return
            top = found
