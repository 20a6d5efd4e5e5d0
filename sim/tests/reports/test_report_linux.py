"""Linux's own two: /proc/lock_stat and perf lock contention."""

import pytest
from reports.samples import LOCK_STAT, PERF, PERF_LOCKS

from locksim.reports import detect, lock_stat, perf_lock
from locksim.reports.errors import ReportError


def test_lock_stat_has_sides_and_callers():
    """A class with readers is two rows; the first block below are those who waited."""
    (table,) = lock_stat.parse(LOCK_STAT)
    assert [
        "&s->list_lock (write)",
        "&s->list_lock (read)",
        "&s->list_lock (write), from insert+0x1c/0x90",
        "&s->list_lock (write), from remove+0x30/0x70",
        "&(&d->lock)->rlock",
    ] == [row.label for row in table.rows]
    assert [
        "*WARNING* lock debugging disabled!! - possibly due to a lockdep warning"
    ] == table.notes
    row = table.rows[0]
    assert (20, 1000, 0.02, 3000, 60_000, 500) == pytest.approx(
        (row.contended, row.total, row.con, row.wait_ns, row.wait_total_ns, row.hold_ns)
    )


def test_lock_stat_knows_shares_of_time_from_the_window():
    """Who tells the window and the CPUs gets UTIL and % CPU; a reader's UTIL can not be told."""
    table = lock_stat.parse(LOCK_STAT, cpus=4, window_ns=1e6)[0]
    write, read = table.locks[:2]
    assert (0.5, 0.015) == pytest.approx((write.util, write.cpu_share))
    assert (None, 0.0) == (read.util, read.cpu_share)


def test_version_0_3_has_no_averages():
    """Ten columns; the means follow from totals and counts."""
    text = (
        "lock_stat version 0.3\n"
        "      a_lock:   10   20   0.50   9.00   60.00   100   1000   0.10   20.00   500.00\n"
    )
    (row,) = lock_stat.parse(text)[0].rows
    assert (3000, 500) == pytest.approx((row.wait_ns, row.hold_ns))


def test_perf_reads_units_and_skips_chains():
    """Places that waited, with their kind; call chains and perf's own tail are no rows."""
    (table,) = perf_lock.parse(PERF)
    assert ["insert+0x1c", "remove+0x30 (write)", "scan+0x60 (read)"] == [
        row.label for row in table.rows
    ]
    assert [1.5e6, 2e4, 2.5e9] == pytest.approx([row.wait_total_ns for row in table.rows])
    assert ["spinlock", "rwlock:W", "rwsem:R"] == [row.type for row in table.rows]


def test_perf_by_lock_has_symbols():
    """Perf lock contention -l: the lock's name, its kind in brackets."""
    (table,) = perf_lock.parse(PERF_LOCKS, cpus=2, window_ns=1e6)
    assert [("task_lock", "mutex"), ("&slab-512", "spinlock")] == [
        (row.name, row.type) for row in table.rows
    ]
    assert 1950 / 1e6 / 2 == pytest.approx(table.rows[0].cpu_share)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LOCK_STAT.replace("0.4", "0.9", 1), "lock_stat version 0.9: known are 0.3, 0.4"),
        (LOCK_STAT.replace("        60.00", ""), "line 7: 11 numbers where a lock's 12 are due"),
        (LOCK_STAT.replace("          50", " fifty"), "line 17: no row where a lock's 12"),
        ("lock_stat version 0.4\n", "the table has no lock"),
        (PERF.replace("1.50 ms", "1.50 ly"), "line 3: no row of perf lock contention"),
        (PERF.partition("\n")[0] + "\n", "nothing was contended"),
        ("hello", "the text is none of the known formats"),
    ],
)
def test_bad_text_is_refused(text: str, message: str):
    """What, where, how to mend."""
    with pytest.raises(ReportError) as caught:
        detect.parse(text)
    assert str(caught.value).startswith(message)
    assert "\nmend: " in str(caught.value)


def test_unknown_format_is_refused():
    """With those that there are."""
    with pytest.raises(ReportError, match="no format 'dtrace': there are lockmeter, lock_stat"):
        detect.parse("", "dtrace")
