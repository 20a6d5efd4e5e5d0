from locksim.lang import *


class UpgradeTooEasy(RWLock):
    state = word()

    def read_acquire(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & 1 == 0:
                if (yield self.state.compare_swap(old, old + 2, ACQUIRE)) == old:
                    return
            yield pause()

    def read_release(self):
        yield self.state.fetch_add(-2, RELEASE)

    def write_acquire(self):
        while (yield self.state.compare_swap(0, 1, ACQUIRE)) != 0:
            yield pause()

    def write_release(self):
        yield self.state.fetch_and(~1, RELEASE)

    def try_upgrade(self):
        old = yield self.state.load(RELAXED)
        if old & 1:
            return 0
        return (yield self.state.compare_swap(old, old - 2 + 1, ACQUIRE)) == old
