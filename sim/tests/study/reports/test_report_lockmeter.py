"""lockmeter's text: every column of every section, callers, mail's wrapped lines, round trips."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from study.reports.samples import LOCKMETER

from locksim.library.workloads.readers_writers import ReadersWriters
from locksim.study.reports import detect, lockmeter, numbers
from locksim.study.reports.errors import ReportError
from locksim.study.reports.identities import check
from locksim.study.reports.table import LockRow, LockTable, of_meter
from locksim.study.simulation import simulate

NAMES = st.from_regex(r"[a-z_\[&][a-z0-9_>\]-]{0,20}", fullmatch=True)
SHARES = st.one_of(st.just(0.0), st.floats(1e-4, 3.0))
TIMES = st.one_of(st.just(0.0), st.floats(0.1, 1e10))


@st.composite
def rows(draw: st.DrawFn) -> list[LockRow]:
    """A lock of any kind with up to two callers."""
    kind = draw(st.sampled_from(["spin", "read", "write"]))
    name = draw(NAMES)
    found = []
    for caller in ["", *draw(st.lists(NAMES, max_size=2, unique=True))]:
        figures = {
            **{key: draw(SHARES) for key in ("util", "con", "cpu_share", "nowait", "spin")},
            **{key: draw(TIMES) for key in ("wait_ns", "wait_max_ns")},
            "total": float(draw(st.integers(1, 10**12))),
        }
        if kind != "read":
            figures |= {key: draw(st.floats(0.1, 1e10)) for key in ("hold_ns", "hold_max_ns")}
        elif not caller:
            figures |= {key: draw(TIMES) for key in ("hold_ns", "busy_ns", "busy_max_ns")}
            figures["readers_max"] = draw(st.integers(1, 1024))
        if kind == "spin":
            figures["reject"] = draw(SHARES)
        if kind == "write":
            figures |= {key: draw(TIMES) for key in ("wait_ww_ns", "wait_ww_max_ns")}
            figures["spin_ww"] = draw(SHARES)
        found.append(LockRow(name, kind, caller, **figures))
    return found


@given(
    st.lists(rows(), min_size=1, max_size=4, unique_by=lambda lock: (lock[0].name, lock[0].kind)),
    st.integers(1, 4096),
    st.floats(1e-6, 1e5),
)
def test_what_is_printed_is_read_back(locks: list[list[LockRow]], cpus: int, seconds: float):
    """Printed, read and printed again: the same text; every figure within half its last digit."""
    table = LockTable("simulated", [r for lock in locks for r in lock], cpus, seconds * 1e9, "x")
    text = lockmeter.text(table)
    (found,) = detect.parse(text)
    assert text == lockmeter.text(found)
    assert (cpus, "x") == (found.cpus, found.system)
    assert seconds * 1e9 == pytest.approx(found.window_ns, rel=1e-8)
    printed = {row.label: row for row in table.rows}
    for row in found.rows:
        whole = printed[row.label]
        for name, half in row.half.items():
            assert abs(getattr(whole, name) - getattr(row, name)) <= half * (1 + 1e-9), (row, name)


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [(0, "0us"), (84.2, "84ns"), (1600, "1.6us"), (16e3, "16us"), (2.135e6, "2135us")]
    + [(26e6, "26ms"), (40450e6, "40s"), (9.5, "9.5ns")],
)
def test_times_have_two_to_four_digits(time_ns: float, text: str):
    """As lockstat chose its units, and nanoseconds below a microsecond."""
    assert text == numbers.time(time_ns)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.0034, "0.34%"), (0.021, "2.1%"), (0.262, "26.2%"), (1, "100%"), (2.71, "271%")],
)
def test_percentages_have_two_or_three_digits(share: float, text: str):
    """As lockstat printed them."""
    assert text == numbers.percent(share)


def test_every_section_is_read():
    """Columns of each kind; *TOTAL* is left out; callers belong to the lock above."""
    (table,) = detect.parse(LOCKMETER)
    assert ("Linux made-up 2.4.3 #1 SMP i686", 4, 10e9) == (
        table.system,
        table.cpus,
        table.window_ns,
    )
    assert [
        "cache_lock",
        "cache_lock, from lookup+0x40",
        "cache_lock, from insert+0x1c",
        "[0xc02a1b40]",
        "list_lock (read)",
        "list_lock (read), from scan+0x60",
        "list_lock (write)",
    ] == [row.label for row in table.rows]
    spin, read, write = table.rows[0], table.rows[4], table.rows[6]
    assert (0.2, 0.2, 2000, 90_000, 4000, 0.02, 1e6) == pytest.approx(
        (spin.util, spin.con, spin.hold_ns, spin.hold_max_ns, spin.wait_ns, spin.cpu_share)
        + (spin.total,)
    )
    assert (5000, 3, 6000, 71_000) == pytest.approx(
        (read.hold_ns, read.readers_max, read.busy_ns, read.busy_max_ns)
    )
    assert (40_000, 90_000, 0.04, 0.02) == pytest.approx(
        (write.wait_ww_ns, write.wait_ww_max_ns, write.spin, write.spin_ww)
    )


def test_a_row_without_holds_is_read():
    """Lockstat leaves HOLD blank where it saw no release: its wait is not its hold."""
    row = detect.parse(LOCKMETER)[0].rows[3]
    assert (None, 10_000, 0.25) == (row.hold_ns, row.wait_ns, row.reject)


def test_wrapped_lines_are_joined():
    """Mail cuts rows in two or three; the caller's indent survives."""
    (table,) = detect.parse(LOCKMETER)
    text = LOCKMETER.replace(" 0%  cache_lock", "\n0%  cache_lock")
    text = text.replace(" 80.0% 20.0%\n", "\n80.0% 20.0%\n").replace(
        " 0%    insert", "\n0%    insert"
    )
    assert table.rows == detect.parse(text)[0].rows


