"""Equations between the columns of a table of lock statistics, and the rows that break them.

A measured table satisfies them. If it does not, something is wrong with the measurement, the copy,
or the way it is read. The equations, with T the window and N its CPUs:

- ``util``: UTIL x T = HOLD x (tries that got the lock);
- ``cpu``: SPIN x TOTAL x WAIT = % CPU x N x T, with WAIT over contended acquisitions only;
- ``shares``: NOWAIT + SPIN (+ WW) + RJECT = 1, and CON = 1 - NOWAIT;
- ``max``: no mean is above its maximum;
- ``callers``: the callers' TOTAL (or contentions) add up to the lock's;
- ``totals``: a printed total is its mean x count.

Each side is an interval, because printed numbers are rounded; an equation is broken if the
intervals do not meet. If a text does not name its window, the window is the one that most of its
rows imply. A row with another window is then reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from locksim.study.reports.table import LockRow, LockTable
from lockui.numbers import significant

__all__ = ["Breach", "Checked", "check"]

SLACK = 1e-6
"""Relative tolerance for rounding errors of the arithmetic."""

RACE = 1e-4
"""Relative tolerance for lock_stat's places: the kernel counts on while the file is read."""

MEANS = {
    "util": "its window is another, or HOLD is not of these tries: no utilisation follows",
    "cpu": "do not compare its % CPU with that of another row",
    "shares": "its CON is not the share of tries that waited",
    "max": "do not use its mean",
    "callers": "its places are not those of this lock alone",
    "totals": "use neither its mean nor its total: one of them is of other events",
}
"""The consequence of each broken equation for a conclusion."""

_Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Breach:
    """An equation that a row breaks.

    Arguments:
        row: its label. identity: the equation's name. left, right: its two sides, as intervals.
        says: one sentence with the values.
    """

    row: str
    identity: str
    left: _Interval
    right: _Interval
    says: str


@dataclass(frozen=True)
class Checked:
    """The equations of a table that hold or are broken.

    Arguments:
        window_ns: the window that the rows agree on, as an interval, or None if unknown.
        agree: number of rows with this window, and number of rows that imply a window.
        held: number of equations of each name that hold. breaches: the others.
    """

    window_ns: _Interval | None
    agree: tuple[int, int]
    held: dict[str, int]
    breaches: list[Breach]

    def to_json(self) -> dict[str, Any]:
        """``{"window_ns", "agree", "held", "breaches"}``."""
        return {
            "window_ns": self.window_ns,
            "agree": self.agree,
            "held": self.held,
            "breaches": [
                {
                    "row": b.row,
                    "identity": b.identity,
                    "left": b.left,
                    "right": b.right,
                    "says": b.says,
                }
                for b in self.breaches
            ],
        }


def check(table: LockTable) -> Checked:
    """Check every equation whose columns a table has."""
    windows = {id(row): found for row in table.rows if (found := _window(row)) is not None}
    window = _given(table) or _agreed(list(windows.values()))
    held: dict[str, int] = {}
    breaches: list[Breach] = []
    agreeing = 0
    for row in table.rows:
        for name, left, right, says in _equations(table, row, windows.get(id(row)), window):
            if _meet(left, right):
                held[name] = held.get(name, 0) + 1
                agreeing += name == "util"
            else:
                breaches.append(Breach(row.label, name, left, right, says))
    return Checked(window, (agreeing, len(windows)), held, breaches)


def _equations(
    table: LockTable, row: LockRow, own: _Interval | None, window: _Interval | None
) -> Iterator[tuple[str, _Interval, _Interval, str]]:
    """Name, two sides and a sentence of every equation of a row."""
    if own is not None and window is not None:
        yield (
            "util",
            own,
            window,
            f"HOLD x TOTAL / UTIL gives a window of {_seconds(own)}, the table's is "
            f"{_seconds(window)}",
        )
    waited = _waited(row)
    share = _of(row, "cpu_share")
    if waited is not None and share is not None and window is not None and table.cpus:
        by_time = (waited[0] / window[1] / table.cpus, waited[1] / window[0] / table.cpus)
        yield (
            "cpu",
            share,
            by_time,
            f"the waits are {_percent(by_time)} of all CPUs' time, % CPU says {_percent(share)}",
        )
    yield from _shares(row)
    for mean, longest in (
        ("hold_ns", "hold_max_ns"),
        ("wait_ns", "wait_max_ns"),
        ("busy_ns", "busy_max_ns"),
        ("wait_ww_ns", "wait_ww_max_ns"),
    ):
        left, right = row.low(mean), row.high(longest)
        if left is not None and right is not None:
            name = mean.removesuffix("_ns").upper()
            yield (
                "max",
                (left, left),
                (0.0, right),
                f"the mean {name} of {significant(left, 4)} ns or more is above the longest, "
                f"{significant(right, 4)} ns",
            )
    yield from _totals(table, row)
    if not row.caller:
        yield from _callers(table, row)


