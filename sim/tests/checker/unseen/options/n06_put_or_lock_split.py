from locksim.lang import *


class PutOrLockSplit(CountedRef):
    state = word(2)

    def get(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & 1 == 0:
                if (yield self.state.compare_swap(old, old + 2, RELAXED)) == old:
                    return
            yield pause()

    def put(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & 1 == 0:
                if (yield self.state.compare_swap(old, old - 2, ACQ_REL)) == old:
                    return (old >> 1) - 1
            yield pause()

    def acquire(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & 1 == 0:
                if (yield self.state.compare_swap(old, old + 1, ACQUIRE)) == old:
                    return
            yield pause()

    def release(self):
        yield self.state.fetch_and(~1, RELEASE)

    def references(self):
        state = yield self.state.load(RELAXED)
        return state >> 1

    def put_or_lock(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & 1 == 0:
                if old >> 1 != 1:
                    yield self.state.fetch_add(-2, ACQ_REL)
                    return 1
                if (yield self.state.compare_swap(old, old + 1, ACQUIRE)) == old:
                    return 0
            yield pause()