@pytest.mark.parametrize(
    ("old", "new"),
    [("cache_lock", "SPINLOCKS_of_the_cache"), (" 20.0% 20.0%  2.0us", " 20.0%\n 20.0%  2.0us")],
    ids=["named as a section", "wrapped after its first column"],
)
def test_a_row_is_never_dropped(old: str, new: str):
    """Neither its name nor the place where mail cuts it makes a row something else."""
    (table,) = detect.parse(LOCKMETER)
    (found,) = detect.parse(LOCKMETER.replace(old, new))
    assert [(row.util, row.total) for row in table.rows] == [
        (row.util, row.total) for row in found.rows
    ]


@pytest.mark.parametrize("time", ["0.00", "1.2.3", "-"])
def test_a_window_that_is_none_counts_as_missing(time: str):
    """Then the rows imply it, as where the text does not name it."""
    (table,) = detect.parse(LOCKMETER.replace("10.00 sec", f"{time} sec"))
    assert (None, 7) == (table.window_ns, len(table.rows))
    assert [] == check(table).breaches


def test_what_a_text_lacks_can_be_told():
    """CPUs and window of whoever knows them; what the text says itself goes first."""
    rows = LOCKMETER[LOCKMETER.index("SPINLOCKS") :]
    (found,) = detect.parse(rows, cpus=8, window_ns=5e9)
    assert (8, 5e9) == (found.cpus, found.window_ns)
    (said,) = detect.parse(LOCKMETER, cpus=8, window_ns=5e9)
    assert (4, 10e9) == (said.cpus, said.window_ns)


def test_each_number_of_cpus_is_a_table():
    """As in a message that compares machines of several sizes."""
    one = "(8) CPUs:\n\n  1.0%    0%  0.1us( 3.1us)    0us        100  100%    0%    0%  a_lock\n"
    tables = detect.parse("SPINLOCKS\n" + one + one.replace("(8) CPUs", "(1) CPU"))
    assert [8, 1] == [table.cpus for table in tables]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "SPINLOCKS\n",
            "no lock report was found\nhelp: give the tool's tables with their headings: lockmeter",
        ),
        ("SPINLOCKS\n 20.0% 20.0%  2.0us  oops\n", "line 2: not a row of the section 'SPINLOCKS'"),
        (
            LOCKMETER.replace("     3  6.0us", "  many  6.0us"),
            "line 26: not a row of the section 'RW",
        ),
    ],
)
def test_bad_text_is_refused(text: str, message: str):
    """What, where, how to mend."""
    with pytest.raises(ReportError) as caught:
        detect.parse(text)
    assert str(caught.value).startswith(message)
    assert "\nhelp: " in str(caught.value)


def test_a_simulated_rwlock_fills_every_column():
    """Readers and writers of a run, printed and read back."""
    run = simulate(ReadersWriters(read_percent=60, think_ps=1_000_000), machine="ideal-8")
    window = sum(r.window_ps for r in run.replications) / 1e3
    table = of_meter(run.by_lock().to_dict("records"), source="simulated", cpus=8, window_ns=window)
    (found,) = detect.parse(lockmeter.text(table))
    read, write = sorted(found.rows, key=lambda row: row.kind)
    assert (read.readers_max or 0) > 1
    assert (read.busy_ns or 0) >= (read.hold_ns or 0) / 1.1
    assert 0 < (write.wait_ww_ns or 0)
    assert (write.spin_ww or 0) + (write.spin or 0) == pytest.approx(write.con, abs=0.002)
