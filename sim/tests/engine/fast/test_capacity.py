"""Caches of the fast engine: what a jump leaves in them, what is modified, what goes back how.

Each test is a law of PHYSICS.md, "What a CPU can hold", on a program that would show a fast engine
that forgot it. The moments that matter are a few picoseconds long, so the programs are run with
all delays of a round: some of them meet the moment, and all of them must agree.
"""

from __future__ import annotations

import pytest
from engine.engine_pair import Pair, compare, idle_rows, run_pair
from tiny_machine import L1, MEMORY, MEMORY_FAR, PAUSE, RMW, tables, timeline

from locksim.core.result import RunResult
from locksim.lang import RELAXED, Workload, compute, cpu, param, pause, percpu, word

LINE_A = 1
LONG = 20 * MEMORY
"""A time in which every line has arrived and CPU 0 spins, in ps."""


def agreed(workload: Workload, *, cpus: int = 2, **machine: int) -> Pair:
    """Run a workload in both engines, which must agree."""
    pair = run_pair(workload, tables(cpus, **machine), seed=1, until_ps=10**6)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    return pair


def evicted(pair: Pair) -> list[tuple[int, int]]:
    """The lines that were given up, with 1 where they were written back."""
    assert isinstance(pair.expected, RunResult)
    rows = timeline(pair.expected)
    return [(line, back) for _, _, what, line, back in rows if what == "evicted"]


# What a jump leaves


class TwoWords(Workload):
    """CPU 0 spins on two lines; CPU 1 lets it go late."""

    a = word(padded=True)
    b = word(padded=True)
    c = word(padded=True)
    d = word(padded=True)

    def thread(self):
        # All CPUs: touch a line first, so that an older one lies behind those of the spin.
        yield self.c.load(RELAXED)
        if (yield self.d.fetch_add(1)):
            yield compute(20_000)
            yield self.b.store(1)
            return
        while not (yield self.a.load(RELAXED)) and not (yield self.b.load(RELAXED)):
            yield pause()
        yield self.c.load(RELAXED)


@pytest.mark.covering("ways", "l1_ways")
@pytest.mark.parametrize("ways", [1, 2, 3, 4])
@pytest.mark.parametrize("l1_ways", [0, 1, 2])
def test_a_spin_whose_lines_fit_is_jumped_over(ways, l1_ways):
    """A loop whose lines do not fit misses in every round: nothing to jump over."""
    l1 = {"l1_sets": 1, "l1_ways": l1_ways, "private_hit_ps": 3} if l1_ways else {}
    pair = agreed(TwoWords(), private_sets=1, private_ways=ways, **l1)
    assert (ways >= 2 and l1_ways != 1) == (idle_rows(pair) > 0)


class Spinner(Workload):
    """CPU 0 spins on a, b and c, while its last stores drain, and leaves by b, which CPU 1 sets.

    The store to y is drained by a hit, and so can fall into the round after which the spin is
    jumped over; the spin then ends amid a round. Both leave an order of use that rounds alone
    would not.

    Arguments:
        lead_ps: by how much the spin begins later, the stores being on their way.
        taken_ps: when CPU 1 takes b away.
    """

    lead_ps = param(1)
    taken_ps = param(LONG)
    a = word(padded=True)
    b = word(padded=True)
    c = word(padded=True)
    x = word(padded=True)
    y = word(padded=True)
    d = word(padded=True)
    e = word(padded=True)

    def thread(self):
        if cpu() == 1:
            yield compute(self.taken_ps)
            yield self.b.fetch_add(1)
            return
        yield self.y.fetch_add(1)
        yield self.a.load(RELAXED)
        yield self.b.load(RELAXED)
        yield self.c.load(RELAXED)
        yield self.x.store(1, RELAXED)
        yield self.y.store(2, RELAXED)
        yield compute(self.lead_ps)
        while (
            not (yield self.a.load(RELAXED))
            and not (yield self.b.load(RELAXED))
            and not (yield self.c.load(RELAXED))
        ):
            yield pause()
        yield self.d.load(RELAXED)
        yield self.e.load(RELAXED)
        yield self.y.load(RELAXED)
        yield self.a.load(RELAXED)


ROUND = range(3 * L1 + PAUSE)
every_delay = pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
"""All pairs of delays of a round, or every third: both delays take all values."""
LINE_C, LINE_X, LINE_Y = 3, 4, 5


@every_delay
def test_a_jump_leaves_the_order_that_spinning_leaves(step):
    """Of five lines that fit, those that no round used give way first, then the begun one's rest.

    x was stored to before y; of the round that is begun when b is taken away, c has not come yet.
    """
    for lead_ps in ROUND:
        for taken_ps in ROUND[lead_ps % step :: step]:
            spinner = Spinner(lead_ps=1 + lead_ps, taken_ps=LONG + taken_ps)
            pair = agreed(spinner, private_sets=1, private_ways=5)
            assert idle_rows(pair) > 0
            assert [(LINE_X, 1), (LINE_Y, 1), (LINE_C, 0)] == evicted(pair)


