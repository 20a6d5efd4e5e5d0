"""Four spinlocks for you to write: replace the `yield pause()` lines.

Try: locklab lab check
"""

from locksim.lang import Lock, pause, word


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


class MCS(Lock):
    """A queue: each waiter has a node of its own (percpu), and its predecessor wakes it."""

    tail = word()

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()
