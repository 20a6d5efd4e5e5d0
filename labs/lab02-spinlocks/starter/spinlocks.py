"""Four spinlocks, for you to write. Each line of `pass`-like code below is to be replaced.

Try: locklab lab check
"""

from locksim.lang import Lock, pause, word


class TAS(Lock):
    """Test-and-set: swap a 1 in until you are the one who finds a 0."""

    locked = word()

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()


class TTAS(Lock):
    """Test, then test-and-set: wait by reading, and swap only when it looks free."""

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
    """A queue: each waiter has a place of its own (percpu), and the one before wakes it."""

    tail = word()

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()
