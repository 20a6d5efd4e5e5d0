"""simulate(): replications, intervals, steady state, and what is refused."""

import dataclasses

import numpy as np
import pytest
from spinners import Hoarder, TakenTwice, Turns

from locksim import simulate
from locksim.core.result import DeadlockError, SimulationError
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS
from locksim.lang import Workload, array, compute, done, param, pause, random_below, word
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.machine import MachineError
from locksim.study import simulation
from locksim.study.simulation import TIMES, Interval, Replication, Simulation, interval

CONTENDED = CriticalSection(lock=TicketLock, think_ps=200_000)
QUICK = {"machine": "desktop-4", "operations": 40, "warmup": 10}


class Clock(Workload):
    """One unit of work every so many picoseconds, exactly, on every CPU."""

    unit_ps = param(1_000)
    idle = word()

    def thread(self):
        while True:
            yield compute(self.unit_ps)
            yield done()


class Idle(Workload):
    """Never does a unit of work, but moves all the time."""

    count = word()

    def thread(self):
        while True:
            yield self.count.fetch_add(1)
            yield pause()


class Finite(Workload):
    """Returns after some units of work."""

    units = param(30)
    count = word()

    def thread(self):
        for _ in range(self.units):
            yield compute(1_000_000)
            yield done()


def counts(result: Simulation) -> list[list[int]]:
    """All counters of all replications."""
    return [r.cpu.ravel().tolist() for r in result.replications]


def test_a_clock():
    """What is known beforehand is measured: a unit of work takes what it computes."""
    result = simulate(Clock(), **QUICK)
    assert 4 == result.cpus
    assert pytest.approx(1000, rel=0.02) == result.operation_ps().mean
    assert pytest.approx(4e9, rel=0.02) == result.throughput().mean
    assert pytest.approx(1000, rel=0.02) == result.per_operation("compute_ps").mean
    assert 0 == result.transactions().mean
    assert pytest.approx(1, rel=0.02) == result.fairness().mean


def test_the_window():
    """At least as many units as asked for are measured, and they are all in the window."""
    result = simulate(CONTENDED, replications=3, **QUICK)
    finished = CPU_COUNTERS.index("done")
    for r in result.replications:
        assert 4 * QUICK["operations"] <= r.cpu[:, finished].sum()
        assert 0 < r.window_ps
        assert r.cpu[:, finished].sum() == pytest.approx(
            r.locks[0, LOCK_COUNTERS.index("total")], abs=4
        )


def test_seeds():
    """The same seed gives the same counts; replication k has the seed seed + k."""
    first = simulate(CONTENDED, replications=3, seed=7, **QUICK)
    assert first == dataclasses.replace(first)
    assert counts(first) == counts(simulate(CONTENDED, replications=3, seed=7, **QUICK))
    assert [7, 8, 9] == [r.seed for r in first.replications]
    assert counts(first)[1:] == counts(simulate(CONTENDED, replications=2, seed=8, **QUICK))
    assert counts(first)[0] != counts(first)[1]


def test_intervals():
    """Mean and Student's t interval, by hand: t(0.975, 2) = 4.302653."""
    found = interval([1.0, 2.0, 3.0])
    assert 2.0 == found.mean
    assert pytest.approx(2 - 4.302653 / 3**0.5, rel=1e-6) == found.low
    assert pytest.approx(2 + 4.302653 / 3**0.5, rel=1e-6) == found.high


def test_one_replication_has_no_interval():
    """Low and high are NaN where nothing is known of the spread."""
    found = simulate(CONTENDED, replications=1, **QUICK).throughput()
    assert found.mean > 0
    assert np.isnan(found.low)
    assert np.isnan(found.high)


def test_intervals_hold_the_mean():
    """The interval of a measured quantity encloses its mean, and is narrow for a steady one."""
    found = simulate(CONTENDED, **QUICK).throughput()
    assert found.low < found.mean < found.high
    assert found.high - found.low < found.mean


