"""Tasks in rings, each of which passes a token on: what it costs to wake, to wait and to switch.

The load of lmbench's ``lat_ctx`` (McVoy and Staelin, USENIX 1996): a task reads the token from its
mailbox, does some work, and writes it into the next one's. A ring has one token, so its tasks run
one after another, and each pass is a wake-up, a wait, and, if the two share a CPU, a switch. With
as many rings as CPUs every CPU has something to do, and fewer rings leave CPUs idle. One unit of
work is one pass.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import INTERRUPTIBLE, WaitQueue
from locksim.library.schedulers.percpu_queues import PerCpuQueues

__all__ = ["TokenRing"]


class Mailbox(Struct):
    """Tokens for one task (a pipe), the lock that guards them, and the task when it waits."""

    lock = part(TTASLock)
    tokens = word()
    queue = part(WaitQueue)


class TokenRing(Workload):
    """Rings of tasks that pass tokens on.

    Arguments:
        tasks: how many. ring: tasks in a ring; the last one has what is left.
        before_ps: work before it looks for the token, in picoseconds.
        work_ps: work between reading and writing, in picoseconds.
        rounds: passes after which a task ends; 0: never.
    """

    tasks = param(16)
    ring = param(2)
    before_ps = param(0)
    work_ps = param(1000 * NS)
    rounds = param(0)
    scheduler = part(PerCpuQueues)
    mail = perthread(Mailbox)

    def setup(self):
        assert self.tasks > 0
        assert self.ring > 0
        for t in range(n_cpus(), n_threads()):
            yield self.mail[t].tokens.store(1 if (t - n_cpus()) % self.ring == 0 else 0)

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        to = self.neighbour()
        passes = 0
        while not self.rounds or passes < self.rounds:
            if self.before_ps:
                yield compute(self.before_ps)
            yield from self.receive(self.mail[thread()])
            if self.work_ps:
                yield compute(self.work_ps)
            yield from self.send(self.mail[to])
            yield done()
            yield from self.scheduler.resched()
            passes = passes + 1
        yield from self.scheduler.exit()

    def neighbour(self):
        me = thread() - n_cpus()
        first = me - me % self.ring
        size = min(self.ring, self.tasks - first)
        return n_cpus() + first + (me - first + 1) % size

    def receive(self, box: Mailbox):
        yield from box.lock.acquire()
        while not (yield box.tokens.load(RELAXED)):
            yield from self.scheduler.wait(box.queue, box.lock)
        tokens = yield box.tokens.load(RELAXED)
        yield box.tokens.store(tokens - 1, RELAXED)
        yield from box.lock.release()

    def send(self, box: Mailbox):
        yield from box.lock.acquire()
        tokens = yield box.tokens.load(RELAXED)
        yield box.tokens.store(tokens + 1, RELAXED)
        if (yield box.queue.entries.first.load(RELAXED)):
            yield from self.scheduler.wake_up(box.queue, INTERRUPTIBLE)
        yield from box.lock.release()
