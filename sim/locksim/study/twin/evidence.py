"""What a table says about one class of locks: the columns that a load can be fitted to.

A row for readers and a row for writers of the same name belong together. The columns are those of
both sides together, where a table has them: a rate, shares and mean times. The error of a column
is what rounding and chance leave open: a count of n is good to 1 / sqrt(n), and so is a mean over
n waits, whose coefficient of variation is about 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from locksim.study.reports.gain import waited
from locksim.study.reports.identities import MEANS, check
from locksim.study.reports.limits import beyond
from locksim.study.reports.table import Kind, LockRow, LockTable
from locksim.study.twin.errors import TwinError
from lockui.numbers import significant

__all__ = ["COLUMNS", "Evidence", "Target", "chooses", "evidence_of", "same_lock"]

MOST_WAITED = 1.01
"""Waits in more of the CPUs' time than this cannot be, whatever the rounding."""
LEAST_WAITS = 10
"""Contended acquisitions below which a mean wait is chance."""

COLUMNS = {
    "rate": ("acquisitions", "1/s"),
    "contentions": ("contended acquisitions", "1/s"),
    "con": ("CON", ""),
    "wait": ("WAIT, of those that waited", "ns"),
    "waiting": ("WAIT, of all", "ns"),
    "hold": ("HOLD", "ns"),
    "read_hold": ("HOLD of readers", "ns"),
    "read_part": ("readers among contended", ""),
    "write_con": ("CON of writers", ""),
    "read_con": ("CON of readers", ""),
    "write_wait": ("WAIT of writers", "ns"),
    "read_wait": ("WAIT of readers", "ns"),
    "wait_max": ("longest WAIT", "ns"),
}
"""Each column with its title and unit."""

_BY_TYPE = {
    "spinlock": "qspinlock",
    "rwlock": "qrwlock",
    "mutex": "mutex",
    "rwsem": "rwsem",
    "rwsem-read": "rwsem",
    "rwsem-write": "rwsem",
}


@dataclass(frozen=True, slots=True)
class Target:
    """A column's value, and the relative error that rounding and chance leave."""

    value: float
    error: float


@dataclass(frozen=True)
class Evidence:
    """One class of locks in a table.

    Arguments:
        name: the row's. address: of its lock, where the source has both. source: the table's tool.
        lock: of the library; why: what says so. cpus: of the load. window_ns: of the measurement.
        one_lock: the row is that of one address. columns: by the names in ``COLUMNS``.
        reads: share of readers; None: not known. waits: contended acquisitions.
        waited_ns: by all of them together; None: not known. warnings: about the row or its table.
    """

    name: str
    source: str
    lock: str
    why: str
    cpus: int
    window_ns: float
    one_lock: bool
    columns: dict[str, Target]
    reads: float | None
    waits: float
    waited_ns: float | None = None
    address: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def known_as(self) -> str:
        """The name, after the address if there is one."""
        return f"{self.address} {self.name}".lstrip()

    @property
    def waiting(self) -> float:
        """The share of all CPUs' time that the row's waits take, as far as they are known."""
        return (self.waited_ns or 0.0) / (self.cpus * self.window_ns)

    @property
    def idle(self) -> bool:
        """Whether so few waited that their waits say nothing."""
        return "rate" in self.columns and self.waits < LEAST_WAITS


def evidence_of(tables: Sequence[LockTable], only: str | None, lock: str | None) -> Evidence:
    """The evidence of one row of a report.

    Arguments:
        tables: of the text. only: the row's name, or a part of it, or words of its address, type
            and name; None: the longest waits.
        lock: of the library, if somebody said so.

    Raises:
        TwinError: there is no such row, or several; it has too few waits, or more than the CPUs
            have time for; CPUs or window are missing.
    """
    table, rows = lock_rows(tables, only)
    first = rows[0]
    if table.cpus is None or table.window_ns is None:
        missing = [
            option
            for option, value in (("--cpus", table.cpus), ("--window", table.window_ns))
            if value is None
        ]
        raise TwinError(
            f"{first.name}: {table.source} does not say on how many CPUs the load ran, or how long"
            f"\nhelp: give {' and '.join(missing)}"
        )
    waited_ns = _sum(waited(row) for row in rows)
    if waited_ns is not None and waited_ns > table.cpus * table.window_ns * MOST_WAITED:
        raise TwinError(
            f"{first.name}: waits of {significant(waited_ns / 1e9)} s are more than "
            f"{table.cpus:,} CPUs have in {significant(table.window_ns / 1e9)} s\n"
            "help: the window or the number of CPUs is wrong; for a lock that sleeps, --cpus may "
            "be the number of threads"
        )
    known, why = lock, "given"
    if known is None:
        known, why = _lock_of(table, rows)
    by_side = {row.kind: _Counts.of(table, row, table.window_ns) for row in rows}
    together = list(by_side.values())
    waits = _sum(side.contended for side in together)
    totals = [side.total for side in together]
    total = _sum(totals) if all(one is not None for one in totals) else None
    if table.source == "klockstat":
        waits = total  # it has a wait for each acquisition, mostly a short one
    if waits is None or (waits < LEAST_WAITS and total is None):
        raise TwinError(
            f"{first.name}: {waits or 0:.0f} waits are too few to fit a load (at least "
            f"{LEAST_WAITS})\nhelp: measure longer, or take a row that matters "
            "('locklab report FILE --explain')"
        )
    reads = None
    read = by_side.get("read")
    if total is not None:
        reads = (read.total or 0.0) / max(total, 1.0) if read is not None else None
    return Evidence(
        name=first.name,
        source=table.source,
        lock=known,
        why=why,
        cpus=table.cpus,
        window_ns=table.window_ns,
        one_lock=bool(first.address) or _is_address(first.name),
        columns=_columns(table, by_side, waits, total, table.window_ns / 1e9),
        reads=reads,
        waits=waits,
        waited_ns=waited_ns,
        address=first.address,
        warnings=tuple(_warnings(table, rows)),
    )


