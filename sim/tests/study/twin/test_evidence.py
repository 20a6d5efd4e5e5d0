"""What a table says about one class of locks, and what is refused."""

import re
from dataclasses import replace

import pytest

from locksim.study.reports.detect import read_report
from locksim.study.reports.table import LockRow, LockTable
from locksim.study.twin import evidence
from locksim.study.twin.errors import TwinError
from locksim.study.twin.evidence import evidence_of, same_lock

ROW = LockRow(
    "demo_lock", total=1_000, contended=250, hold_ns=400, wait_ns=800, wait_total_ns=200_000
)


def table(*rows: LockRow, source: str = "lock_stat", **about) -> LockTable:
    """A table of 4 CPUs and one millisecond."""
    return LockTable(source, list(rows), **{"cpus": 4, "window_ns": 1e6} | about)


def test_columns_of_an_exclusive_lock():
    """Rates by the window, shares by the total, means as they are."""
    found = evidence_of([table(ROW)], None, None)
    values = {name: target.value for name, target in found.columns.items()}
    assert {"rate": 1e6, "con": 0.25, "wait": 800, "hold": 400} == values
    assert (None, "qspinlock", False) == (found.reads, found.lock, found.one_lock)


def test_columns_of_both_sides():
    """CON and WAIT are of readers and writers together; each side's own are there for a test."""
    read = replace(ROW, kind="read", total=3_000, contended=150, wait_total_ns=40_000, wait_ns=None)
    found = evidence_of([table(replace(ROW, kind="write"), read)], "demo", None)
    values = {name: target.value for name, target in found.columns.items()}
    assert (0.75, "qrwlock") == (found.reads, found.lock)
    assert (0.1, 600) == (values["con"], values["wait"])
    assert (0.25, 0.05) == (values["write_con"], values["read_con"])


def test_columns_without_acquisitions():
    """A table of perf counts waits alone; the type names the lock."""
    row = replace(ROW, total=None, hold_ns=None, type="mutex")
    found = evidence_of([table(row, source="perf")], None, None)
    assert {"contentions", "wait"} == {*found.columns}
    assert ("mutex", "mutex in the report") == (found.lock, found.why)


def test_one_side_alone_has_no_column_twice():
    """A test by a column that was fitted, under another name, would be none."""
    row = replace(ROW, kind="write", total=None, hold_ns=None, type="rwsem:W")
    found = evidence_of([table(row, source="perf")], None, None)
    assert {"contentions", "wait"} == {*found.columns}


def test_few_waits_are_no_evidence():
    """Rate and hold still are; a table that has waits alone is refused."""
    row = replace(ROW, contended=3, wait_total_ns=2_400)
    found = evidence_of([table(row)], None, None)
    assert found.idle
    assert {"rate", "hold"} == {*found.columns}
    with pytest.raises(TwinError, match="3 waits are too few"):
        evidence_of([table(replace(row, total=None), source="perf")], None, None)


@pytest.mark.parametrize(
    ("about", "option"), [({"cpus": None}, "--cpus"), ({"window_ns": None}, "--window")]
)
def test_what_is_missing_is_asked_for(about, option):
    """The message names the option."""
    with pytest.raises(TwinError, match=f"give {option}$"):
        evidence_of([table(ROW, **about)], None, None)


def test_a_name_must_stand_for_one_row():
    """Not for none, not for several names, and not for several places of one name."""
    other = replace(ROW, name="demo_lock_2")
    assert "demo_lock" == evidence_of([table(ROW, other)], "demo_lock", None).name
    for rows, only, message in (
        ([ROW], "inode", "no row whose name contains 'inode'"),
        ([ROW, other], "demo", "stands for 2 locks\nhelp: write one of 'demo_lock', 'demo_lock_2'"),
        ([ROW, ROW], None, "2 rows in one table"),
    ):
        with pytest.raises(TwinError, match=message):
            evidence_of([table(*rows)], only, None)


LOCKS = [
    replace(ROW, name="node", total=None, type="spinlock", address=f"ffff95334005{n}")
    for n in ("2d00", "4e00")
]
PLACES = [
    replace(ROW, name="llseek+0x31", total=None, kind=kind, type=word)
    for kind, word in (("write", "rwsem:W"), ("read", "rwsem:R"), ("spin", "spinlock"))
]


