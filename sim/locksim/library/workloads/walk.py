"""Walks over more lines than a cache holds: the cost of the lines' number and distance.

Two walks by one CPU. ``Walk`` goes over objects one after the other, round and round, as 2.4's
``schedule()`` goes over the tasks; ``SpacedWalk`` does so with objects 8 KB apart, as 2.4's tasks
are: each is the bottom of two pages whose top is its kernel stack. ``TokenWalk`` is lmbench's
``lat_ctx`` (McVoy and Staelin, USENIX 1996) without its pipes: processes pass a token round, and
the process that has it sums an array of its own, after the kernel's access checks on the way.

Cost in line transfers: none while everything fits; then one from memory for each line that was
given up. A walk in a circle is the worst case of giving up the least recently used line: one line
more than a set holds, and every line of that set is missed in every round.
"""

from locksim.lang import *
from locksim.library.avc.avc_2_4 import AvcTwoFour

__all__ = ["SpacedWalk", "TokenWalk", "Walk"]

SSID = 1
FIRST_KEY = 10
REQUESTED = 1


class Record(Struct):
    """What a walk reads of an object: one word."""

    value = word()


class Walk(Workload):
    """Objects on lines of their own, side by side; one unit of work is one object.

    Arguments:
        n: objects. rounds: how often the walk goes over them.
    """

    n = param(64)
    rounds = param(2)
    objects = array("n", Record, padded=True)

    def thread(self):
        for step in range(self.rounds * self.n):
            yield self.objects[step % self.n].value.load(RELAXED)
            yield done()


class SpacedWalk(Walk):
    """The same with objects 8 KB apart."""

    objects = array("n", Record, align=8192)


class TokenWalk(Workload):
    """Processes take turns on one CPU, each with an array of its own; a unit of work is one turn.

    Arguments:
        processes: how many. lines: of each one's array. total: of all of them,
            ``processes * lines``, at least 1.
        checks: of the access vector cache in one turn. keys: different ones that they ask for.
        switch_ps: work of one turn beside the array and the checks.
        rounds: turns of each process.
    """

    processes = param(2)
    lines = param(512)
    total = param(1024)
    checks = param(0)
    keys = param(4)
    switch_ps = param(1000)
    rounds = param(2)
    cache = part(AvcTwoFour)
    data = array("total", word(), padded=True)

    def thread(self):
        for turn in range(self.rounds * self.processes):
            first = turn % self.processes * self.lines
            yield compute(self.switch_ps)
            for i in range(self.checks):
                key = FIRST_KEY + i % self.keys
                yield from self.cache.has_perm(SSID, key, key, REQUESTED)
            for i in range(self.lines):
                yield self.data[first + i].load(RELAXED)
            yield done()
