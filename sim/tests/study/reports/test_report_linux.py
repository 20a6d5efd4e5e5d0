"""Linux's own two: /proc/lock_stat and perf lock contention."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from study.reports.samples import LOCK_STAT, PERF, PERF_LOCKS

from locksim.study.reports import detect
from locksim.study.reports.errors import ReportError
from locksim.study.reports.identities import check

UNITS_NS = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
COUNTS = st.integers(1, 12).flatmap(lambda digits: st.integers(10 ** (digits - 1), 10**digits - 1))
TIMES_NS = st.tuples(st.sampled_from([*UNITS_NS.values()]), st.integers(1, 59)).map(
    lambda time: time[0] * time[1]
)
CHAIN = """\
\t\t\t0xffffffff81000010  insert+0x1c
\t\t\t0xffffffff81000abc  do_syscall_64+0x3b
"""


def perf_time(time_ns: int) -> str:
    """A time in a column of perf: its largest unit, with two decimals above nanoseconds."""
    unit, size = next((unit, size) for unit, size in UNITS_NS.items() if time_ns >= size)
    return f"{time_ns:9} ns" if unit == "ns" else f"{time_ns / size:9.2f} {unit:<2}"


PERF_VIEWS = {
    "        type   caller": "    spinlock   place_{}+0x20",
    "           address   symbol": "  ffff9d5e852d3498   lock_{} (mutex)",
    "         pid   comm": "     1514752   task_{}",
    "  cgroup": "  /slice_{}",
}


@pytest.mark.parametrize("view", PERF_VIEWS)
@given(
    rows=st.lists(st.tuples(COUNTS, TIMES_NS, TIMES_NS, TIMES_NS), min_size=1, max_size=4),
    chains=st.booleans(),
)
def test_perf_keeps_every_row(view: str, rows: list[tuple[int, int, int, int]], chains: bool):
    """Counts of 1 to 12 digits and times in every unit, with and without call chains."""
    text = f" contended   total wait     max wait     avg wait {view}\n\n"
    rows = [(count, *sorted(times_ns, reverse=True)) for count, *times_ns in rows]
    for i, (count, *times_ns) in enumerate(rows):
        times = "  ".join(map(perf_time, times_ns))
        text += f"{count:10} {times} {PERF_VIEWS[view].format(i)}\n{CHAIN * chains}"
    (table,) = detect.parse(text)
    assert [count for count, *_ in rows] == [row.contended for row in table.rows]
    for (_, *times_ns), row in zip(rows, table.rows, strict=True):
        found = [row.wait_total_ns, row.wait_max_ns, row.wait_ns]
        assert times_ns == pytest.approx(found, rel=0.005)


@given(rows=st.lists(st.tuples(COUNTS, TIMES_NS), min_size=1, max_size=4), chains=st.booleans())
def test_perf_separated_keeps_every_row(rows: list[tuple[int, int]], chains: bool):
    """With -x a row has its call chain in its own line."""
    chain = ", 0xffffffff81000010 insert+0x1c: 0xffffffff81000abc do_syscall_64+0x3b" * chains
    text = "# output: contended, total wait, type, caller\n" + "".join(
        f"{count}, {time_ns}, spinlock, insert+0x1c{chain}\n" for count, time_ns in rows
    )
    (table,) = detect.parse(text + "# total=9, bad=0\n")
    assert rows == [(row.contended, row.wait_total_ns) for row in table.rows]


@given(rows=st.lists(COUNTS, min_size=1, max_size=4), name=st.text("key", min_size=1, max_size=45))
def test_lock_stat_keeps_every_row(rows: list[int], name: str):
    """Counts of 1 to 12 digits, and names of any length: the rule below a name is as long."""
    text = "lock_stat version 0.4\n"
    for count in rows:
        text += f"{name:>40}:{count:14} {count:14} " + " ".join(["          1.00"] * 4)
        text += f"  {count:14} {count:14} " + " ".join(["          1.00"] * 4) + "\n"
        for place in ("insert+0x1c/0x90", "remove+0x30/0x70"):
            text += f"{'-' * len(name):>40}\n{name:>40} {count:14}            [<00aa>] {place}\n"
        text += f"\n{'.' * 221}\n\n"
    (table,) = detect.parse(text)
    assert rows == [row.contended for row in table.locks] == [row.total for row in table.locks]
    callers = [row for row in table.rows if row.caller]
    assert [("insert+0x1c/0x90", count) for count in rows] == [
        (row.caller, row.contended) for row in callers
    ]


def test_lock_stat_has_sides_and_callers():
    """A class with readers is two rows; the first block below are those who waited."""
    (table,) = detect.parse(LOCK_STAT)
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
    table = detect.parse(LOCK_STAT, cpus=4, window_ns=1e6)[0]
    write, read = table.locks[:2]
    assert (0.5, 0.015) == pytest.approx((write.util, write.cpu_share))
    assert (None, 0.0) == (read.util, read.cpu_share)


def test_version_0_3_has_no_averages():
    """Ten columns; the means follow from totals and counts."""
    text = (
        "lock_stat version 0.3\n"
        "      a_lock:   10   20   0.50   9.00   60.00   100   1000   0.10   20.00   500.00\n"
    )
    (row,) = detect.parse(text)[0].rows
    assert (3000, 500) == pytest.approx((row.wait_ns, row.hold_ns))


def test_a_remark_among_places_drops_none():
    """Somebody wrote between the places of a class; they stay with it."""
    (whole,) = detect.parse(LOCK_STAT)
    place = "            &s->list_lock              8 "
    (found,) = detect.parse(LOCK_STAT.replace(place, f"this one is ours:\n{place}"))
    assert whole.rows == found.rows


def test_rows_alone_say_their_version():
    """What `grep : /proc/lock_stat` leaves: no first line, no places."""
    rows = "".join(line + "\n" for line in LOCK_STAT.splitlines()[1:] if ": " in line)
    whole, alone = detect.parse(LOCK_STAT)[0], detect.parse(rows)[0]
    assert [row for row in whole.rows if not row.caller] == alone.rows
    assert whole.system == alone.system


def test_every_reading_of_the_file_is_a_table():
    """Counters before and after, in one text; with the line ends of another system."""
    text = LOCK_STAT + "\n" + LOCK_STAT.replace("4000", "9000")
    before, after = detect.parse(text.replace("\n", "\r\n"))
    assert detect.parse(LOCK_STAT)[0].rows == before.rows
    assert [4000, 9000] == [table.locks[1].total for table in (before, after)]


def test_perf_reads_units_and_skips_chains():
    """Places that waited, with their kind; call chains and perf's own tail are no rows."""
    (table,) = detect.parse(PERF)
    assert ["insert+0x1c", "remove+0x30 (write)", "scan+0x60 (read)"] == [
        row.label for row in table.rows
    ]
    assert [1.5e6, 2e4, 2.5e9] == pytest.approx([row.wait_total_ns for row in table.rows])
    assert ["spinlock", "rwlock:W", "rwsem:R"] == [row.type for row in table.rows]


