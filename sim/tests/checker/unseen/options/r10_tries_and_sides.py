from locksim.lang import *


class Tries(RWLock):
    state = word()

    def read_acquire(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & 1 == 0:
                if (yield self.state.compare_swap(old, old + 2, ACQUIRE)) == old:
                    return
            yield pause()

    def read_try_acquire(self):
        if (yield self.state.fetch_add(2, ACQUIRE)) & 1:
            yield self.state.fetch_add(-2, RELAXED)
            return 0
        return 1

    def read_release(self):
        yield self.state.fetch_add(-2, RELEASE)

    def write_acquire(self):
        while (yield self.state.compare_swap(0, 1, ACQUIRE)) != 0:
            yield pause()

    def write_try_acquire(self):
        return (yield self.state.compare_swap(0, 1, ACQUIRE)) == 0

    def write_release(self):
        yield self.state.fetch_add(-1, RELEASE)

    def downgrade(self):
        yield self.state.fetch_add(1, RELEASE)

    def try_upgrade(self):
        return (yield self.state.compare_swap(2, 1, ACQUIRE)) == 2
