"""What is written is read back: a simulated run as perf lock contention, as lock_stat."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.library.locks.mcs import MCSLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.readers_writers import ReadersWriters
from locksim.study.reports import detect
from locksim.study.reports.formats import WRITERS, formats
from locksim.study.reports.gain import waited
from locksim.study.reports.identities import check
from locksim.study.reports.limits import beyond
from locksim.study.reports.table import LockRow, LockTable, of_meter
from locksim.study.simulation import simulate

TIMES_NS = st.floats(10, 1e12, allow_subnormal=False)
COUNTS = st.integers(2, 10**9)


def test_every_written_format_is_read():
    """And is in the list that a user sees."""
    assert set(WRITERS) <= set(detect.FORMATS)
    assert set(WRITERS) == {one.name for one in formats() if one.written}
    assert set(detect.FORMATS) == {one.name for one in formats()}


@given(
    rows=st.lists(st.tuples(COUNTS, COUNTS, TIMES_NS, TIMES_NS), min_size=1, max_size=4),
    side=st.sampled_from(["spin", "read", "write"]),
)
def test_lock_stat_is_read_back(rows: list[tuple[int, int, float, float]], side: str):
    """Counts exactly, times to the last printed digit; shortest times and bounces are missing."""
    table = LockTable("native", [lock(i, *row, side) for i, row in enumerate(rows)])
    (found,) = detect.parse(WRITERS["lock_stat"](table))
    assert [row.label for row in table.rows] == [row.label for row in found.rows]
    for made, read in zip(table.rows, found.rows, strict=True):
        assert (made.contended, made.total) == (read.contended, read.total)
        for name in ("wait_ns", "wait_max_ns", "hold_ns", "hold_max_ns", "wait_total_ns"):
            assert getattr(made, name) == pytest.approx(getattr(read, name), abs=5.01, rel=1e-12)
        missing = ("wait_min_ns", "hold_min_ns", "contended_bounces", "acquired_bounces")
        assert [None] * 4 == [getattr(read, name) for name in missing]


@given(rows=st.lists(st.tuples(COUNTS, COUNTS, TIMES_NS, TIMES_NS), min_size=1, max_size=4))
def test_perf_is_read_back(rows: list[tuple[int, int, float, float]]):
    """Counts exactly, times to three digits; the longest waits first."""
    table = LockTable("native", [lock(i, *row, "write") for i, row in enumerate(rows)])
    (found,) = detect.parse(WRITERS["perf"](table))
    made = {row.name: row for row in table.rows}
    assert set(made) == {row.name for row in found.rows}
    totals = [row.wait_total_ns or 0 for row in found.rows]
    assert sorted(totals, reverse=True) == pytest.approx(totals, rel=0.01)
    for read in found.rows:
        assert ("rwlock:W", "write", made[read.name].contended) == (
            read.type,
            read.kind,
            read.contended,
        )
        for name in ("wait_ns", "wait_max_ns", "wait_total_ns"):
            assert getattr(made[read.name], name) == pytest.approx(getattr(read, name), rel=0.006)


def lock(i: int, contended: int, more: int, wait_ns: float, hold_ns: float, kind: str) -> LockRow:
    """A row with every value that a meter has."""
    total = contended + more
    return LockRow(
        f"lock_{i}",
        kind,  # type: ignore[arg-type]
        total=total,
        contended=contended,
        wait_ns=wait_ns,
        wait_max_ns=2 * wait_ns,
        wait_total_ns=wait_ns * contended,
        hold_ns=hold_ns,
        hold_max_ns=3 * hold_ns,
    )


@pytest.mark.parametrize("name", sorted(WRITERS))
@pytest.mark.parametrize("workload", [CriticalSection(lock=MCSLock), ReadersWriters()])
def test_a_simulated_run_is_read_back(name: str, workload: CriticalSection | ReadersWriters):
    """With the same waits, and no equation broken, nothing beyond a limit."""
    run = simulate(workload, machine="ideal-4", operations=20, replications=2)
    window_ns = sum(r.window_ps for r in run.replications) / 1e3
    table = of_meter(run.meters(), source="simulated", cpus=4, window_ns=window_ns)
    (found,) = detect.parse(WRITERS[name](table), cpus=4, window_ns=window_ns)
    waits = {row.label: waited(row) for row in table.rows if waited(row)}
    assert waits
    assert set(waits) <= {row.label for row in found.rows}
    for row in found.rows:
        assert waits.get(row.label, 0.0) == pytest.approx(waited(row), rel=0.1)
    assert ([], []) == (check(found).breaches, beyond(found))