def test_perf_rows_after_a_remark_are_a_table():
    """-o with -v adds those who held, under a remark and without a heading; remarks may be last."""
    owners = """\

=== owner stack trace ===

  12345678      2.50 s       2.00 s     202.50 ns        mutex   pipe_read+0x348
\t\t\t0xffffffffac631bd8  pipe_read+0x348
"""
    head, tail = PERF.split("=== output")
    waited, held = detect.parse(f"{head}{owners}=== output{tail}")
    assert detect.parse(PERF)[0].rows == waited.rows
    assert ["perf lock contention", "perf lock contention, owner stack trace"] == [
        waited.system,
        held.system,
    ]
    assert [("pipe_read+0x348", 12345678)] == [(row.name, row.contended) for row in held.rows]


def test_perf_by_lock_has_symbols():
    """Perf lock contention -l: the lock's name, its kind in brackets."""
    (table,) = detect.parse(PERF_LOCKS, cpus=2, window_ns=1e6)
    assert [("task_lock", "mutex"), ("&slab-512", "spinlock")] == [
        (row.name, row.type) for row in table.rows
    ]
    assert 1950 / 1e6 / 2 == pytest.approx(table.rows[0].cpu_share)


def test_a_lock_without_a_symbol_is_its_address():
    """Locks that were allocated have none; what stands in brackets is their kind."""
    text = PERF_LOCKS.replace("task_lock (mutex)", "(mutex)").replace("   &slab-512 (spinlock)", "")
    (table,) = detect.parse(text)
    assert [("ffff9d5e852d3498", "mutex"), ("ffff9d5e852d3538", "")] == [
        (row.name, row.type) for row in table.rows
    ]


