"""Values that no machine can produce, and bounds on what a row can matter."""

import pytest

from locksim.study.reports import detect
from locksim.study.reports.gain import bounds
from locksim.study.reports.limits import beyond
from locksim.study.reports.table import LockRow, LockTable

HEADING = " contended   total wait     max wait     avg wait         type   caller\n\n"


def limits(text: str, **known: float) -> list[str]:
    """What is beyond a limit in a text's tables."""
    tables = detect.parse(text, **known)  # type: ignore[arg-type]
    return [one.says for table in tables for one in beyond(table)]


def test_spins_of_more_than_all_cpus_are_found():
    """Two CPUs can spin for two seconds in a second; a mutex's waits are no CPU time."""
    row = "  9   {} s   1.00 ms   1.00 ms   {}   place+0x1\n"
    known = {"cpus": 2, "window_ns": 1e9}
    assert ["spin waits of 2.5 s together are more than all CPUs' time, 2 x 1 s"] == limits(
        HEADING + row.format("2.50", "spinlock"), **known
    )
    assert [] == limits(HEADING + row.format("1.90", "spinlock"), **known)
    assert [] == limits(HEADING + row.format("2.50", "mutex"), **known)


def test_long_spins_waits_and_holds_are_found():
    """A spin that no queue explains, a wait above the window, a hold of three weeks."""
    row = "  1   {0}   {0}   {0}   {1}   place+0x1\n"
    spin = HEADING + row.format("20.00 ms", "spinlock")
    assert ["a spin of 0.02 s is longer than a queue of 4 CPUs with sections of 1 ms"] == limits(
        spin, cpus=4
    )
    assert [] == limits(spin, cpus=256)
    assert [] == limits(spin)
    assert [] == limits(HEADING + row.format("9.00 ms", "spinlock"), cpus=4)
    assert [] == limits(HEADING + row.format("20.00 ms", "mutex"), cpus=4)
    assert ["the longest wait, 3 s, is above the window of 2 s"] == limits(
        HEADING + row.format("3.00 s", "mutex"), window_ns=2e9
    )
    hours = (
        "  Caller  Avg Hold  Count  Max Hold  Total Hold\n  f+0x5  5.4 m  5421  491.2 h  491.2 h\n"
    )
    assert ["the longest hold is 491.2 h"] == limits(hours)


def test_a_class_that_is_held_longer_than_the_window_has_several_locks():
    """Hold divided by window is the least number of locks of a class."""
    text = "lock_stat version 0.4\n a: 0 0 0.00 0.00 0.00 0.00 0 8 0.10 9.00 {} 1.00\n"
    known = {"cpus": 8, "window_ns": 1e9}
    (found,) = beyond(detect.parse(text.format("2500000.00"), **known)[0])  # type: ignore[arg-type]
    assert found.means.startswith("the class has 3 locks or more")
    assert [] == limits(text.format("900000.00"), **known)


def test_rows_with_the_same_cut_name_are_told():
    """Perf lock report cuts names; two rows with the same may be two locks."""
    rows = (
        "  Name  acquired  contended\n\n  &dentry->d_lockr...  2  1\n  &dentry->d_lockr...  3  1\n"
    )
    assert ["&dentry->d_lockr... is the cut name of 2 rows"] == limits(rows)


@pytest.mark.parametrize(
    ("waited", "gain", "matters"),
    [(0.0, 0.0, False), (0.03, 0.0075 / 0.9925, False), (2.0, 1.0, True), (4.5, None, True)],
)
def test_a_gain_is_bounded_by_the_waits(waited: float, gain: float | None, matters: bool):
    """Four CPUs for a second; waits in seconds. More than all time has no bound."""
    row = LockRow("a", wait_total_ns=waited * 1e9, util=0.25)
    (found,) = bounds(LockTable("perf", [row], 4, 1e9))
    assert (pytest.approx(gain) if gain is not None else None, 4.0, matters) == (
        found.gain,
        found.ceiling,
        found.can_matter,
    )


def test_without_window_and_cpus_only_shares_of_waits_are_known():
    """They are in order, and no row is called noise."""
    rows = [LockRow("a", wait_total_ns=1.0), LockRow("b", wait_ns=3.0, contended=1)]
    found = bounds(LockTable("perf", rows))
    assert [("b", 0.75, None), ("a", 0.25, None)] == [
        (one.row, one.waiting, one.can_matter) for one in found
    ]


def test_waits_that_cannot_be_bound_nothing():
    """A spin of six seconds on six CPUs is a lost event: the row comes last and counts nowhere."""
    rows = [
        LockRow("lost", type="spinlock", wait_total_ns=6e9, wait_max_ns=6e9),
        LockRow("real", type="spinlock", wait_total_ns=1e9, wait_max_ns=1e6),
    ]
    found = bounds(LockTable("perf", rows, 6, 30e9))
    assert [("real", 1.0, False), ("lost", None, None)] == [
        (one.row, one.waiting, one.can_matter) for one in found
    ]


def test_a_reader_has_no_ceiling_and_neither_has_a_class_of_many():
    """Readers hold together; above 100 % a row is no single lock."""
    rows = [LockRow("a", "read", wait_total_ns=1.0, util=0.5)]
    rows += [LockRow("b", wait_total_ns=1.0, util=3.5)]
    assert [None, None] == [one.ceiling for one in bounds(LockTable("lock_stat", rows))]
