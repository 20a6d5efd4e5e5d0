"""Lock statistics in the format of lockmeter's lockstat, written and read.

The layout is that of lockstat 1.4 (Bryant and Hawkes, "Lockmeter: Highly-Informative
Instrumentation for Spin Locks in the Linux Kernel", Annual Linux Showcase 2000), as it stands in
the tables of 2001 to 2004. There are three sections; each lock has a line, followed by a line for
each caller, indented by two more. In the section of writes CON is the sum of SPIN (waits for
readers) and WW (waits for writers).

The reader also accepts tables from mail: lines wrapped into two or three, and several
tables in one text, each below its number of CPUs.

Two columns need an explanation beside the source's own words. A hold ends where the release starts.
TOTAL includes failed tries, as in lockstat, and RJECT is their share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from locksim.study.reports import numbers
from locksim.study.reports.columns import count
from locksim.study.reports.errors import ReportError
from locksim.study.reports.lines import Window
from locksim.study.reports.numbers import PERCENT, TIME
from locksim.study.reports.reading import Reader, Report
from locksim.study.reports.table import Kind, LockRow, LockTable

_RULE = "- " * 52
_HEADS: dict[Kind, str] = {
    "spin": "SPINLOCKS         HOLD            WAIT\n"
    "  UTIL  CON    MEAN(  MAX )   MEAN(  MAX )(% CPU)     TOTAL NOWAIT SPIN RJECT  NAME",
    "read": "RWLOCK READS   HOLD    MAX  RDR BUSY PERIOD      WAIT\n"
    "  UTIL  CON    MEAN   RDRS   MEAN(  MAX )   MEAN(  MAX )( %CPU)     TOTAL NOWAIT SPIN  NAME",
    "write": "RWLOCK WRITES     HOLD           WAIT (ALL)           WAIT (WW)\n"
    "  UTIL  CON    MEAN(  MAX )   MEAN(  MAX )( %CPU)   MEAN(  MAX )     TOTAL NOWAIT "
    "SPIN(  WW )  NAME",
}


# Printing


def text(table: LockTable) -> str:
    """A table as lockstat would print it, one section for each kind of row."""
    lines = []
    if table.system:
        lines.append(f"System: {table.system}")
    if table.cpus is not None:
        lines += [f"All ({table.cpus}) CPUs", ""]
    if table.window_ns is not None:
        lines += [f"Delta Time: {table.window_ns / 1e9:.9g} sec.", ""]
    for kind, head in _HEADS.items():
        locks = [row for row in table.locks if row.kind == kind]
        if not locks:
            continue
        lines += [_RULE.rstrip(), *head.split("\n"), ""]
        for lock in locks:
            callers = table.callers(lock)
            lines += [_line(row) for row in (lock, *callers)]
            if callers:
                lines.append("")
        if lines[-1]:
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _line(row: LockRow) -> str:
    """One row; a caller's name is indented by two more."""
    name = f"  {row.caller}" if row.caller else row.name
    rate = "" if row.per_second is None else f"{row.per_second:.0f}"
    util = _or_blank(row.util, numbers.percent) or rate
    parts = [f"{util:>6} {_or_blank(row.con, numbers.percent):>5}"]
    wait = _pair(row.wait_ns, row.wait_max_ns, 7) + _share(row)
    total = f" {_or_blank(row.total, lambda n: f'{n:.0f}'):>9}"
    nowait, spin = (f"{_or_blank(v, numbers.percent):>5}" for v in (row.nowait, row.spin))
    if row.kind == "read":
        hold = "" if row.caller else _or_blank(row.hold_ns, numbers.time)
        most = "" if row.readers_max is None else str(row.readers_max)
        parts += [f"{hold:>8}{most:>6}", _pair(row.busy_ns, row.busy_max_ns, 7)]
        return f"{''.join(parts)}{wait}{total} {nowait} {spin}  {name}"
    parts.append(_pair(row.hold_ns, row.hold_max_ns, 7))
    if row.kind == "write":
        ww = f"{spin}({_or_blank(row.spin_ww, numbers.percent):>5})"
        waits_ww = _pair(row.wait_ww_ns, row.wait_ww_max_ns, 7)
        return f"{''.join(parts)}{wait}{waits_ww}{total} {nowait} {ww}  {name}"
    reject = f"{_or_blank(row.reject, numbers.percent):>5}"
    return f"{''.join(parts)}{wait}{total} {nowait} {spin} {reject}  {name}"