def test_frames():
    """Summary, one row a CPU and replication, one row a lock."""
    result = simulate(CONTENDED, replications=2, **QUICK)
    assert ["measure", "mean", "low", "high", "unit"] == list(result.summary().columns)
    by_cpu = result.by_cpu()
    assert (8, {1, 2}) == (len(by_cpu), set(by_cpu["seed"]))
    assert [*CPU_COUNTERS] == [c for c in by_cpu.columns if c in CPU_COUNTERS]
    (row,) = result.by_lock().to_dict("records")
    assert ("lock", "write", 0) == (row["lock"], row["side"], row["violations"])
    assert 0 < row["util"] <= 1
    assert 0 <= row["con"] <= 1
    assert row["hold_ns"] <= row["hold_max_ns"]


def test_times_are_the_meters_of_each_replication():
    """Their mean over the replications; NaN for the side that no thread took."""
    result = simulate(CONTENDED, replications=2, **QUICK)
    alone = [dataclasses.replace(result, replications=[r]) for r in result.replications]
    one, other = (run.by_lock().to_dict("records")[0] for run in alone)
    found = result.times()
    assert list(TIMES) == list(found)
    for name in ("hold_p50_ns", "wait_p90_ns", "wait_p99_ns", "hold_p999_ns"):
        assert (one[name] + other[name]) / 2 == found[name] > 0
    assert all(np.isnan(ns) for name, ns in found.items() if name.startswith("read_"))


def test_progress():
    """Progress is reported from 0 to 1 and names the replication."""
    reports = []
    simulate(Clock(), replications=2, progress=lambda *r: reports.append(r), **QUICK)
    assert all(0 <= fraction <= 1 for _, fraction in reports)
    assert all(text.startswith("replication ") for text, _ in reports)


def interrupted_after(monkeypatch, n):
    """Make the n-th replication (from 0) be interrupted, as by Ctrl-C."""
    real, begun = simulation._replicate, []

    def replicate(*args):
        if len(begun) == n:
            raise KeyboardInterrupt
        begun.append(args)
        return real(*args)

    monkeypatch.setattr(simulation, "_replicate", replicate)


def test_an_interrupted_run_keeps_what_it_has(monkeypatch):
    """After Ctrl-C the finished replications are there, and the result says so."""
    expected = counts(simulate(CONTENDED, replications=2, **QUICK))
    interrupted_after(monkeypatch, 2)
    result = simulate(CONTENDED, replications=5, **QUICK)
    assert not result.complete
    assert expected == counts(result)
    assert result.throughput().low < result.throughput().high


def test_an_interruption_before_anything_is_measured(monkeypatch):
    """Ctrl-C in the first replication goes on to the caller."""
    interrupted_after(monkeypatch, 0)
    with pytest.raises(KeyboardInterrupt):
        simulate(CONTENDED, **QUICK)


@pytest.mark.parametrize("cpus", [0, -1, 5, 100_000])
def test_cpus_that_are_not_there(cpus):
    """The message tells how many the machine has."""
    with pytest.raises(MachineError, match=f"desktop-4 has 4 CPUs; asked for {cpus}"):
        simulate(CONTENDED, cpus=cpus, **QUICK)


@pytest.mark.parametrize(
    "wrong", [{"replications": 0}, {"operations": 0}, {"warmup": -1}], ids=lambda w: next(iter(w))
)
def test_settings_that_make_no_sense(wrong):
    """The message names the settings."""
    with pytest.raises(SimulationError, match="at least 1 replication and 1 operation"):
        simulate(CONTENDED, **(QUICK | wrong))


def test_a_workload_that_never_does_a_unit_of_work():
    """It is given up as a livelock after the simulated time allowed."""
    with pytest.raises(DeadlockError, match="livelock at 50 µs: the threads only wait") as caught:
        simulate(Idle(), longest_ps=50_000_000, **QUICK)
    assert 4 == str(caught.value).count("test_simulation.py:")


def test_a_workload_that_stops_doing_work():
    """A livelock that begins after the warm-up is found as well."""

    class Stops(Idle):
        def thread(self):
            for _ in range(30):
                yield compute(1_000_000)
                yield done()
            while True:
                yield self.count.fetch_add(1)

    with pytest.raises(DeadlockError, match="livelock"):
        simulate(Stops(), longest_ps=60_000_000, machine="desktop-4", operations=50, warmup=30)


