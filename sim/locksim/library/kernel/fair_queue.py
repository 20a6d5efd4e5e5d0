"""More processes than CPUs: one queue of those that want to run, first come, first served.

Mechanism. A process is a number. A CPU takes the process at the head of the queue, runs it for a
slice, and puts it back at the tail if it still wants to run. A CPU that finds nothing goes on the
stack of idle CPUs and sleeps. If a process is put into the queue while a CPU is idle, it is handed
to that CPU, which is woken.

The queue is for processes that need no registers between two slices: a process keeps everything
that it has to remember in its number and in words of memory. So no CPU has to save a context. A
workload's ``thread()`` is then the loop of a CPU: take a process, run it, take the next one.

Invariants. A process is in the queue once, or in one CPU's mailbox, or runs on one CPU, or sleeps.
While a CPU is idle the queue is empty. All of it changes under ``lock``, but for a mailbox, which
belongs to its CPU from the moment when that left the stack.

Fairness. Processes that always want to run get equal shares of the CPUs, which is what CFS gives to
processes of equal weight once its balancing has done its work.

Not modelled. Queues for each CPU and their balancing, preemption of a running process by one that
wakes up, affinity: the CPU that was idle for the shortest time is woken, wherever the process ran
before.
"""

from locksim.lang import *
from locksim.library.locks.ticket import TicketLock

__all__ = ["FairQueue"]

MOST_CPUS = 1024


class FairQueue(Struct):
    """A first-come, first-served queue of process numbers for all CPUs.

    Arguments:
        most: processes that can be queued, at least all that there are.
        switch_ps: cost of going on to another process, in picoseconds.
    """

    most = param(512)
    switch_ps = param(1500 * NS)
    lock = part(TicketLock, padded=True)
    length = word()
    head = word()
    n_idle = word()
    queue = array("most", word())
    idle = array(MOST_CPUS, word())
    mailbox = percpu(word())

    def put(self, process):
        """Let a process run: on an idle CPU, or when its turn comes."""
        yield from self.lock.acquire()
        idle = yield self.n_idle.load(RELAXED)
        if idle:
            sleeper = yield self.idle[idle - 1].load(RELAXED)
            yield self.n_idle.store(idle - 1, RELAXED)
            yield self.mailbox[sleeper].store(process, RELAXED)
            yield from self.lock.release()
            yield wake(sleeper)
        else:
            length = yield self.length.load(RELAXED)
            assert length < self.most
            head = yield self.head.load(RELAXED)
            yield self.queue[(head + length) % self.most].store(process, RELAXED)
            yield self.length.store(length + 1, RELAXED)
            yield from self.lock.release()

    def take(self):
        """The next process to run; sleeps until there is one."""
        yield from self.lock.acquire()
        length = yield self.length.load(RELAXED)
        if length:
            head = yield self.head.load(RELAXED)
            process = yield self.queue[head].load(RELAXED)
            yield self.head.store((head + 1) % self.most, RELAXED)
            yield self.length.store(length - 1, RELAXED)
            yield from self.lock.release()
            yield compute(self.switch_ps)
            return process
        idle = yield self.n_idle.load(RELAXED)
        yield self.idle[idle].store(cpu(), RELAXED)
        yield self.n_idle.store(idle + 1, RELAXED)
        yield from self.lock.release()
        yield block()
        return (yield self.mailbox[cpu()].load(RELAXED))

    def waiting(self):
        """How many want to run and have no CPU, to whoever looks without the lock."""
        return (yield self.length.load(RELAXED))
