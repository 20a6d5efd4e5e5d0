"""System V semaphores as in Linux 2.4 (ipc/sem.c): who finds one at 0 sleeps until it is told.

Mechanism. These have no wait queue. Who has to wait appends an entry to the semaphore's list, sets
its state and gives up the CPU (``sys_semop``). Who adds one walks the list (``update_queue``) to
the first that has not been told yet, wakes it, and marks its entry: no second wake-up goes to it.
The one that was told tries for itself, takes its entry off when it has got its unit, and walks the
list in its turn. One lock guards all semaphores of the system (``sem_lock``, ipc/util.h).

Invariants. The count is never negative. While it is not 0, somebody on the list has been told, or
the list is empty: each change of the count ends with a walk.

Fairness. First come, first told; but the count is there from ``up`` on, so a task that is running
already may take it before the one that was told gets a CPU. That one keeps its place.

Not modelled. Operations on several semaphores of a set, undo, waiting for 0.
"""

from locksim.lang import Struct, part, word
from locksim.schedulers.interface import WaitList

__all__ = ["TOLD", "Semaphore"]

TOLD = 1


class Semaphore(Struct):
    """A count, and those who wait for it to rise; ``flags`` of an entry is TOLD or 0.

    The programs are a kernel's, which has a scheduler: ``up`` and ``down`` of ``loopback``.
    """

    count = word()
    pending = part(WaitList)
