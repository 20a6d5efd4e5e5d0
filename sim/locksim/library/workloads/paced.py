"""The rhythm of a plain load: how long a section lasts, and when a CPU begins the next one.

Closed: a CPU thinks after each section, so a slow lock slows the load that it gets, and no request
is ever late. Most measurements of locks are like this. Open: a CPU's requests come at intervals
with the mean ``think_ps``, whether or not the last one has been served. A request that finds its
CPU busy waits there and is served as soon as the CPU is free. Packets and interrupts arrive like
this, and under such a load waiting grows without bound as the offered rate nears what the lock can
give. In either, requests may come in bursts: ``burst`` of them one right after the other, and then
a pause ``burst`` times as long, so that the mean rate is that of single ones. A burst belongs to
one CPU, which serves it one by one: its requests queue there and not at the lock.

Holds and pauses are drawn from a distribution of the given mean:

=============  ===========================================  ========================
constant       always the mean                              no variation
uniform        from 0 to twice the mean                     coefficient 0.58
exponential    without memory                               coefficient 1
bimodal        nine in ten half, one in ten 5.5 times it    coefficient 1.5
=============  ===========================================  ========================

Not modelled: a limit to what waits at a CPU (nothing is dropped), and the time for which it waited
there, which no meter sees: lock meters see a request when it reaches the lock.
"""

from locksim.lang import *

__all__ = ["Paced", "BIMODAL", "CLOSED", "CONSTANT", "EXPONENTIAL", "OPEN", "UNIFORM"]  # noqa: RUF022 - the first is the entry

CLOSED, OPEN = range(2)
CONSTANT, EXPONENTIAL, UNIFORM, BIMODAL = range(4)


class Paced(Workload):
    """Every CPU performs ``section()`` again and again, each one unit of work.

    Arguments:
        hold_ps: mean work inside a section in picoseconds (0: none).
        hold_times: its distribution.
        think_ps: mean work between two sections (0: none); if open, mean time between two requests.
        think_times: its distribution.
        arrivals: ``CLOSED`` or ``OPEN``.
        burst: requests that come together, from 1.
    """

    hold_ps = param(0)
    hold_times = param(CONSTANT)
    think_ps = param(1000 * NS)
    think_times = param(EXPONENTIAL)
    arrivals = param(CLOSED)
    burst = param(1)

    def thread(self):
        assert self.burst > 0
        # No thread starts in step with another.
        yield compute(random_below(self.think_ps + 1))
        due = now()
        left = self.burst
        while True:
            yield from self.section()
            yield done()
            left -= 1
            if left == 0:
                left = self.burst
                due = yield from self.next_request(due)

    def section(self):
        yield from self.hold()

    def hold(self):
        if self.hold_ps:
            yield compute(self.drawn(self.hold_ps, self.hold_times))

    def next_request(self, due):
        """Let the time to the next request go by, and say when that was due."""
        pause_ps = self.burst * self.think_ps
        if pause_ps == 0:
            return due
        if self.arrivals == OPEN:
            due += self.drawn(pause_ps, self.think_times)
            if due > now():
                yield compute(due - now())
        else:
            yield compute(self.drawn(pause_ps, self.think_times))
        return due

    def drawn(self, mean_ps, times):
        """A time with this mean."""
        if times == CONSTANT:
            return mean_ps
        if times == EXPONENTIAL:
            return random_exponential(mean_ps)
        if times == UNIFORM:
            return random_below(2 * mean_ps + 1)
        if random_below(10) == 0:
            return 11 * mean_ps // 2
        return mean_ps // 2
