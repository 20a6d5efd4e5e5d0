"""The shared queue of processes: none is lost, none runs twice at a time, shares are equal."""

import pytest
from engine.engine_pair import compare, run_pair

from locksim import machine
from locksim.engine.fast.engine import Session
from locksim.engine.prepared import prepare
from locksim.lang import (
    NS,
    RELAXED,
    Workload,
    array,
    compute,
    done,
    param,
    part,
    random_below,
    word,
)
from locksim.library.kernel.fair_queue import FairQueue

MOST = 64


class Crowd(Workload):
    """Processes that run a slice each time, for ever."""

    processes = param(6)
    slice_ps = param(2000 * NS)
    queue = part(FairQueue, padded=True)
    running = array(MOST, word())
    slices = array(MOST, word())

    def setup(self):
        for i in range(self.processes):
            yield from self.queue.put(i)

    def thread(self):
        while True:
            me = yield from self.queue.take()
            assert (yield self.running[me].fetch_add(1, RELAXED)) == 0
            yield compute(self.slice_ps + random_below(1000))
            yield self.slices[me].fetch_add(1, RELAXED)
            yield self.running[me].fetch_add(-1, RELAXED)
            yield done()
            yield from self.queue.put(me)


class Rounds(Crowd):
    """The same, for so many slices of each CPU."""

    rounds = param(20)

    def thread(self):
        for _ in range(self.rounds):
            me = yield from self.queue.take()
            assert (yield self.running[me].fetch_add(1, RELAXED)) == 0
            yield self.slices[me].fetch_add(1, RELAXED)
            yield self.running[me].fetch_add(-1, RELAXED)
            yield from self.queue.put(me)


@pytest.mark.covering("seed", "processes")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("processes", [4, 9])
def test_no_process_is_lost_or_doubled(interleave, processes, seed):
    """All slices are counted, in random interleavings, and all processes are back in the queue."""
    run = interleave(Rounds(processes=processes), 3, seed)
    slices = [run.word(run.root.slices[i]) for i in range(processes)]
    assert 3 * 20 == sum(slices)
    assert processes == run.word(run.root.queue.length)


@pytest.mark.parametrize(("cpus", "processes"), [(4, 6), (4, 4), (8, 3), (3, 20)])
def test_shares_are_equal(cpus, processes):
    """Every process gets as many slices as any other, to within two."""
    tables = machine.load("westmere-ex-8x10").tables(cpus)
    image, memory = prepare(Crowd(processes=processes), tables)
    session = Session(image, memory, tables, seed=1)
    session.advance(400_000_000)
    slices = [session.word(int(memory.root.slices[i])) for i in range(processes)]
    assert min(slices) > 10
    assert max(slices) - min(slices) <= 2 + max(slices) // 20


@pytest.mark.parametrize(("cpus", "processes"), [(4, 6), (6, 3)])
def test_both_engines_agree(cpus, processes):
    """With more processes than CPUs, and with idle CPUs that are woken."""
    tables = machine.load("westmere-ex-8x10").tables(cpus)
    compare(run_pair(Crowd(processes=processes), tables, seed=2, until_ps=60_000_000))
