from locksim.lang import *
from locksim.library.locks.lockref import LOCKED, ONE, Lockref
from locksim.library.locks.lockref_spinlock import SpinlockRef
from locksim.library.locks.rcu_qsbr import QSBR


class CounterRCU(QSBR):
    """One count of all readers."""

    readers = word()

    def read_lock(self):
        yield self.readers.fetch_add(1, RELAXED)
        yield fence()

    def read_unlock(self):
        yield self.readers.fetch_add(-1, RELEASE)

    def synchronize_rcu(self):
        yield fence()
        while (yield self.readers.load(ACQUIRE)) != 0:
            yield pause()


class CounterRCURelaxedExit(QSBR):
    """A reader counts itself out RELAXED."""

    readers = word()

    def read_lock(self):
        yield self.readers.fetch_add(1, RELAXED)
        yield fence()

    def read_unlock(self):
        yield self.readers.fetch_add(-1, RELAXED)

    def synchronize_rcu(self):
        yield fence()
        while (yield self.readers.load(ACQUIRE)) != 0:
            yield pause()


class NoGracePeriod(QSBR):
    """synchronize_rcu() takes the lock and gives it back."""

    def synchronize_rcu(self):
        yield from self.lock.acquire()
        yield from self.lock.release()


class LastCpuForgotten(QSBR):
    """Waits for all CPUs but the last."""

    def synchronize_rcu(self):
        yield from self.offline()
        yield from self.lock.acquire()
        current = yield self.current.load(RELAXED)
        yield self.current.store(current + 1, RELEASE)
        yield fence()
        for i in range(n_cpus() - 1):
            while True:
                seen = yield self.seen[i].load(ACQUIRE)
                if seen == 0 or seen == current + 1:
                    break
                yield pause()
        yield from self.lock.release()
        yield from self.online()


class GetWithoutLock(SpinlockRef):
    """get() counts by one atomic instruction, without the lock."""

    def get(self):
        yield self.count.fetch_add(1, RELAXED)


class PutLooksAgain(SpinlockRef):
    """put() counts under the lock, and looks at the result after it."""

    def put(self):
        yield from self.acquire()
        count = yield self.count.load(RELAXED)
        yield self.count.store(count - 1, RELAXED)
        yield from self.release()
        left = yield self.count.load(RELAXED)
        return left


class PutRelaxed(Lockref):
    """put() swaps RELAXED."""

    def put(self):
        value = yield self.lock_count.load(RELAXED)
        for _ in range(self.retries):
            if value & LOCKED:
                break
            old = yield self.lock_count.compare_swap(value, value - ONE, RELAXED)
            if old == value:
                left = (value - ONE) // ONE
                if left == 0:
                    yield fence(ACQUIRE)
                return left
            value = old
        yield from self.acquire()
        value = yield self.lock_count.load(RELAXED)
        yield self.lock_count.store(value - ONE, RELAXED)
        yield from self.release()
        return (value - ONE) // ONE
