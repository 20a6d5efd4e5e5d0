"""Queued reader-writer lock: one word for the CPUs that are in, one fair lock for those that wait.

Mechanism. The word counts readers above two marks for the writer: LOCKED, a writer is in, and
WAITING, the writer at the head of the queue wants to get in. A reader adds 1 and is in if it saw
neither mark. Otherwise it takes its 1 back and queues up for ``queue``, a fair spinlock. The CPU
that holds it is the head: a head that reads adds its 1 again, waits until no writer is in, and
gives the queue to the next; a head that writes sets WAITING, which stops new readers, waits until
all readers are gone, and turns WAITING into LOCKED. So the queue mixes readers and writers in the
order in which they came, and only its head looks at the word.

Invariants. LOCKED is set only from a word without readers and without LOCKED; a reader that got in
without the queue saw no mark. A writer is never in together with another CPU. WAITING is set only
by the holder of ``queue``, so there is at most one such writer.

Orders. Getting in is an ACQUIRE, getting out a RELEASE; what goes in between (taking a 1 back,
setting WAITING) may be RELAXED. The head that reads adds its 1 RELAXED and *looks* with ACQUIRE.

Cost in line transfers. Readers alone: as ``rwlock``, two writes of the word each, so that all
readers of the machine together have a constant rate. Once they queue, waiters spin on the queue's
words and not on the word that holders need, which ``rwlock`` cannot avoid; with the ticket lock as
the queue they all spin on one line of it, with a queue lock each on its own.

Fairness. First come, first served in the queue. A reader that arrives while no writer is at the
head does not queue at all; a writer thus waits for those readers that came before it was head.

Not modelled. A reader in an interrupt may overtake the queue in Linux (it would else wait for the
writer that it interrupted); there are no interrupts here. Linux lets a writer out by a store of
one byte; a word has no bytes here, and it is an atomic subtraction as on machines other than x86.
"""

from locksim.lang import *
from locksim.library.locks.ticket import TicketLock

__all__ = ["QueuedRWLock"]

LOCKED = 0xFF
WAITING = 0x100
WRITER = LOCKED | WAITING
READER = 0x200


class QueuedRWLock(RWLock):
    """Fair queued rwlock (Long, Linux 3.16; kernel/locking/qrwlock.c as of 5.x)."""

    state = word()
    queue = part(TicketLock)

    def read_acquire(self):
        before = yield self.state.fetch_add(READER, ACQUIRE)
        if before & WRITER == 0:
            return
        yield self.state.fetch_add(-READER, RELAXED)
        yield pause()
        yield from self.queue.acquire()
        yield self.state.fetch_add(READER, RELAXED)
        while (yield self.state.load(ACQUIRE)) & LOCKED:
            yield pause()
        yield from self.queue.release()

    def read_release(self):
        yield self.state.fetch_add(-READER, RELEASE)

    def write_acquire(self):
        if (yield self.state.compare_swap(0, LOCKED, ACQUIRE)) == 0:
            return
        yield pause()
        yield from self.queue.acquire()
        if (yield self.state.load(RELAXED)) == 0:
            if (yield self.state.compare_swap(0, LOCKED, ACQUIRE)) == 0:
                yield from self.queue.release()
                return
        yield self.state.fetch_or(WAITING, RELAXED)
        while True:
            while (yield self.state.load(RELAXED)) != WAITING:
                yield pause()
            if (yield self.state.compare_swap(WAITING, LOCKED, ACQUIRE)) == WAITING:
                break
        yield from self.queue.release()

    def write_release(self):
        yield self.state.fetch_add(-LOCKED, RELEASE)
