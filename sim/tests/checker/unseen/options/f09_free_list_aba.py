from locksim.lang import *


class FreeListAba(Workload):
    first = word(1)
    next = array(4)
    owner = array(4)

    def setup(self):
        yield self.next[1].store(2)
        yield self.next[2].store(3)

    def take(self):
        while True:
            node = yield self.first.load()
            if node == 0:
                return 0
            after = yield self.next[node].load()
            if (yield self.first.compare_swap(node, after)) == node:
                before = yield self.owner[node].fetch_add(1)
                assert before == 0
                return node

    def give(self, node):
        yield self.owner[node].fetch_add(-1)
        while True:
            first = yield self.first.load()
            yield self.next[node].store(first)
            if (yield self.first.compare_swap(first, node)) == first:
                return

    def thread(self):
        if thread() == 0:
            one = yield from self.take()
            two = yield from self.take()
            if one == two:
                yield pause()
        else:
            one = yield from self.take()
            two = yield from self.take()
            if one:
                yield from self.give(one)
            if two == 0:
                yield pause()