def _pair(mean_ns: float | None, max_ns: float | None, width: int) -> str:
    """A mean with the maximum in brackets; ``0us`` if there was none; else blanks."""
    if mean_ns is None:
        return " " * (width + 8)
    if not mean_ns:
        return f"{numbers.time(0):>{width}}" + " " * 8
    longest = mean_ns if max_ns is None else max_ns
    return f"{numbers.time(mean_ns):>{width}}({numbers.time(longest):>6})"


def _share(row: LockRow) -> str:
    if not row.wait_ns or row.cpu_share is None:
        return " " * 7
    return f"({numbers.percent(row.cpu_share):>5})"


def _or_blank(value: float | None, shown: Any) -> str:
    return "" if value is None else str(shown(value))


# Reading


def _time_pair(name: str) -> str:
    return rf"(?P<{name}>{TIME})(?:\s*\(\s*(?P<{name}_max>{TIME})\s*\))?"


_NUMBER = r"\d+(?:\.\d+)?"
_START = rf"(?:(?:(?P<util>{PERCENT})|(?P<per_second>{_NUMBER}))\s+)?(?P<con>{PERCENT})\s+"
_HOLD = rf"(?:(?P<hold>{TIME})\s*\(\s*(?P<hold_max>{TIME})\s*\)\s+)?"
_WAIT = rf"{_time_pair('wait')}(?:\s*\(\s*(?P<cpu_share>{PERCENT})\s*\))?\s+"
_COUNTS = rf"(?P<total>\d+)\s+(?P<nowait>{PERCENT})\s+(?P<spin>{PERCENT})"
_NAME = r"(?P<gap>\s+)(?P<name>[^\s%].*)"
_ROWS: dict[Kind, re.Pattern[str]] = {
    "spin": re.compile(rf"\s*{_START}{_HOLD}{_WAIT}{_COUNTS}\s+(?P<reject>{PERCENT}){_NAME}"),
    "read": re.compile(
        rf"\s*{_START}(?:(?P<hold>{TIME})\s+)?(?:(?P<readers_max>\d+)\s+)?"
        rf"(?:{_time_pair('busy')}\s+)?{_WAIT}{_COUNTS}{_NAME}"
    ),
    "write": re.compile(
        rf"\s*{_START}{_HOLD}{_WAIT}{_time_pair('wait_ww')}\s+{_COUNTS}"
        rf"\s*\(\s*(?P<spin_ww>{PERCENT})\s*\){_NAME}"
    ),
}
_SECTIONS: tuple[tuple[str, Kind], ...] = (
    ("RWLOCK READS", "read"),
    ("RWLOCK WRITES", "write"),
    ("SPINLOCKS", "spin"),
)
_CPUS = re.compile(r"\s*(?:All\s+)?\((\d+)\)\s+CPUs?\b")
_DELTA = re.compile(rf"\s*Delta Time:\s*({_NUMBER}(?:e[+-]?\d+)?)\s*sec")
_SYSTEM = re.compile(r"\s*System:\s*(.*\S)")
_LOOKS_LIKE_A_ROW = re.compile(rf"\s*(?:{_NUMBER}\s+)?{PERCENT}(?:\s|$)")
_MOST_WRAPPED = 3
_OWN = re.compile(
    r"\s*(?:Total counts|Start time: .*|End\s+time: .*|(?:- ){10,}-?|(?:UTIL\s+CON\b.*))\s*"
)
_TIMES = (
    *("hold", "hold_max", "wait", "wait_max", "busy", "busy_max", "wait_ww", "wait_ww_max"),
    "cpu_share",
)