@pytest.mark.parametrize(
    ("heading", "row", "name"),
    [
        ("         pid   comm", "      1514752   Chrome IOThread", "Chrome IOThread (pid 1514752)"),
        ("         pid   owner", "          -1   Unknown", "Unknown (pid -1)"),
        ("  cgroup", "  /user.slice/a b", "/user.slice/a b"),
    ],
)
def test_perf_by_thread_owner_and_cgroup(heading: str, row: str, name: str):
    """Whoever a line is of; names may have blanks."""
    times = " contended   total wait     max wait     avg wait"
    (table,) = detect.parse(f"{times} {heading}\n\n  3   29.31 us   11.65 us   9.77 us {row}\n")
    (found,) = table.rows
    assert (name, 3, 9770) == (found.name, found.contended, found.wait_ns)


def test_perf_rows_without_a_heading_have_one_meaning():
    """Their columns are perf's own; a kind of lock, or an address, says whose they are."""
    rows = " 42   192.67 us   13.64 us   4.59 us   spinlock   f+0x20\n" * 2
    locks = " 3   9.00 us   4.00 us   3.00 us   ffffffffa41c3620   a_lock (mutex)\n"
    (places,) = detect.parse(rows)
    assert [("f+0x20", "spinlock", 42, 192_670)] * 2 == [
        (row.name, row.type, row.contended, row.wait_total_ns) for row in places.rows
    ]
    (by_lock,) = detect.parse(locks)
    assert ("a_lock", "mutex", "ffffffffa41c3620", 4000) == (
        by_lock.rows[0].name,
        by_lock.rows[0].type,
        by_lock.rows[0].address,
        by_lock.rows[0].wait_max_ns,
    )


def test_perf_prints_the_columns_that_were_chosen():
    """-F leaves some out, and may ask for the shortest wait, which has no column here."""
    text = " avg wait     min wait         type   caller\n\n 5.00 us   1.00 us   rwsem:W   f+0x1\n"
    (row,) = detect.parse(text)[0].rows
    assert (5000, None, None, "write") == (row.wait_ns, row.contended, row.wait_max_ns, row.kind)


def test_perf_separated_has_whole_nanoseconds():
    """-x, with any string between; each heading begins a table, and each knows its kinds."""
    text = (
        "# output: contended, total wait, max wait, avg wait, type, caller\n"
        "100, 1500000, 30000, 15000, spinlock, insert+0x1c\n"
        "# total=100, bad=0\n"
        "# output: contended; total wait; avg wait; address; symbol; type\n"
        "2; 1953; 976; ffff9d5e852d3498; ; mutex\n"
    )
    places, locks = detect.parse(text)
    assert ("insert+0x1c", "spinlock", 1.5e6) == (
        places.rows[0].name,
        places.rows[0].type,
        places.rows[0].wait_total_ns,
    )
    assert ("ffff9d5e852d3498", "mutex") == (locks.rows[0].name, locks.rows[0].type)
    assert [[], []] == [check(table).breaches for table in (places, locks)]
    wrong = text.replace("15000,", "14000,", 1)
    assert ["totals"] == [breach.identity for breach in check(detect.parse(wrong)[0]).breaches]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            LOCK_STAT.replace("0.4", "0.9", 1),
            "line 1: lock_stat version 0.9; known versions: 0.3, 0.4",
        ),
        (LOCK_STAT.replace("        60.00", ""), "line 7: 11 numbers, expected a lock's 12"),
        (LOCK_STAT.replace("          50", " fifty"), "line 17: not a row, expected a lock's 12"),
        ("lock_stat version 0.4\n", "no row below the heading of lock_stat version 0.4"),
        ("lock_stat version\n", "no lock report was found (1 line skipped: 1 other)"),
        (PERF.replace("1.50 ms", "1.50 ly"), "line 3: not a row of perf lock contention"),
        (PERF.replace("  100      1.50 ms", "12345678 1.50 ly"), "line 3: not a row of perf lock"),
        (PERF.replace("1.50 ms", "1.5.0 ms"), "line 3: not a row of perf lock contention"),
        (LOCK_STAT.replace(" 1000 ", " 10.5 "), "line 7: a count is not whole, expected a lock's"),
        (PERF.partition("\n")[0] + "\n", "no row below the heading of perf lock contention"),
        ("hello", "no lock report was found (1 line skipped: 1 other)"),
    ],
)
def test_bad_text_is_refused(text: str, message: str):
    """What, where, how to mend."""
    with pytest.raises(ReportError) as caught:
        detect.parse(text)
    assert str(caught.value).startswith(message)
    assert "\nhelp: " in str(caught.value)


def test_unknown_format_is_refused():
    """With those that there are."""
    with pytest.raises(ReportError, match="unknown format 'dtrace': write lockmeter, lock_stat"):
        detect.parse("", "dtrace")
