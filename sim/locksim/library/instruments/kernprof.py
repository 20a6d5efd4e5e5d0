"""Kernprof's call graph mode on i386: every function of the kernel begins with a call of mcount.

Mechanism (``drivers/char/kernprof.c`` and ``include/asm-i386/kernprof.h`` of SGI's kernprof, D.
Michailidis and J. Hawkes, 1999 to 2001). The compiler puts a call of ``mcount`` at the head of each
function. ``cg_record_arc`` finds the arc from the caller to the function in tables of this CPU: an
index by the call's place, a list of targets behind it. It adds one to the target's count with a
locked instruction, and one to the CPU's number of calls.

The instrument has no lock. It changes what it measures all the same: every path gets longer by its
functions, so a lock that is held for as long as before is held for a smaller share of the time.

Functions that have a program here make a call of their own. Those that are part of a program's work
are given as a number: their calls take as long, one after another.

Cost in line transfers. None: the tables are the CPU's own.

Not modelled. The sampling interrupt, 1024 times a second: some microseconds, 0.5 % of the time. The
calls of functions that the programs here have as inline code of others (``reschedule_idle``). The
first call of an arc, which makes its entry.
"""

from locksim.lang import *
from locksim.library.kernel.loopback import Loopback
from locksim.library.schedulers.interface import WaitEntry, WaitQueue
from locksim.library.schedulers.linux_2_4 import LinuxTwoFour

__all__ = ["Kernprof", "ProfiledLoopback", "ProfiledTwoFour"]

FUNCTIONS = 8
SCHEDULE = 0
WAKE_UP = 1
ADD_WAIT_QUEUE = 2
REMOVE_WAIT_QUEUE = 3
OTHERS = 4


class Arc(Struct):
    """An arc: the function that is called, and how often (cg_arc_dest)."""

    address = word()
    count = word()


class Arcs(Struct):
    """The tables of one CPU."""

    total = word()
    by_place = array(FUNCTIONS, word(padded=True))
    arcs = array(FUNCTIONS, Arc, padded=True)


class Kernprof(Struct):
    """The profiler's tables, and what ``mcount`` does with them.

    Arguments:
        call_ps: instructions of one call of mcount and cg_record_arc, without their loads.
        atomic_ps: time of one call's locked instruction and loads, where calls are only a number.
    """

    call_ps = param(31 * NS)
    atomic_ps = param(73 * NS)
    enabled = word(1, padded=True)
    tables = percpu(Arcs)

    def mcount(self, function):
        mine = self.tables[cpu()]
        yield compute(self.call_ps)
        yield self.enabled.load(RELAXED)
        total = yield mine.total.load(RELAXED)
        yield mine.total.store(total + 1, RELAXED)
        yield mine.by_place[function].load(RELAXED)
        yield mine.arcs[function].address.load(RELAXED)
        yield mine.arcs[function].count.fetch_add(1)

    def calls(self, number):
        # Of functions that have no program of their own.
        yield from self.mcount(OTHERS)
        yield compute((number - 1) * (self.call_ps + self.atomic_ps))


class ProfiledTwoFour(LinuxTwoFour):
    """The scheduler of 2.4 under kernprof."""

    kernprof = part(Kernprof, padded=True)

    def schedule(self):
        yield from self.kernprof.mcount(SCHEDULE)
        yield from super().schedule()

    def wake_up(self, queue: WaitQueue, mode):
        yield from self.kernprof.mcount(WAKE_UP)
        yield from super().wake_up(queue, mode)

    def add_wait_queue(self, queue: WaitQueue, entry: WaitEntry):
        yield from self.kernprof.mcount(ADD_WAIT_QUEUE)
        yield from super().add_wait_queue(queue, entry)

    def add_wait_queue_exclusive(self, queue: WaitQueue, entry: WaitEntry):
        yield from self.kernprof.mcount(ADD_WAIT_QUEUE)
        yield from super().add_wait_queue_exclusive(queue, entry)

    def remove_wait_queue(self, queue: WaitQueue, entry: WaitEntry):
        yield from self.kernprof.mcount(REMOVE_WAIT_QUEUE)
        yield from super().remove_wait_queue(queue, entry)


class ProfiledLoopback(Loopback):
    """The kernel of sockets and semaphores under kernprof.

    Arguments:
        functions: calls of other functions in each half of a send or a receive: before it owns the
            socket, and after. Those of packets and checks are among them.
    """

    functions = param(42)
    scheduler = part(ProfiledTwoFour)

    def work(self, work_ps, lines, first_key, checks):
        yield from self.scheduler.kernprof.calls(self.functions)
        yield from super().work(work_ps, lines, first_key, checks)