class Lockmeter(Reader):
    """The reader of lockmeter's text: a table for each number of CPUs, or one.

    Rows named ``*TOTAL*`` are over all locks, and are left out.
    """

    source = "lockmeter"

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._kind: Kind | None = None
        self._of = ""
        self._cpus: int | None = None
        self._window_ns: float | None = None

    def end(self) -> None:
        """Forget the section."""
        super().end()
        self._kind = None

    def take(self, window: Window) -> int:
        """A row, a heading, or a line that names system, CPUs or window."""
        line = window.first
        if (self._kind is not None or not self.begun) and _LOOKS_LIKE_A_ROW.match(line):
            if taken := self._row(window):
                return taken
            if self._kind is None:
                return 0
            raise ReportError(
                f"line {window.number}: not a row of the section "
                f"'{_HEADS[self._kind].partition('  ')[0]}': {line.strip()!r}\n"
                f"help: the columns are {' '.join(_columns(self._kind))}"
            )
        if section := next((kind for head, kind in _SECTIONS if head in line), None):
            self._kind = section
        elif found := _SYSTEM.match(line):
            self._next(found[1])
        elif found := _CPUS.match(line):
            self._next(self._of)
            self._cpus = int(found[1])
        elif found := _DELTA.match(line):
            cpus = self._cpus
            self._next(self._of)
            # A window of nothing is as good as none.
            self._cpus, self._window_ns = cpus, float(found[1]) * 1e9 or None
        else:
            return int(bool(_OWN.fullmatch(line)))
        return 1

    def _next(self, system: str) -> None:
        """The next row starts a table, of which nothing else is known yet."""
        self.begin(system)
        self._of, self._cpus, self._window_ns = system, None, None

    def _row(self, window: Window) -> int:
        """Add the row that begins here, and return its number of lines; 0: there is none."""
        kind: Kind = self._kind or "spin"
        for taken, joined in window.joined():
            if taken > _MOST_WRAPPED:
                break
            if found := _ROWS[kind].fullmatch(joined.rstrip()):
                if not self.begun:
                    self._next("")
                if self._table is None:
                    self._open()
                _add(self, found, kind, window.number)
                return taken
        return 0

    def _open(self) -> None:
        self._table = LockTable(
            self.source,
            [],
            self._cpus or self.report.cpus,
            self._window_ns or self.report.window_ns,
            self._of,
        )
        self.report.tables.append(self._table)


def _columns(kind: Kind) -> Iterator[str]:
    yield from re.findall(r"\(?% ?CPU\)|[A-Z]+", _HEADS[kind].partition("\n")[2])


def _add(reader: Lockmeter, found: re.Match[str], kind: Kind, number: int) -> None:
    """Append a row to the table; an indented name is a caller of the lock above."""
    name = found["name"].strip()
    if name == "*TOTAL*":
        return
    groups = found.groupdict()
    values: dict[str, Any] = {}
    half: dict[str, float] = {}
    for key in (*_TIMES, "util", "con", "nowait", "spin", "reject", "spin_ww"):
        if groups.get(key) is not None:
            column = _column(key)
            values[column], half[column] = numbers.read(groups[key])
    values["total"] = count(groups["total"], number)
    if groups.get("per_second"):
        values["per_second"] = float(groups["per_second"])
    if groups.get("readers_max"):
        values["readers_max"] = int(groups["readers_max"])
    rows = reader.table.rows
    last = next((row for row in reversed(rows) if row.kind == kind), None)
    called = last is not None and len(found["gap"]) >= 4
    reader.add(
        LockRow(
            last.name if last is not None and called else name,
            kind,
            name if called else "",
            **values,
            half=half,
        )
    )


def _column(key: str) -> str:
    """The field of a row for a group of the pattern."""
    if key.endswith("_max"):
        return f"{key}_ns"
    return f"{key}_ns" if key in ("hold", "wait", "busy", "wait_ww") else key
