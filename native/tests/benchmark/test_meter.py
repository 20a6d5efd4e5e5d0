"""The lock meter on real cores: lockmeter's columns from sampled times."""

from __future__ import annotations

from math import isclose

from made_up import CELL, measurement, trial

from locknative.benchmark.meter import meter_rows

# Two threads, 1200 + 400 acquisitions in a ms; one sample each: hold 100 ns, wait 510 ns.
ROW = meter_rows(measurement([trial(i, count=1200) for i in range(10)]))[0]


def test_counts() -> None:
    """TOTAL, CON, NOWAIT and SPIN are of all acquisitions."""
    assert (16_000, 0.25, 0.75, 0.25) == (ROW["total"], ROW["con"], ROW["nowait"], ROW["spin"])
    assert isclose(1600 / 1e-3, ROW["per_second"])


def test_times() -> None:
    """HOLD and WAIT are as sampled; they contain the time of the clock, which is in the row."""
    assert (100.0, 100.0) == (ROW["hold_ns"], ROW["hold_max_ns"])
    assert (510.0, 510.0) == (ROW["wait_ns"], ROW["wait_max_ns"])
    assert (10.0, 20) == (ROW["clock_ns"], ROW["samples"])
    assert {"p50", "p90", "p99", "p99.9", "max"} == set(ROW["wait"])
    assert (ROW["hold_p50_ns"], ROW["hold_p999_ns"]) == (ROW["hold"]["p50"], ROW["hold"]["p99.9"])
    assert ROW["wait_p50_ns"] == ROW["wait_ns"]  # each contended wait took as long


def test_shares() -> None:
    """UTIL is hold times TOTAL over the window, without the clock; the wait's share likewise."""
    assert isclose(90e-9 * 16_000 / 10e-3, ROW["util"])
    assert isclose(500e-9 * 4_000 / 20e-3, ROW["cpu_share"])


def test_more_than_there_is_is_no_share() -> None:
    """Sampled holds that would fill the window three times over: one of them was preempted."""
    many = meter_rows(measurement([trial(i, count=500_000) for i in range(10)]))[0]
    assert 90e-9 * many["total"] > 3 * 10e-3
    assert many["util"] is None


def test_sides() -> None:
    """A side that no thread entered has no row, and bare pairs have none at all."""
    found = measurement([trial(i) for i in range(10)])
    assert ["write"] == [row["side"] for row in meter_rows(found)]
    bare = CELL.model_copy(update={"loop": "throughput"})
    assert [] == meter_rows(measurement([trial(i) for i in range(10)], (bare,)))


def test_names_are_the_simulators() -> None:
    """Every column of the simulator's lock meter is there, under the same name."""
    from locksim.library.locks.tas import TASLock
    from locksim.library.workloads.critical_section import CriticalSection
    from locksim.study.simulation import simulate

    simulated = simulate(CriticalSection(lock=TASLock), cpus=2, operations=20, replications=1)
    assert set(simulated.by_lock().columns) <= set(ROW)
