"""Linux's ``/proc/lock_stat`` (``CONFIG_LOCK_STAT``, Documentation/locking/lockstat).

Each lock class has a line with contentions and their waits, acquisitions and their holds, in
microseconds; ``-W`` and ``-R`` at a name's end are the sides of a reader-writer lock, ``/n`` a
subclass. Below it stand up to four places that waited, then, below a rule, up to four places that
were waited for. Only the former are callers here, of a class's first side, because the file does
not separate the sides. The file names neither its counting time nor the number of CPUs; options
supply them. Rows alone, as ``grep : /proc/lock_stat`` prints them, are read too; their width shows
the version. A row may be wrapped into six lines.

"Contended" means here that the first try failed. A class is many locks: the file does not say how
many.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from locksim.study.reports import columns as cells
from locksim.study.reports.errors import ReportError
from locksim.study.reports.lines import Window
from locksim.study.reports.numbers import half
from locksim.study.reports.reading import Reader, Report
from locksim.study.reports.table import Kind, LockRow, LockTable

VERSIONS = {
    "0.3": "con-bounces contentions waittime-min waittime-max waittime-total "
    "acq-bounces acquisitions holdtime-min holdtime-max holdtime-total",
    "0.4": "con-bounces contentions waittime-min waittime-max waittime-total waittime-avg "
    "acq-bounces acquisitions holdtime-min holdtime-max holdtime-total holdtime-avg",
}
_FIELDS = {
    "con-bounces": "contended_bounces",
    "contentions": "contended",
    "waittime-min": "wait_min_ns",
    "waittime-max": "wait_max_ns",
    "waittime-total": "wait_total_ns",
    "waittime-avg": "wait_ns",
    "acq-bounces": "acquired_bounces",
    "acquisitions": "total",
    "holdtime-min": "hold_min_ns",
    "holdtime-max": "hold_max_ns",
    "holdtime-total": "hold_total_ns",
    "holdtime-avg": "hold_ns",
}
_COUNTS = ("con-bounces", "contentions", "acq-bounces", "acquisitions")
_US = 1e3
_LINES = 6

_HEAD = re.compile(r"\s*lock_stat version\s+(\S+)\s*")
_TITLES = re.compile(r"\s*class name((?:\s+\S+)+)\s*")
_CELL = rf"(?:{cells.NUMBER}|{cells.MISSING})"
_CLASS = re.compile(rf"\s*(?P<name>\S.*?):((?:\s+{_CELL})+)\s*")
_BEGUN = re.compile(rf"\s*\S.*?:(?:\s+{_CELL})+(?:\s.*)?")
_CONTINUED = re.compile(rf"\s*{_CELL}(?:\s+{_CELL})*\s*")
_POINT = re.compile(r"\s*(?P<name>\S.*?)\s+(?P<count>\d+)\s+\[<\S+>\]\s+(?P<at>\S.*?)\s*")
_RULE = re.compile(r"\s*-+\s*")
_DOTS = re.compile(r"\s*\.{4,}\s*")


class LockStat(Reader):
    """The reader of ``/proc/lock_stat``."""

    source = "lock_stat"

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._version = ""
        self._columns: list[str] = []
        self._rules = 0
        self._last: LockRow | None = None
        self._kinds: dict[str, Kind] = {}
        self._notes: list[str] = []
        self._before: LockTable | None = None

    def end(self) -> None:
        """Forget version and columns."""
        super().end()
        self._version, self._columns, self._last, self._notes = "", [], None, []
        self._before = None

    def take(self, window: Window) -> int:
        """The first line, the heading, a class, a place, or a rule."""
        first = window.first
        if found := _HEAD.fullmatch(first):
            return self._first(found[1], window.number)
        if (n := self._heading(window)) or (n := self._class(window)):
            return n
        if _RULE.fullmatch(first) and (self.begun or len(first.strip()) > 60):
            self._rules += 1
            return 1
        if self._last is not None:
            for n, text in window.joined():
                if n > 2:
                    break
                if found := _POINT.fullmatch(text):
                    self._point(found, window.number)
                    return n
        if _DOTS.fullmatch(first) and (self.begun or len(first.strip()) > 60):
            return 1
        if first.startswith("*WARNING*"):
            self._notes.append(first.strip())
            return 1
        if self.begun and (found := _BEGUN.fullmatch(first)) and len(first.split()) > 6:
            raise ReportError(self._bad(window.number, first, "not a row"))
        return 0

    def _first(self, version: str, number: int) -> int:
        if version not in VERSIONS:
            raise ReportError(
                f"line {number}: lock_stat version {version}; known versions: "
                f"{', '.join(VERSIONS)}\nhelp: give /proc/lock_stat as the kernel writes it, its "
                "first line included"
            )
        self._version, self._columns, self._notes = version, VERSIONS[version].split(), []
        self._begin()
        return 1

    def _begin(self) -> None:
        self.begin(f"lock_stat version {self._version}" if self._version else "lock_stat")
        self._last, self._kinds = None, {}

    def interrupt(self, label: str) -> None:
        """Prose ends a table: the next class belongs to another one, a place to the last class."""
        self._before = self._table or self._before
        super().interrupt(label)

    def _heading(self, window: Window) -> int:
        """Take the columns that a heading names; mail may have wrapped it."""
        taken = 0
        titles: list[str] = []
        for n, text in window.joined():
            found = _TITLES.fullmatch(text)
            if found is None or (n > 1 and not set(window.line(n - 1).split()) <= set(_FIELDS)):
                break
            taken, titles = n, found[1].split()
        known = [title for title in titles if title in _FIELDS]
        if len(known) < 2:
            return 0
        others = [title for title in titles if title not in _FIELDS and title != "..."]
        # A word of another's ("hold time" cut short) leaves the version's columns.
        if not others or not self._version:
            self._columns = [] if others else known
        if not self._version:
            self._version = next((v for v, all_ in VERSIONS.items() if all_.split() == known), "")
            self._begin()
        return taken

    def _class(self, window: Window) -> int:
        """Add the class that begins here, and return its number of lines; 0: there is none."""
        if not re.match(r"\s*\S.*?:(?:\s|$)", window.first):
            return 0
        best: tuple[int, re.Match[str]] | None = None
        most = 0
        for n, text in window.joined():
            found = _CLASS.fullmatch(text)
            if n > _LINES or (n > 1 and not _CONTINUED.fullmatch(window.line(n - 1))):
                break
            if found is None:
                if not text.rstrip().endswith(":"):
                    break
                continue
            width = len(found[2].split())
            most = max(most, width)
            if width in self._widths:
                best = n, found
        if best is None:
            if self.begun and most > 3:
                raise ReportError(self._bad(window.number, window.first, f"{most} numbers"))
            return 0
        n, found = best
        if not self._columns:
            width = len(found[2].split())
            self._version = next(v for v, all_ in VERSIONS.items() if len(all_.split()) == width)
            self._columns = VERSIONS[self._version].split()
            self._begin()
        self._add(found["name"], found[2].split(), window)
        return n

    @property
    def _widths(self) -> tuple[int, ...]:
        return (len(self._columns),) if self._columns else (10, 12)

    def _add(self, name: str, texts: Sequence[str], window: Window) -> None:
        for column, text in zip(self._columns, texts, strict=True):
            if column in _COUNTS and not re.fullmatch(rf"\d+|{cells.MISSING}", text):
                raise ReportError(self._bad(window.number, window.first, "a count is not whole"))
        row = _row(name, dict(zip(self._columns, texts, strict=True)), window.number)
        row = _in_window(row, self.report.cpus, self.report.window_ns)
        if self._table is None:
            self._kinds = {}
        self._kinds.setdefault(row.name, row.kind)
        self.add(row)
        self._last, self._rules = row, 0
        if self._notes:
            self.table.notes.extend(self._notes)
            self._notes = []

    def _point(self, found: re.Match[str], number: int) -> None:
        """A place that waited; its contentions cover both sides of a class."""
        if self._last is None or self._rules != 1:
            return  # the second block under a class: places that were waited for
        if self._table is None:
            self._table, self._label = self._before, ""
        name = self._last.name
        count = cells.count(found["count"], number)
        self.add(LockRow(name, self._kinds[name], found["at"], contended=count))

    def _bad(self, number: int, line: str, what: str) -> str:
        names = self._columns or VERSIONS["0.4"].split()
        return (
            f"line {number}: {what}, expected a lock's {len(names)} columns: {line.strip()!r}\n"
            f"help: the columns are 'class name:' {' '.join(names)}"
        )


def _row(name: str, texts: dict[str, str], number: int) -> LockRow:
    kind: Kind = "spin"
    if name.endswith(("-W", "-R")):
        kind = "write" if name.endswith("-W") else "read"
        name = name[:-2]
    values: dict[str, float] = {}
    exact: dict[str, float] = {}
    for column, text in texts.items():
        if re.fullmatch(cells.MISSING, text):
            continue
        field = _FIELDS[column]
        if column in _COUNTS:
            values[field] = cells.count(text, number)
            continue
        # Averages are truncated to hundredths, so the error is a whole unit on one side.
        unit = half(text.partition(".")[2] or None) * _US
        values[field] = float(text) * _US
        exact[field] = 2 * unit if column.endswith("avg") else unit
    contended, total = values.get("contended"), values.get("total")
    for what, count in (("wait", contended), ("hold", total)):
        whole = values.get(f"{what}_total_ns")
        if f"{what}-avg" not in texts and f"{what}_ns" not in values and None not in (whole, count):
            values[f"{what}_ns"] = whole / count if whole and count else 0.0
    share = None if contended is None or total is None else contended / total if total else 0.0
    return LockRow(
        name,
        kind,
        con=share,
        nowait=None if share is None else 1 - share,
        spin=share,
        **values,  # type: ignore[arg-type]
        half=exact,
    )


def _in_window(row: LockRow, cpus: int | None, window_ns: float | None) -> LockRow:
    """The row with the shares of time in the window."""
    if window_ns is None:
        return row
    waited, held = row.wait_total_ns, row.hold_total_ns
    return replace(
        row,
        util=None if row.kind == "read" or held is None else held / window_ns,
        cpu_share=None if cpus is None or waited is None else waited / window_ns / cpus,
    )


_WIDTH = 40 + 1 + 12 * 15


def text(table: LockTable) -> str:
    """A table as ``/proc/lock_stat`` version 0.4.

    Values that a run's meters do not have stand as ``-``: both bounces and the shortest times.
    """
    names = VERSIONS["0.4"].split()
    heading = f"{'class name':>40} " + " ".join(f"{name:>14}" for name in names)
    lines = ["lock_stat version 0.4", "-" * _WIDTH, heading, "-" * _WIDTH, ""]
    for row in table.locks:
        side = {"read": "-R", "write": "-W"}.get(row.kind, "")
        values = _values(row)
        texts = " ".join(f"{_cell(name, values.get(_FIELDS[name])):>14}" for name in names)
        lines.append(f"{row.name + side:>40}: {texts}")
        callers = [caller for caller in table.callers(row) if caller.contended]
        if callers:
            lines.append(f"{'-' * len(row.name):>40}")
        for caller in callers:
            count = f"{caller.contended or 0:14.0f}"
            lines.append(f"{row.name:>40} {count} {'[<0>]':>29} {caller.caller}")
    return "\n".join(lines) + "\n"


def _values(row: LockRow) -> dict[str, float | None]:
    """A row's values by field; counts and totals from shares and means where those are given."""
    values = {field: getattr(row, field) for field in _FIELDS.values()}
    total = row.total
    waited = (row.spin or 0.0) + (row.spin_ww or 0.0)
    if values["contended"] is None and total is not None:
        values["contended"] = waited * total
    got = None if total is None else total * (1 - (row.reject or 0.0))
    values["total"] = got
    for what, count in (("wait", values["contended"]), ("hold", got)):
        mean = values[f"{what}_ns"]
        if values[f"{what}_total_ns"] is None and mean is not None and count is not None:
            values[f"{what}_total_ns"] = mean * count
    return values


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if name in _COUNTS else f"{value / _US:.2f}"