def same_lock(before: Evidence, after: Evidence) -> None:
    """Refuse to compare a row with one of another lock.

    Raises:
        TwinError: the names differ.
    """
    if before.name != after.name:
        raise TwinError(
            f"before is {before.name}, after is {after.name}: these are different locks, and their "
            "difference says nothing about a change\n"
            "help: choose with --only a lock that both reports contain"
        )


def _warnings(table: LockTable, rows: Sequence[LockRow]) -> list[str]:
    """What ``locklab report`` says about the table, and about these rows of it."""
    labels = {"", *(row.label for row in rows)}
    return [
        *table.notes,
        *(
            f"{one.row}: {one.identity}: {one.says}; {MEANS[one.identity]}"
            for one in check(table).breaches
            if one.row in labels
        ),
        *(
            ": ".join(filter(None, (one.row, f"{one.says}; {one.means}")))
            for one in beyond(table)
            if one.row in labels
        ),
    ]


@dataclass(frozen=True, slots=True)
class _Counts:
    """One side's counts and times; None: the table lacks it."""

    total: float | None
    contended: float | None
    wait_total_ns: float | None
    wait_ns: float | None
    hold_ns: float | None
    wait_max_ns: float | None
    rounding: dict[str, float]

    @classmethod
    def of(cls, table: LockTable, row: LockRow, window_ns: float) -> _Counts:
        """The counts of a row."""
        total = row.total
        if total is None and row.per_second is not None:
            total = row.per_second * window_ns / 1e9
        if total is not None and row.reject:
            total *= 1 - row.reject
        contended = row.contended
        if contended is None and total is not None and row.con is not None:
            contended = row.con * total
        rounding = {
            name: row.half.get(name, 0.0) / value
            for name in ("hold_ns", "wait_ns", "con")
            if (value := getattr(row, name))
        }
        # klockstat's mean wait is over all acquisitions, so only their sum is used.
        of_those = None if table.source == "klockstat" else row.wait_ns
        total_ns = waited(row)
        if contended and of_those is None and total_ns is not None and table.source != "klockstat":
            of_those = total_ns / contended
        return cls(total, contended, total_ns, of_those, row.hold_ns, row.wait_max_ns, rounding)


def chooses(only: str, row: LockRow) -> bool:
    """Whether a text chooses a row: each of its words is in the address, the type or the name.

    ``locklab report`` prints the type in brackets.
    """
    text = _words(row.address, row.type, row.name)
    return only in row.name or all(word.strip("()") in text for word in only.split())


_Lock = tuple[int, str, str, str]


def lock_rows(tables: Sequence[LockTable], only: str | None) -> tuple[LockTable, list[LockRow]]:
    """The rows of one lock, that of the writers before that of the readers, and their table."""
    found: dict[_Lock, list[LockRow]] = {}
    for n, table in enumerate(tables):
        for row in table.locks if table.per == "lock" else ():
            if only is None or chooses(only, row):
                lock = n, row.name, row.address, row.type.partition(":")[0]
                found.setdefault(lock, []).append(row)
    found = {
        lock: rows
        for lock, rows in found.items()
        if any(waited(row) is not None or row.contended for row in rows)
    }
    if not found:
        other = {table.per for table in tables} - {"lock"}
        if len(other) == len({table.per for table in tables}):
            raise TwinError(
                f"each row of the report is a {other.pop()}, and no row is a lock\n"
                "help: measure by lock (perf lock contention -l)"
            )
        names = sorted({row.known_as for table in tables for row in table.locks})
        where = "with waits" if only is None else f"whose name contains '{only}'"
        raise TwinError(
            f"there is no row {where}\nhelp: name one with --only: {', '.join(names[:8])}"
            + (" …" if len(names) > 8 else "")
        )
    if only is not None:
        found = {lock: rows for lock, rows in found.items() if lock[1] == only} or found
        if len({lock[1:] for lock in found}) > 1:
            names = [f"'{_handle(found, lock)}'" for lock in found]
            raise TwinError(
                f"--only {only} stands for {len(names)} locks\nhelp: write one of "
                + ", ".join(names[:6])
                + (" …" if len(names) > 6 else "")
            )
    lock = max(found, key=lambda one: max(waited(row) or 0.0 for row in found[one]))
    rows = found[lock]
    if len({row.kind for row in rows}) < len(rows):
        raise TwinError(
            f"{_handle(found, lock)} has {len(rows)} rows in one table: they may be different "
            "places of one lock, or different locks\n"
            "help: use a table by lock ('perf lock contention -l'), where each lock has one row; "
            "or leave in the text the one row that you mean"
        )
    table = tables[lock[0]]
    if table.source == "klockstat":
        rows = [_with_hold(row, tables[lock[0] + 1 :]) for row in rows]
    return table, sorted(rows, key=lambda row: row.kind == "read")


