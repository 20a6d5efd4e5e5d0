"""Three reader-writer locks for you to write: replace the `yield pause()` lines.

Try: locklab lab check
"""

from locksim.lang import (  # everything that the three locks need
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

WRITER = -(1 << 32)  # added to the word while a writer is inside: far below any number of readers


class RW(RWLock):
    """One word: the number of readers, and WRITER while a writer is inside."""

    state = word()

    def read_acquire(self):
        yield pause()

    def read_release(self):
        yield pause()

    def write_acquire(self):
        yield pause()

    def write_release(self):
        yield pause()


class WF(RWLock):
    """Writers first: readers wait while a writer waits or is inside."""

    state = word()
    writers = word()  # how many writers wait or are inside

    def read_acquire(self):
        yield pause()

    def read_release(self):
        yield pause()

    def write_acquire(self):
        yield pause()

    def write_release(self):
        yield pause()


class BR(RWLock):
    """Big-reader: a lock for each CPU. A reader takes its own, a writer takes all."""

    locks = percpu(RW)

    def read_acquire(self):
        yield pause()

    def read_release(self):
        yield pause()

    def write_acquire(self):
        yield pause()

    def write_release(self):
        yield pause()
