"""Three reader-writer locks: the solution."""

from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    RWLock,
    cpu,
    n_cpus,
    pause,
    percpu,
    word,
)

WRITER = -(1 << 32)


class RW(RWLock):
    """One word: the number of readers, and WRITER while a writer is inside."""

    state = word()

    def read_acquire(self):
        if (yield self.state.fetch_add(1, ACQUIRE)) < 0:
            while (yield self.state.load(ACQUIRE)) < 0:
                yield pause()

    def read_release(self):
        yield self.state.fetch_add(-1, RELEASE)

    def write_acquire(self):
        while (yield self.state.compare_swap(0, WRITER, ACQUIRE)) != 0:
            while (yield self.state.load(RELAXED)) != 0:
                yield pause()

    def write_release(self):
        yield self.state.fetch_add(-WRITER, RELEASE)


class WF(RWLock):
    """Writers first: readers wait while a writer waits or is inside."""

    state = word()
    writers = word()

    def read_acquire(self):
        while (yield self.writers.load(RELAXED)):
            yield pause()
        if (yield self.state.fetch_add(1, ACQUIRE)) < 0:
            while (yield self.state.load(ACQUIRE)) < 0:
                yield pause()

    def read_release(self):
        yield self.state.fetch_add(-1, RELEASE)

    def write_acquire(self):
        yield self.writers.fetch_add(1, RELAXED)
        while (yield self.state.compare_swap(0, WRITER, ACQUIRE)) != 0:
            while (yield self.state.load(RELAXED)) != 0:
                yield pause()

    def write_release(self):
        yield self.state.fetch_add(-WRITER, RELEASE)
        yield self.writers.fetch_add(-1, RELAXED)


class BR(RWLock):
    """Big-reader: a lock for each CPU. A reader takes its own, a writer takes all."""

    locks = percpu(RW)

    def read_acquire(self):
        yield from self.locks[cpu()].read_acquire()

    def read_release(self):
        yield from self.locks[cpu()].read_release()

    def write_acquire(self):
        yield from self.locks[0].write_acquire()
        for i in range(1, n_cpus()):
            yield from self.locks[i].write_acquire()

    def write_release(self):
        yield from self.locks[0].write_release()
        for i in range(1, n_cpus()):
            yield from self.locks[i].write_release()