def test_a_deadlock():
    """A lock taken twice is reported with lock, place and threads."""
    with pytest.raises(DeadlockError, match=r"spins on lock.locked \(=1\) at ttas.py"):
        simulate(TakenTwice(), **QUICK)


def test_threads_that_return_too_early():
    """A workload that ends in the warm-up is refused with the mend."""
    with pytest.raises(SimulationError, match="before the warm-up of 40 was over") as caught:
        simulate(Hoarder(), **QUICK)
    assert "help: let thread() loop forever" in str(caught.value)


def test_threads_that_return_in_the_window():
    """What was done until the end is measured."""
    result = simulate(Finite(), replications=2, **QUICK)
    finished = CPU_COUNTERS.index("done")
    assert all(0 < r.cpu[:, finished].sum() <= 4 * 20 for r in result.replications)


def test_placements_and_machines():
    """A machine may be an object; a placement a list, which the result names."""
    compact = simulate(CONTENDED, machine="xeon-8176-8x28", cpus=2, replications=2)
    listed = simulate(
        CONTENDED, machine="xeon-8176-8x28", cpus=2, placement=[0, 28], replications=2
    )
    assert ("compact", "0,28") == (compact.placement, listed.placement)
    assert compact.throughput().mean > listed.throughput().mean


def test_a_contended_lock_is_slower_for_each():
    """Four CPUs at one lock: each unit takes longer than alone, and moves lines."""
    alone = simulate(CriticalSection(lock=TTASLock, think_ps=1000), cpus=1, **QUICK)
    crowd = simulate(CriticalSection(lock=TTASLock, think_ps=1000), cpus=4, **QUICK)
    assert alone.operation_ps().mean * 2 < crowd.operation_ps().mean
    assert alone.transactions().mean < 0.1 < crowd.transactions().mean


def test_turns_are_fair():
    """CPUs that take turns do equally much."""
    assert simulate(Turns(), **QUICK).fairness().mean > 0.9


def test_percentiles_lie_between_the_shortest_and_the_longest():
    """In the meters of a contended lock: they rise, and their last is the longest or less."""
    row = simulate(CriticalSection(lock=TicketLock), **QUICK).meters()[0]
    for what in ("hold", "wait"):
        found = [row[f"{what}_{name}_ns"] for name in ("p50", "p90", "p99", "p999")]
        assert found == sorted(found)
        assert 0 < found[0] <= found[-1] <= row[f"{what}_max_ns"]
    assert row["wait_p50_ns"] < row["wait_p999_ns"]


def test_per_operation_by_hand():
    """Ratios are of the sums over all CPUs."""
    cpu = np.zeros((2, len(CPU_COUNTERS)), np.int64)
    cpu[:, CPU_COUNTERS.index("done")] = [3, 1]
    cpu[:, CPU_COUNTERS.index("loads")] = [10, 2]
    one = Replication(1, 8_000, cpu, np.zeros((0, len(LOCK_COUNTERS)), np.int64), np.array([0, 6]))
    result = Simulation("m", 2, "compact", [], [one, one])
    assert Interval(3.0, 3.0, 3.0) == result.per_operation("loads")
    assert 4_000 == result.operation_ps().mean
    assert 5e8 == result.throughput().mean
    assert 1.5 == result.transactions().mean
    assert 1 / 3 == result.fairness().mean


class Table(Workload):
    """Every unit of work reads a line of a table by chance."""

    rows = array(4_000, word(padded=True))

    def thread(self):
        while True:
            yield self.rows[random_below(4_000)].load()
            yield done()


def test_a_large_table_is_still_warming():
    """Few accesses hit at first; a lock's lines, and a table that was read, are there."""
    options = {"machine": "desktop-4", "cpus": 2, "replications": 2}
    assert simulate(Table(), **options).warming
    assert not simulate(Table(), **options, warmup=30_000).warming
    assert not simulate(CONTENDED, **options).warming


def test_copies_are_counted_at_start_middle_and_end():
    """Each of two CPUs reads new lines at the pace of its units of work."""
    (one,) = simulate(Table(), machine="desktop-4", cpus=2, replications=1).replications
    begin, middle, end = one.copies
    assert begin < middle < end
    assert end - begin <= int(one.lines.sum())