def _with_hold(row: LockRow, behind: Sequence[LockTable]) -> LockRow:
    """A row of klockstat's waits with its hold, which is in the table of holds behind them."""
    held = (
        one
        for table in behind
        if table.source == "klockstat"
        for one in table.locks
        if one.name == row.name and one.hold_ns is not None
    )
    found = next(held, row)
    return replace(row, hold_ns=found.hold_ns, hold_max_ns=found.hold_max_ns)


def _handle(found: Mapping[_Lock, Sequence[LockRow]], lock: _Lock) -> str:
    """The text that chooses a lock alone: its name, after its address or its kind if need be."""
    _, name, address, kind = lock
    alone = len({other[1:] for other in found if other[1] == name}) == 1
    types = {row.type for row in found[lock]}
    return name if alone else _words(address or (types.pop() if len(types) == 1 else kind), name)


def _words(*texts: str) -> str:
    return " ".join(filter(None, texts))


def _lock_of(table: LockTable, rows: Sequence[LockRow]) -> tuple[str, str]:
    """The lock of the library that a row's type means, and what says so."""
    kind = rows[0].type.partition(":")[0]
    if kind in _BY_TYPE:
        return _BY_TYPE[kind], f"{kind} in the report"
    sided = any(row.kind != "spin" for row in rows)
    if table.source == "lockmeter":
        return ("rwlock" if sided else "ttas"), "assumed: Linux 2.4"
    if table.source == "klockstat":
        return "mutex", "assumed: klockstat traces mutexes"
    name = rows[0].name.lower()
    if "mutex" in name:
        return "mutex", "assumed from its name"
    if "sem" in name or "mmap_lock" in name:
        return "rwsem", "assumed from its name"
    return ("qrwlock" if sided else "qspinlock"), "assumed: it spins, and Linux is 4.2 or later"


def _is_address(name: str) -> bool:
    return (
        len(name) == 16 and name.startswith("ffff") and all(c in "0123456789abcdef" for c in name)
    )


def _columns(
    table: LockTable,
    by_side: Mapping[Kind, _Counts],
    waits: float,
    total: float | None,
    window_s: float,
) -> dict[str, Target]:
    together = list(by_side.values())
    idle = waits < LEAST_WAITS
    chance = 1 / math.sqrt(max(waits, 1.0))
    found: dict[str, Target] = {}

    def add(name: str, value: float | None, error: float) -> None:
        if value is not None and value > 0:
            found[name] = Target(value, error)

    rounding = max((r for side in together for r in side.rounding.values()), default=0.0)
    if total:
        add("rate", total / window_s, 1 / math.sqrt(total))
        if table.source != "klockstat" and not idle:
            add("con", waits / total, max(chance, rounding))
    else:
        add("contentions", waits / window_s, chance)
    summed = _sum(side.wait_total_ns for side in together)
    if idle:
        pass
    elif table.source == "klockstat" and total:
        add("waiting", None if summed is None else summed / total, chance)
    else:
        add("wait", None if summed is None else summed / waits, max(chance, rounding))
    sides: tuple[tuple[Kind, str], ...] = (("spin", ""), ("write", ""), ("read", "read_"))
    for side, prefix in sides:
        one = by_side.get(side)
        if one is None:
            continue
        add(f"{prefix}hold", one.hold_ns, max(0.01, one.rounding.get("hold_ns", 0.0)))
        own = 1 / math.sqrt(max(one.contended or 0.0, 1.0))
        if side != "spin" and len(by_side) > 1:  # of one side alone they are those of both
            word = "write" if side == "write" else "read"
            if one.total and one.contended is not None:
                add(f"{word}_con", one.contended / one.total, own)
            add(f"{word}_wait", one.wait_ns, own)
    read = by_side.get("read")
    if total is None and read is not None and len(by_side) > 1 and read.contended:
        add("read_part", read.contended / waits, 1 / math.sqrt(read.contended))
    longest = max((side.wait_max_ns or 0.0 for side in together), default=0.0)
    add("wait_max", longest, 0.5)
    return found


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum of the known values; None if there is none."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
