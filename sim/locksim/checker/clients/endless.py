"""Clients that never end, for what is said about infinite runs: is everybody served?"""

from __future__ import annotations

from locksim.checker.clients.client import Client
from locksim.checker.errors import CheckError
from locksim.lang import Workload, param, part, thread
from locksim.lang.struct import Lock, RWLock, Struct
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.tas import TASLock


class AgainAndAgain(Workload):
    """Every thread acquires and releases for ever."""

    lock = part(TASLock)

    def thread(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One thread's life."""
        while True:
            yield from self.lock.acquire()
            yield from self.lock.release()


class ReadersAndWritersForEver(Workload):
    """Thread t writes if t + shift is even, else it reads; for ever.

    Arguments:
        shift: 0 or 1.
    """

    shift = param(0)
    lock = part(ReaderPreferenceRWLock)

    def thread(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One thread's life."""
        while True:
            if (thread() + self.shift) % 2 == 0:
                yield from self.lock.write_acquire()
                yield from self.lock.write_release()
            else:
                yield from self.lock.read_acquire()
                yield from self.lock.read_release()


def endless_clients(lock: Struct | type[Struct]) -> list[Client]:
    """The clients of a lock that never end.

    Raises:
        CheckError: the struct is no lock.
    """
    cls = lock if isinstance(lock, type) else type(lock)
    if issubclass(cls, Lock):
        return [Client("acquire and release for ever", AgainAndAgain(lock=lock))]
    if issubclass(cls, RWLock):
        return [
            Client(f"{who} for ever", ReadersAndWritersForEver(lock=lock, shift=shift))
            for shift, who in enumerate(("even threads write", "odd threads write"))
        ]
    raise CheckError(f"{cls.__name__} is neither a Lock nor an RWLock: it has no endless client")
