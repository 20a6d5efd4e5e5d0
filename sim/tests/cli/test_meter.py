"""The lock meter as it is printed."""

import io
from typing import Any

from rich.console import Console

from locksim.cli.meter import print_meter


def row(**changes: Any) -> dict[str, Any]:
    """Return what a meter counted, as ``Simulation.by_lock`` gives it."""
    return {
        "lock": "lock",
        "side": "write",
        "util": 0.561,
        "con": 0.862,
        "hold_ns": 117.0,
        "hold_max_ns": 120.0,
        "wait_ns": 347.0,
        "wait_max_ns": 1719.0,
        "cpu_share": 0.359,
        "total": 4261,
        "per_second": 4.8e6,
        "readers_max": 0,
        "violations": 0,
        **changes,
    }


def printed(*rows: dict[str, Any]) -> list[str]:
    """Return the lines of a meter, with runs of spaces made one."""
    screen = io.StringIO()
    print_meter(Console(file=screen, width=80), list(rows))
    text = screen.getvalue()
    assert "…" not in text
    return [" ".join(line.split()) for line in text.splitlines()]


def test_one_lock_has_a_line_for_each_measure() -> None:
    """Under lockmeter's names, with what they mean."""
    lines = printed(row())
    for expected in (
        "lock meter lock",
        "UTIL share of time held 56.1%",
        "CON acquisitions that had to wait 86.2%",
        "HOLD mean 117 ns",
        "WAIT mean of those that waited 347 ns",
        "longest 1.72 µs",
        "% CPU share of all CPUs' time spent waiting 35.9%",
        "TOTAL acquisitions 4,261",
        "per second 4.80 M/s",
    ):
        assert expected in lines


def test_percentiles_stand_between_mean_and_longest() -> None:
    """If the rows have them; waits only where a thread waited."""
    names = ("p50", "p90", "p99", "p999")
    holds = {f"hold_{name}_ns": 100.0 + k for k, name in enumerate(names)}
    waits = {f"wait_{name}_ns": 300.0 + k for k, name in enumerate(names)}
    lines = printed(row(**holds, **waits), row(**holds, **waits, con=0.0))
    at = lines.index("HOLD mean 117 ns 117 ns")
    assert [
        "50 % took at most 100 ns 100 ns",
        "90 % took at most 101 ns 101 ns",
        "99 % took at most 102 ns 102 ns",
        "99.9 % took at most 103 ns 103 ns",
        "longest 120 ns 120 ns",
        "WAIT mean of those that waited 347 ns –",
        "50 % took at most 300 ns –",
    ] == lines[at + 1 : at + 8]
    assert not any("took at most" in line for line in printed(row()))


def test_readers_stand_beside_writers() -> None:
    """Only the readers' side says how many were in at once."""
    lines = printed(row(), row(side="read", readers_max=4))
    assert "lock meter lock lock (read)" in lines
    assert "READERS most at the same time – 4" in lines


def test_nobody_waited_is_a_dash() -> None:
    """A mean over nothing is no zero."""
    lines = printed(row(con=0.0, wait_ns=0.0, wait_max_ns=0.0))
    assert "WAIT mean of those that waited –" in lines


def test_more_locks_have_a_line_each() -> None:
    """The name comes last, as lockmeter has it, and a broken lock is called so."""
    lines = printed(row(), row(lock="slots[1].lock", violations=3), row(lock="b[x]"))
    figures = "56.1% 86.2% 117 ns 120 ns 347 ns 1.72 µs 35.9% 4,261"
    assert "UTIL CON HOLD max WAIT max % CPU TOTAL NAME" in lines
    assert f"{figures} lock" in lines
    assert f"{figures} b[x]" in lines
    assert any(line.startswith(f"{figures} slots[1]") for line in lines)
    assert "BROKEN" in " ".join(lines)


def test_broken_lock_is_told() -> None:
    """The line is there only where there is something to say."""
    assert "BROKEN mutual exclusion violated 7" in printed(row(violations=7))
    assert "BROKEN" not in " ".join(printed(row()))


def test_nothing_taken_prints_nothing() -> None:
    """A cache under RCU takes no lock."""
    assert [] == printed()


def test_of_many_locks_the_busiest_are_shown() -> None:
    """Two dozen, in their order, and how many there are."""
    lines = printed(*(row(lock=f"lock{i}", util=i / 1000) for i in range(300)))
    names = [line.rpartition(" ")[2] for line in lines]
    assert [f"lock{i}" for i in range(276, 300)] == [n for n in names if n.startswith("lock")]
    assert "the 24 of 300 locks with the highest UTIL; --json lists all" in lines


def test_a_share_that_was_not_measured() -> None:
    """It ranks last; the other values are shown."""
    lines = printed(row(util=None), row(lock="b"), row(lock="c"))
    assert "– 86.2% 117 ns 120 ns 347 ns 1.72 µs 35.9% 4,261 lock" in lines
