"""The equations of a table: those of published and simulated ones hold, and a wrong digit shows."""

from dataclasses import replace
from pathlib import Path

import pytest
from study.reports.samples import LOCK_STAT, LOCKMETER, PERF

import lockdata
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.readers_writers import ReadersWriters
from locksim.study.reports import detect, lockmeter
from locksim.study.reports.identities import MEANS, check
from locksim.study.reports.table import LockRow, LockTable, of_meter
from locksim.study.simulation import simulate

WRONG = {
    "util": ("20.0% 20.0%  2.0us(  90us)", "30.0% 20.0%  2.0us(  90us)"),
    "cpu": ("( 2.0%)   1000000", "( 9.0%)   1000000"),
    "shares": ("1000000 80.0% 20.0%", "1000000 70.0% 20.0%"),
    "max": ("20us( 600us)(0.03%)     50000 99.0%  1.0%  l", "20us(6us)(0.03%) 50000 99.0% 1.0%  l"),
    "callers": ("400000 90.0%", "400100 90.0%"),
}  # fmt: skip


def test_every_equation_has_a_consequence():
    """The equations are those of the page on reports."""
    page = (Path(__file__).parents[4] / "docs/use/reports.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in MEANS)


@pytest.mark.parametrize(
    "text", [LOCKMETER, LOCK_STAT, PERF], ids=["lockmeter", "lock_stat", "perf"]
)
def test_sound_tables_hold(text: str):
    """Every equation that a format has the columns for holds in its sample."""
    (table,) = detect.parse(text, cpus=4, window_ns=1e9)
    found = check(table)
    assert [] == found.breaches
    assert sum(found.held.values()) >= 2 * len(table.locks)


@pytest.mark.parametrize("identity", WRONG)
def test_one_wrong_figure_is_found(identity: str):
    """The row and the equation are named, and nothing else is accused of that equation."""
    sound, wrong = WRONG[identity]
    assert sound in LOCKMETER
    breaches = check(detect.parse(LOCKMETER.replace(sound, wrong))[0]).breaches
    assert [identity] == [b.identity for b in breaches if b.identity == identity]


def test_a_total_that_is_no_product_is_found():
    """lock_stat prints total and average: one digit wrong in one of them."""
    (table,) = detect.parse(LOCK_STAT.replace("        60.00", "        70.00"))
    (breach,) = check(table).breaches
    assert ("&s->list_lock (write)", "totals") == (breach.row, breach.identity)


def test_the_window_is_what_most_rows_agree_on():
    """A text without Delta Time: two rows say 10 s, one says 20."""
    rows = [
        LockRow(name, util=util, hold_ns=1e3, total=1e6, half={"util": 1e-3})
        for name, util in (("a", 0.1), ("b", 0.1), ("c", 0.05))
    ]
    found = check(LockTable("lockmeter", rows))
    assert (2, 3) == found.agree
    assert ["c"] == [b.row for b in found.breaches]
    assert found.window_ns is not None
    assert found.window_ns[0] < 10e9 < found.window_ns[1]


@pytest.mark.parametrize("cpus", [1, 2, 4, 8])
def test_the_published_tables_of_2001_agree_with_themselves(cpus: int):
    """franke-2001: the window that UTIL, HOLD and TOTAL give is one, and % CPU follows from it."""
    frame = lockdata.load("franke-2001/lockmeter")
    lines = ["SPINLOCKS", f"({cpus}) CPUs:"]
    for lock, group in frame[frame["cpus"] == cpus].groupby("lock", sort=False):
        of = {m: f"{v:.10g}" for m, v in zip(group["measure"], group["value"], strict=True)}
        wait = f"{of['wait_mean']}us"
        if float(of["wait_mean"]):
            wait += f"({of['wait_max']}us)({of['wait_cpu']}%)"
        lines.append(
            f"{of['util']}% {of['con']}%  {of['hold_mean']}us({of['hold_max']}us)  {wait}  "
            f"{of['total']} {of['nowait']}% {of['spin']}% {of['reject']}%  {lock}"
        )
    found = check(*detect.parse("\n".join(lines)))
    assert ([], (3, 3)) == (found.breaches, found.agree)


@pytest.mark.parametrize(
    "workload", [CriticalSection(think_ps=300_000), ReadersWriters(read_percent=70)]
)
def test_a_simulated_table_holds_exactly(workload):  # type: ignore[no-untyped-def]
    """Unrounded figures: every equation to a millionth; printed and read back: within rounding."""
    run = simulate(workload, machine="pentium3-8way", operations=300, replications=2)
    window = sum(r.window_ps for r in run.replications) / 1e3
    table = of_meter(
        run.by_lock().to_dict("records"), source="simulated", cpus=run.cpus, window_ns=window
    )
    assert [] == check(table).breaches
    assert {"util", "cpu", "shares", "max"} == set(check(table).held)
    (printed,) = detect.parse(lockmeter.text(table))
    assert [] == check(printed).breaches
    spoilt = [replace(row, util=(row.util or 0) * 1.01) for row in table.rows]
    assert check(replace(table, rows=spoilt)).breaches
