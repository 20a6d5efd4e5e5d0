"""A reader-writer lock of your own: replace the `yield pause()` lines, and add what you need.

Try: locklab lab check
"""

from locksim.lang import (  # what a reader-writer lock may need; import more if you like
    ACQ_REL,
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    SEQ_CST,
    RWLock,
    Struct,
    array,
    cpu,
    part,
    pause,
    percpu,
    pointer,
    word,
)


class Own(RWLock):
    """Say here in one sentence what your lock does."""

    state = word()

    def read_acquire(self):
        yield pause()

    def read_release(self):
        yield pause()

    def write_acquire(self):
        yield pause()

    def write_release(self):
        yield pause()
