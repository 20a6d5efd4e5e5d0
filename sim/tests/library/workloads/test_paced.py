"""The rhythm of plain loads: distributions, open arrivals, bursts; what locks make of them."""

from itertools import groupby

import numpy as np
import pytest

from locksim import simulate
from locksim.core.result import SimulationError
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.paced import (
    BIMODAL,
    CLOSED,
    CONSTANT,
    EXPONENTIAL,
    OPEN,
    UNIFORM,
    Paced,
)
from locksim.library.workloads.readers_writers import ReadersWriters

MEAN = 1000
US = 1_000_000


@pytest.mark.covering("times", "of")
@pytest.mark.parametrize(
    ("times", "variation"), [(CONSTANT, 0.0), (UNIFORM, 0.577), (EXPONENTIAL, 1.0), (BIMODAL, 1.5)]
)
@pytest.mark.parametrize("of", ["hold", "think"])
def test_every_distribution_has_its_mean_and_variation(interleave, times, variation, of):
    """Of holds as of thinking: the mean asked for, and the coefficient of variation stated."""
    load = Paced(**{"think_ps": 0, f"{of}_ps": MEAN, f"{of}_times": times})
    run = interleave(load, 1, 3, steps=20_000, finite=False)
    drawn = np.array([op.a for _, op in run.performed if op.kind == Kind.COMPUTE][1:])
    assert len(drawn) > 5_000
    assert MEAN == pytest.approx(drawn.mean(), rel=0.05)
    assert variation == pytest.approx(drawn.std() / drawn.mean(), abs=0.05)


def test_a_burst_comes_without_pauses_and_has_the_same_rate(interleave):
    """Sections in fives, and between them a pause of five times the mean."""
    load = Paced(hold_ps=7, think_ps=MEAN, think_times=CONSTANT, burst=5)
    run = interleave(load, 1, 1, steps=2_000, finite=False)
    work = [op.a for _, op in run.performed if op.kind == Kind.COMPUTE][1:]
    sections = [(value, len(list(same))) for value, same in groupby(work)]
    assert {(7, 5), (5 * MEAN, 1)} == set(sections[:-1])


def _rate(workload, cpus: int) -> float:
    """Sections a microsecond, all CPUs together."""
    found = simulate(workload, machine="ideal-8", cpus=cpus, operations=2_000, replications=3)
    return found.throughput().mean / 1e6


def test_an_open_load_gets_what_it_offers():
    """Below saturation the rate is that of the arrivals, holds or not; a closed load's is less."""
    times = {"hold_ps": US // 4, "think_ps": US, "words": 0}
    assert 2.0 == pytest.approx(_rate(CriticalSection(arrivals=OPEN, **times), 2), rel=0.06)
    assert _rate(CriticalSection(**times), 2) < 1.7


def test_an_open_load_beyond_saturation_gets_what_the_lock_gives():
    """Four CPUs that offer eight sections a microsecond to a lock that is held for a quarter."""
    times = {"hold_ps": US // 4, "words": 0}
    offered = CriticalSection(lock=MCSLock, arrivals=OPEN, think_ps=US // 2, **times)
    at_once = CriticalSection(lock=MCSLock, think_ps=0, **times)
    assert _rate(at_once, 4) == pytest.approx(_rate(offered, 4), rel=0.03)


def _waited(workload) -> float:
    """Time spent waiting for the lock, as a share of all CPUs' time."""
    found = simulate(workload, machine="ideal-8", cpus=4, operations=1_000, replications=3)
    return float(found.by_lock()["cpu_share"].iloc[0])


def test_holds_that_vary_make_others_wait():
    """At one offered rate and one mean hold."""
    load = {"lock": MCSLock, "arrivals": OPEN, "hold_ps": US // 4, "think_ps": 4 * US, "words": 0}
    even = _waited(CriticalSection(**load))
    varied = _waited(CriticalSection(hold_times=BIMODAL, **load))
    assert 1.2 * even < varied


def test_readers_and_writers_arrive_too():
    """The mix is one of whoever asks: as many writes as were asked for, at the offered rate."""
    load = ReadersWriters(
        lock=ReaderPreferenceRWLock, read_percent=75, arrivals=OPEN, think_ps=US, hold_ps=US // 20
    )
    found = simulate(load, machine="ideal-8", cpus=2, operations=2_000, replications=3)
    totals = found.by_lock().set_index("side")["total"]
    assert 0.75 == pytest.approx(totals["read"] / totals.sum(), abs=0.02)
    assert 2.0 == pytest.approx(found.throughput().mean / 1e6, rel=0.06)


@pytest.mark.parametrize("times", [CONSTANT, UNIFORM, EXPONENTIAL, BIMODAL])
def test_without_thinking_open_and_closed_are_the_same(interleave, times):
    """Whoever asks all the time never waits for his next request."""
    settings = {"think_ps": 0, "think_times": times, "hold_ps": 7}
    closed, opened = (
        interleave(Paced(arrivals=a, **settings), 1, 2, steps=200, finite=False).performed
        for a in (CLOSED, OPEN)
    )
    assert [op.kind for _, op in closed] == [op.kind for _, op in opened]


def test_an_empty_burst_is_refused(interleave):
    """Nobody can come in bursts of none."""
    with pytest.raises((AssertionError, SimulationError)):
        interleave(Paced(burst=0), 1, 0, steps=10, finite=False)


def test_one_unit_of_work_is_one_section(interleave):
    """Also in a burst."""
    run = interleave(CriticalSection(burst=3), 2, 4, steps=3_000, finite=False)
    entered = len(run.marks(Mark.ACQUIRED))
    assert 0 <= entered - len(run.marks(Mark.DONE)) <= 2
