"""mutrace's text: the mutexes of a process, with changes of owner beside contentions.

``tot.Time`` is the time for which a mutex was held. Newer versions add the time for which threads
waited (``tot.Cont``, or ``cont.Time``). ``Changed`` counts acquisitions by another thread than the
last: each of them moves the mutex's cache line. Runtime and CPUs stand below the table.
"""

from __future__ import annotations

import re
from dataclasses import replace

from locksim.study.reports import columns as cells
from locksim.study.reports.columns import Column
from locksim.study.reports.errors import ReportError
from locksim.study.reports.lines import Window
from locksim.study.reports.reading import Reader, Report
from locksim.study.reports.table import LockRow

_FIELDS = {
    "Locked": "total",
    "Changed": "owner_changes",
    "Cont.": "contended",
    "tot.Time[ms]": "hold_total_ns",
    "avg.Time[ms]": "hold_ns",
    "max.Time[ms]": "hold_max_ns",
    "tot.Cont[ms]": "wait_total_ns",
    "cont.Time[ms]": "wait_total_ns",
    "avg.Cont[ms]": "wait_ns",
    "max.Cont[ms]": "wait_max_ns",
}
_TITLE = "|".join(map(re.escape, _FIELDS))
_HEAD = re.compile(rf"\s*Mutex #((?:\s+(?:{_TITLE}))+)(?:\s+(?:Flags|Type))?\s*")
_OWN = re.compile(
    r"mutrace: .*|\s*[/|]+\s*|(?:\s+\.\.\.)+(?:\s+\|+)?\s*"
    r"|\s*(?:Object|State|Use|Mutex Type|Mutex Protocol|RWLock Kind): .*"
)
_RUNTIME = re.compile(r"mutrace: Total runtime is ([\d.]+) ms\.")
_CPUS = re.compile(r"mutrace: Results for SMP with (\d+) processors?\.")


class Mutrace(Reader):
    """The reader of mutrace."""

    source = "mutrace"

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._columns: list[Column] = []

    def end(self) -> None:
        """Forget the heading."""
        super().end()
        self._columns = []

    def take(self, window: Window) -> int:
        """The heading, a row, the legend, or a remark of mutrace."""
        if found := _HEAD.fullmatch(window.first):
            self._columns = [
                Column(_FIELDS[title], "time", "ms", 1.0)
                if "[ms]" in title
                else Column(_FIELDS[title], "count")
                for title in re.findall(_TITLE, found[1])
            ]
            self.begin("mutrace")
            return 1
        if self._columns and self._row(window.first, window.number):
            return 1
        self._remark(window.first)
        if _OWN.fullmatch(window.first) and (self._columns or "mutrace: " in window.first):
            return 1
        if self._columns and self.open and cells.is_cut(window.first):
            raise ReportError(
                f"line {window.number}: not a row of mutrace: {window.first.strip()!r}\n"
                f"help: a row is a number and {len(self._columns)} values, as in the heading"
            )
        return 0

    def _row(self, text: str, number: int) -> bool:
        found = re.fullmatch(
            rf"\s*(?P<id>\d+)\s+{cells.pattern(self._columns)}(?:\s+(?P<flags>\S+))?\s*", text
        )
        if found is None:
            return False
        values = cells.read(self._columns, found.groups()[1:-1], number)
        contended, total = values.of.get("contended"), values.of.get("total")
        share = contended / total if contended is not None and total else None
        self.add(
            LockRow(
                f"mutex {found['id']}",
                con=share,
                nowait=None if share is None else 1 - share,
                spin=share,
                **values.of,  # type: ignore[arg-type]
                type=found["flags"] or "",
                half=values.half,
            )
        )
        return True

    def _remark(self, text: str) -> None:
        """Take the runtime and the CPUs that the text names."""
        if self._table is None:
            return
        known = {}
        if (found := _RUNTIME.fullmatch(text.strip())) and not self.report.window_ns:
            known["window_ns"] = float(found[1]) * 1e6
        if (found := _CPUS.fullmatch(text.strip())) and not self.report.cpus:
            known["cpus"] = int(found[1])
        if known:
            rows = self._table.rows
            if (window_ns := known.get("window_ns")) is not None:
                rows = [replace(row, util=(row.hold_total_ns or 0) / window_ns) for row in rows]
            changed = replace(self._table, rows=rows, **known)  # type: ignore[arg-type]
            tables = self.report.tables
            tables[:] = [changed if table is self._table else table for table in tables]
            self._table = changed