def _shares(row: LockRow) -> Iterator[tuple[str, _Interval, _Interval, str]]:
    parts = [p for name in ("spin", "spin_ww", "reject") if (p := _of(row, name)) is not None]
    nowait, con = _of(row, "nowait"), _of(row, "con")
    if nowait is None or not parts:
        return
    rest = (sum(p[0] for p in parts), sum(p[1] for p in parts))
    whole = (nowait[0] + rest[0], nowait[1] + rest[1])
    yield "shares", whole, (1.0, 1.0), f"NOWAIT, SPIN and RJECT add up to {_percent(whole)}"
    if con is not None:
        yield "shares", con, rest, f"CON is {_percent(con)}, SPIN and RJECT {_percent(rest)}"


def _totals(table: LockTable, row: LockRow) -> Iterator[tuple[str, _Interval, _Interval, str]]:
    waits = row.total if table.source == "klockstat" else row.contended
    for name, count in (("wait", waits), ("hold", row.total)):
        total, mean = _of(row, f"{name}_total_ns"), _of(row, f"{name}_ns")
        if total is not None and mean is not None and count is not None:
            product = (mean[0] * count, mean[1] * count)
            yield (
                "totals",
                total,
                product,
                f"the {name}s' total is {total[0]:.6g} ns, mean x count {product[0]:.6g} ns",
            )


def _callers(table: LockTable, row: LockRow) -> Iterator[tuple[str, _Interval, _Interval, str]]:
    callers = table.callers(row)
    by_place = table.source == "lock_stat"
    of = [caller.contended if by_place else caller.total for caller in callers]
    known = [n for n in of if n is not None]
    if by_place:  # at most four places per class, for both its sides; other places may have waited
        whole = sum(other.contended or 0 for other in table.locks if other.name == row.name)
    else:
        whole = row.total or 0
    if not callers or len(known) < len(of):
        return
    added = sum(known)
    yield (
        "callers",
        (added, added),
        (0.0, whole * (1 + RACE)) if by_place else (whole, whole),
        f"its callers add up to {added:,.0f}, not {whole:,.0f}",
    )


def _window(row: LockRow) -> _Interval | None:
    """The window that UTIL, HOLD and TOTAL imply; a reader's hold is not the lock's."""
    util, hold = _of(row, "util"), _of(row, "hold_ns")
    if row.kind == "read" or util is None or hold is None or not row.total:
        return None
    if not util[0] or row.util == 0:
        return None  # rounded to 0: it implies no window
    got = row.total * (1 - (row.reject or 0.0))
    return hold[0] * got / util[1], hold[1] * got / util[0]


def _waited(row: LockRow) -> _Interval | None:
    """Waiting time of all acquisitions together."""
    wait = _of(row, "wait_ns")
    shares = [p for name in ("spin", "spin_ww") if (p := _of(row, name)) is not None]
    if wait is None or not row.total or not shares:
        return None
    low, high = sum(p[0] for p in shares), sum(p[1] for p in shares)
    return low * row.total * wait[0], high * row.total * wait[1]


def _given(table: LockTable) -> _Interval | None:
    return None if table.window_ns is None else (table.window_ns, table.window_ns)


def _agreed(windows: list[_Interval]) -> _Interval | None:
    """The part that the largest number of intervals share."""
    if not windows:
        return None
    best: tuple[int, _Interval] = (0, windows[0])
    for low in sorted({w[0] for w in windows}):
        sharing = [w for w in windows if w[0] <= low <= w[1]]
        if len(sharing) > best[0]:
            best = (len(sharing), (low, min(w[1] for w in sharing)))
    return best[1]


def _of(row: LockRow, name: str) -> _Interval | None:
    low, high = row.low(name), row.high(name)
    return None if low is None or high is None else (low, high)


def _meet(left: _Interval, right: _Interval) -> bool:
    room = SLACK * max(abs(v) for v in (*left, *right))
    return left[0] <= right[1] + room and right[0] <= left[1] + room


def _seconds(window: _Interval) -> str:
    return _between(window[0] / 1e9, window[1] / 1e9, " s")


def _percent(share: _Interval) -> str:
    return _between(100 * share[0], 100 * share[1], " %")


def _between(low: float, high: float, unit: str) -> str:
    a, b = significant(low), significant(high)
    return f"{a}{unit}" if a == b else f"{a} to {b}{unit}"
