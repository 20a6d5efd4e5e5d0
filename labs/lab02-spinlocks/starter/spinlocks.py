"""Four spinlocks for you to write: replace the `yield pause()` lines.

Try: locklab lab check
"""

from locksim.lang import (  # everything that the four locks need
    ACQ_REL,
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    Lock,
    Struct,
    cpu,
    pause,
    percpu,
    pointer,
    word,
)


class TAS(Lock):
    """Test-and-set: swap in a 1 until the old value is 0."""

    locked = word()

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()


class TTAS(Lock):
    """Test, then test-and-set: wait by reading, and swap only when the lock looks free."""

    locked = word()

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()


class Ticket(Lock):
    """Take a number, wait until it is served."""

    next_ticket = word()
    now_serving = word()

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()


class Waiter(Struct):
    """A place in the queue: the next waiter, and whether this one has to wait."""

    next = pointer("Waiter")
    waiting = word()


class MCS(Lock):
    """A queue: each waiter waits on its own node, and its predecessor ends the wait."""

    tail = pointer(Waiter)
    places = percpu(Waiter)

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()
