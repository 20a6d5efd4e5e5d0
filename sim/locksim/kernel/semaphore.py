"""A sleeping semaphore: who finds it at 0 gives up the CPU and is woken in the order of arrival.

Mechanism. The wait queue's lock guards the count. ``semaphore_down`` takes one from it, or waits;
``semaphore_up`` adds one and wakes the first sleeper. In Linux 2.4 these are System V semaphores,
and ``semop`` wakes a sleeper so that it tries for itself.

Invariants. The count is never negative. A sleeper is on the list or has been woken.

Fairness. First come, first woken; but the count is there from ``up`` on, so a task that is running
already may take it before the one that was woken gets a CPU. The late one waits again, at the
list's end.

Not modelled. Sets: in 2.4 one lock guards all semaphores of the system.
"""

from locksim.lang import Struct, part, word
from locksim.schedulers.interface import WaitQueue

__all__ = ["Semaphore"]


class Semaphore(Struct):
    """A count, and those who wait for it to rise (``semop`` of Linux 2.4, in outline).

    The programs are a kernel's, which has a scheduler: ``up`` and ``down`` of ``loopback``.
    """

    queue = part(WaitQueue)
    count = word()