@pytest.mark.parametrize(
    ("rows", "only", "types"),
    [
        (LOCKS, "ffff953340052d00", ["spinlock"]),
        (LOCKS, "4e00 node", ["spinlock"]),
        (PLACES, "spinlock llseek", ["spinlock"]),
        (PLACES, "llseek+0x31 (rwsem:W)", ["rwsem:W"]),
        (PLACES, "rwsem llseek", ["rwsem:W", "rwsem:R"]),
        (PLACES, "rwsem:R llseek+0x31", ["rwsem:R"]),
    ],
)
def test_words_of_address_type_and_name_choose_a_lock(rows, only, types):
    """Locks of one symbol differ by address, and those of one place by their type."""
    _, found = evidence.lock_rows([table(*rows, source="perf")], only)
    assert types == [row.type for row in found]


@pytest.mark.parametrize(
    ("rows", "only", "first"),
    [(LOCKS, "node", "ffff953340052d00 node"), (PLACES, "llseek", "rwsem llseek+0x31")],
)
def test_what_chooses_one_of_several_locks_is_listed(rows, only, first):
    """The refusal lists texts that work."""
    with pytest.raises(TwinError, match=f"write one of '{re.escape(first)}', ") as caught:
        evidence_of([table(*rows, source="perf")], only, None)
    for one in re.findall("'(.*?)'", str(caught.value)):
        assert evidence.lock_rows([table(*rows, source="perf")], one)


def test_a_row_of_one_address_is_one_lock():
    """It need not be said again."""
    assert evidence_of([table(*LOCKS, source="perf")], "2d00", None).one_lock


def test_waits_of_more_than_all_cpus_are_refused():
    """Four CPUs have 4 ms in a millisecond, as threads of a twin on each."""
    row = replace(ROW, wait_total_ns=4.5e6)
    with pytest.raises(
        TwinError, match=r"waits of 0\.0045 s are more than 4 CPUs have in 0\.001 s"
    ):
        evidence_of([table(row)], None, None)


def test_warnings_of_the_report_go_with_the_row():
    """Those of another row do not."""
    long = replace(ROW, wait_max_ns=9e8, type="spinlock")
    found = evidence_of([table(long, replace(long, name="other"), window_ns=1e9)], "demo", None)
    (warning,) = found.warnings
    assert warning.startswith("demo_lock: a spin of 0.9 s is longer than a queue of 4 CPUs")


def test_two_locks_are_not_compared():
    """A difference between two locks says nothing about a change."""
    one = evidence_of([table(ROW)], None, None)
    with pytest.raises(TwinError, match="these are different locks"):
        same_lock(one, replace(one, name="other_lock"))


PID = """
   contended   total wait     max wait     avg wait          pid   comm

        5000    100.00 ms      1.00 ms     20.00 us         4242   worker
"""
ADDRESS = """
 contended   total wait     max wait     avg wait            address   symbol

       248      3.25 ms     32.23 us     13.10 us   ffff8cc75cfd2940   siglock
"""


def test_a_thread_is_no_lock():
    """A table by thread has no lock; beside a table by lock it does not count."""
    tables = [
        read_report(text.splitlines(), cpus=4, window_ns=1e9).tables for text in (PID, ADDRESS)
    ]
    with pytest.raises(TwinError, match="each row of the report is a thread, and no row is a lock"):
        evidence_of(tables[0], None, None)
    assert "siglock" == evidence_of([*tables[0], *tables[1]], None, None).name


KLOCKSTAT = """
                                  Caller   Avg Spin    Count   Max spin  Total spin
                     ext4_writepages+0x5f        905  1204331     210455  1089919555
                        psi_avgs_work+0x2e       3675        5       5468       18379

                                  Caller   Avg Hold    Count   Max hold  Total hold
                     ext4_writepages+0x5f       1490  1204331     310221  1794453190
                        psi_avgs_work+0x2e       5706        5       6081       28533
"""


def test_a_row_of_klockstat_has_its_hold_from_the_table_behind():
    """Its waits are over all acquisitions; it traces mutexes."""
    found = evidence_of(
        read_report(KLOCKSTAT.splitlines(), cpus=8, window_ns=1e10).tables, "ext4", None
    )
    values = {name: target.value for name, target in found.columns.items()}
    known = {"rate": 120_433, "waiting": 905, "wait_max": 210_455, "hold": 1490}
    assert pytest.approx(known, rel=1e-3) == values
    assert ("mutex", False) == (found.lock, found.one_lock)
