"""Mutual exclusion, with and without a try."""

from locksim.lang import *

__all__ = ["Mutex", "TryMutex"]


class Mutex(Struct):
    """``acquire()`` waits until the lock is free; ``release()`` is for the thread that holds it."""

    holder = word()

    def acquire(self):
        while (yield self.holder.load()):
            yield pause()
        yield self.holder.store(thread() + 1)

    def release(self):
        holder = yield self.holder.swap(0)
        assert holder == thread() + 1


class TryMutex(Mutex):
    """With ``try_acquire()``, which gives 1 if the lock was free, else 0, and never waits."""

    def try_acquire(self):
        if (yield self.holder.load()):
            return 0
        yield self.holder.store(thread() + 1)
        return 1
