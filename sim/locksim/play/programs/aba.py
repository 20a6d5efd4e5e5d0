"""A stack without a lock: take the top if it is still the same. Thread 1 takes two, returns one.

The nodes are numbers: 1 lies on 2. A node that a thread has taken and not returned is marked.
"""

from locksim.lang import *


class ABA(Workload):
    top = word(1)
    below = array(3)
    taken = array(3)
    finished = word()

    def setup(self):
        yield self.below[1].store(2)

    def thread(self):
        if thread() == 0:
            yield from self.pop()
        else:
            first = yield from self.pop()
            second = yield from self.pop()
            if first == 1 and second == 2:
                yield self.taken[1].store(0)
                yield self.below[1].store(0)
                yield self.top.store(1)
        if (yield self.finished.fetch_add(1)) == 1:
            node = yield self.top.load()
            assert (yield self.taken[node].load()) == 0

    def pop(self):
        node = yield self.top.load()
        while node != 0:
            after = yield self.below[node].load()
            if (yield self.top.compare_swap(node, after)) == node:
                yield self.taken[node].store(1)
                break
            node = yield self.top.load()
        return node
