"""Reports as people published them: the values that a reader must find stand in expected.toml."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from locksim.study.reports import detect
from locksim.study.reports.formats import formats

REAL = Path(__file__).parent / "real"
EXPECTED = tomllib.loads((REAL / "expected.toml").read_text(encoding="utf-8"))
FORMATS = {sample.name: one.name for one in formats() for sample in one.samples}


def test_every_text_has_a_source_and_expected_values():
    """No text without its source, and no entry without its text."""
    assert sorted(EXPECTED) == sorted(file.stem for file in REAL.glob("*.txt"))
    assert {*EXPECTED, "franke-2001"} == set(FORMATS)
    assert {*detect.FORMATS} == {*FORMATS.values()}
    assert all(sample.source and sample.date for one in formats() for sample in one.samples)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_real_text_is_read_whole(name: str):
    """Every row, the largest row's values, and the number of lines that are no tool's."""
    expected: dict[str, Any] = EXPECTED[name]
    with (REAL / f"{name}.txt").open(encoding="utf-8") as lines:
        report = detect.read_report(lines)
    tables = report.tables
    assert expected["rows"] == [len(table.locks) for table in tables]
    assert expected.get("places", 0) == sum(len(t.rows) - len(t.locks) for t in tables)
    assert expected["skipped"] == report.skipped.total()
    assert {FORMATS[name]} == {table.source for table in tables}
    field = expected["by"]
    rows = next(t.locks for t in tables if any(getattr(r, field) is not None for r in t.locks))
    largest = max(rows, key=lambda row: getattr(row, field) or 0)
    found = {key: getattr(largest, key) for key in expected["largest"]}
    words = {key: value for key, value in found.items() if isinstance(value, str)}
    assert {k: v for k, v in expected["largest"].items() if isinstance(v, str)} == words
    assert {k: v for k, v in expected["largest"].items() if k not in words} == pytest.approx(
        {k: v for k, v in found.items() if k not in words}, rel=1e-9
    )
    for key in ("cpus", "window_ns"):
        if key in expected:
            assert expected[key] == pytest.approx(getattr(tables[0], key))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_quoted_text_is_the_same(name: str):
    """A reply's marks and another system's line ends change nothing."""
    text = (REAL / f"{name}.txt").read_text(encoding="utf-8")
    if "=\n" in text or text.startswith(">"):
        pytest.skip("quoted already")
    quoted = "".join(f"> {line}\r\n" for line in text.splitlines())
    assert [table.rows for table in detect.parse(text)] == [
        table.rows for table in detect.parse(quoted)
    ]


OTHERS = """
On Tue, Mar 3, 2026 at 10:00 AM a person wrote:
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 3  0      0 812340  20480 912340    0    0     5    12  233  410 12  3 85  0  0
 1 0 0 812000 20480 912340 0 0 0 0 133 210 2 1 97 0 0
top - 18:00:01 up 10 days,  3:02,  2 users,  load average: 0.52, 0.58, 0.59
 1234 root      20   0  162012   3124   1500 R  12.5   0.1   0:01.23 kworker/u8:1
[12345.678901] watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [rcu:10]
     0.92%  swapper  [kernel.kallsyms]  [k] native_queued_spin_lock_slowpath
Amean     1        1.1560 (   0.00%)      1.0633 *   8.02%*
real    2m46.491s
| 16      | 1       | 476k req/s |
diff --git a/mm/slab.c b/mm/slab.c
@@ -10,3 +10,4 @@
+       spin_lock(&n->list_lock);

"""


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_another_tool_s_lines_change_no_row(name: str):
    """Before, behind, and on both sides: vmstat, top, the kernel's log, perf report, a patch."""
    text = (REAL / f"{name}.txt").read_text(encoding="utf-8")
    rows = [table.rows for table in detect.parse(text)]
    for mixed in (text + OTHERS, OTHERS + text, OTHERS + text + OTHERS):
        assert rows == [table.rows for table in detect.parse(mixed)]


def test_prose_between_rows_is_the_label_of_a_table():
    """Two tables below one heading, as a mail compares two kernels."""
    vanilla, revert = detect.parse((REAL / "lock-stat-no-version.txt").read_text(encoding="utf-8"))
    assert ["lock_stat version 0.4, VANILLA", "lock_stat version 0.4, REVERT"] == [
        vanilla.system,
        revert.system,
    ]


def test_many_tools_in_one_text():
    """As in a mail with everything; each table has its source, in the text's order."""
    names = ["perf-filter", "mutrace", "lock-stat-grep", "c2c-2020", "klockstat-hours"]
    text = "\n\n".join((REAL / f"{name}.txt").read_text(encoding="utf-8") for name in names)
    assert ["perf", "mutrace", "lock_stat", "c2c", "c2c", "klockstat"] == [
        table.source for table in detect.parse(text)
    ]


def test_events_that_perf_lost_are_noted():
    """Perf's tail names the share of events that it could not count."""
    text = (REAL / "perf-stacks.txt").read_text(encoding="utf-8")
    (clean,) = detect.parse(text)
    (lossy,) = detect.parse(text.replace("bad rate: 0.00 %", "bad rate: 51.66 %"))
    assert ([], ["perf lost 51.66 % of the events: counts and times are too low"]) == (
        clean.notes,
        lossy.notes,
    )


def test_only_waits_are_counted_without_lockdep():
    """Then perf lock report's acquired equals contended, and there is no total."""
    (table,) = detect.parse((REAL / "perf-report-wrapped.txt").read_text(encoding="utf-8"))
    assert {None} == {row.total for row in table.rows}
    assert ["acquired equals contended in every row: the kernel's events show waits only"] == (
        table.notes
    )