@every_delay
@pytest.mark.parametrize("l1_ways", [3, 4, 5])
def test_a_jump_leaves_in_l1_what_spinning_leaves(l1_ways, step):
    """The order of use in L1 too; and a round whose line a store pushed out of it is not idle."""
    l1 = {"l1_sets": 1, "l1_ways": l1_ways, "private_hit_ps": 9}
    for lead_ps in ROUND:
        for taken_ps in ROUND[lead_ps % step :: step]:
            spinner = Spinner(lead_ps=1 + lead_ps, taken_ps=LONG + taken_ps)
            pair = agreed(spinner, private_sets=1, private_ways=8, **l1)
            assert idle_rows(pair) > 0
            assert [] == evicted(pair)


# What is modified


class WritesACleanLine(Workload):
    """CPU 0 has line a exclusive and clean, writes it or not, gives it up, and reads it once more.

    Arguments:
        how: 0 does not write; 1 a store that takes effect at once; 2 one that is drained behind
            another; 3 swap; 4 a compare_swap that fails.
        shared: whether CPU 1 reads the line, and gives it up, before CPU 0 does.
    """

    how = param(0)
    shared = param(0)
    a = word(padded=True)
    x = word(padded=True)
    b = word(padded=True)
    c = word(padded=True)

    def thread(self):
        if cpu() == 1:
            if self.shared:
                yield compute(LONG)
                yield self.a.load(RELAXED)
                yield self.b.load(RELAXED)
                yield self.c.load(RELAXED)
            return
        yield self.a.load(RELAXED)
        if self.how == 1:
            yield self.a.store(1, RELAXED)
        elif self.how == 2:
            yield self.x.store(1, RELAXED)
            yield self.a.store(1, RELAXED)
        elif self.how == 3:
            yield self.a.swap(1)
        elif self.how == 4:
            yield self.a.compare_swap(7, 8)
        yield compute(2 * LONG)
        for _ in range(2):
            yield self.b.load(RELAXED)
            yield self.c.load(RELAXED)
            yield self.a.load(RELAXED)


@pytest.mark.parametrize("shared", [0, 1])
@pytest.mark.parametrize(
    ("how", "modified"),
    [(0, 0), (1, 1), (2, 1), (3, 1), (4, 1)],
    ids=["read", "store", "drained", "swap", "failed-swap"],
)
def test_what_was_written_is_written_back(how, modified, shared):
    """Every kind of write leaves the line modified, until somebody else or memory has it too."""
    pair = agreed(WritesACleanLine(how=how, shared=shared), private_sets=1, private_ways=2)
    written_back = [back for line, back in evicted(pair) if line == LINE_A]
    assert ([0, 0, 0] if shared else [modified, 0]) == written_back


# The way back


class GivesUp(Workload):
    """CPU 2, of node 1, gives up a modified line of node 0's; the others ask for lines meanwhile.

    Arguments:
        asked_ps: when they ask for their own; CPU 0 asks for the line that is given up after that.
        writes: whether CPU 0 writes it, or reads it.
    """

    asked_ps = param(0)
    writes = param(0)
    a = word(padded=True)
    own = percpu(word())

    def thread(self):
        if cpu() == 2:
            yield self.a.fetch_add(1)
            yield self.own[2].load(RELAXED)
            return
        yield compute(self.asked_ps)
        yield self.own[cpu()].load(RELAXED)
        if cpu() == 0:
            if self.writes:
                yield self.a.fetch_add(1)
            else:
                yield self.a.load(RELAXED)


@pytest.mark.covering("bus_kind", "writes")
@pytest.mark.parametrize("writes", [0, 1], ids=["read", "write"])
@pytest.mark.parametrize("bus_kind", [0, 1, 2], ids=["no bus", "a bus a node", "one bus"])
def test_a_line_written_back_goes_by_bus_and_takes_its_time(bus_kind, writes):
    """Whenever others ask, for the buses or for the line: both engines let them wait alike.

    Some ask while the line's tenure lasts, and are in its queue when it is given up.
    """
    given_up_ps, bus_ps, tenure_ps = MEMORY_FAR + RMW, 50, 100
    for asked_ps in range(given_up_ps - MEMORY - 2 * bus_ps, given_up_ps + MEMORY_FAR, 10):
        pair = agreed(
            GivesUp(asked_ps=asked_ps, writes=writes),
            cpus=4,
            bus_kind=bus_kind,
            bus_ps=bus_ps,
            tenure_ps=tenure_ps,
            private_sets=1,
            private_ways=1,
        )
        assert [(LINE_A, 1)] == evicted(pair)[:1]
