"""``perf lock report``'s text: acquisitions and waits by lock, or by thread with ``-t``.

Until 2022 times were whole nanoseconds, ``(ns)`` in the heading; since then each has its unit.
Names are cut at 16 or 20 characters, so several rows may have the same. Recorded from the kernel's
contention events (without lockdep), ``acquired`` counts only acquisitions that waited: then it
equals ``contended`` everywhere, and there is no total.
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
    "acquired": "total",
    "contended": "contended",
    "avg wait": "wait_ns",
    "total wait": "wait_total_ns",
    "max wait": "wait_max_ns",
    "min wait": "wait_min_ns",
}
_TITLE = rf"(?:{'|'.join(_FIELDS)})(?: \(ns\))?"
_HEAD = re.compile(rf"\s*Name((?:\s+{_TITLE})+)\s*")
_TAIL = re.compile(
    r"\s*(?:=== output for debug ?===|bad: \d+, total: \d+|bad rate: [\d.]+ %|histogram of .*"
    r"|(?:acquire|acquired|contended|release): \d+)\s*"
)
_ONLY_WAITS = "acquired equals contended in every row: the kernel's events show waits only"


class PerfReport(Reader):
    """The reader of ``perf lock report``."""

    source = "perf-report"

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._columns: list[Column] = []

    def take(self, window: Window) -> int:
        """A heading, a row, or a line of perf's tail."""
        if head := _heading(window):
            self._close()
            self._columns = [
                Column(
                    _FIELDS[title.removesuffix(" (ns)")],
                    "count" if title in ("acquired", "contended") else "time",
                    "ns" if title.endswith("(ns)") else "",
                    1.0,
                )
                for title in re.findall(_TITLE, head[1])
            ]
            self.begin("perf lock report")
            return head[0]
        if not self._columns:
            return 0
        united = any(column.kind == "time" and not column.unit for column in self._columns)
        form = re.compile(rf"\s*{cells.NAME}\s+{cells.pattern(self._columns)}\s*")
        for n, text in window.joined():
            if n > 3 or (n > 1 and not cells.may_go_on(window.first)):
                break
            if (found := form.fullmatch(text)) and (united or cells.is_name(found["name"])):
                values = cells.read(self._columns, found.groups()[1:], window.number)
                self._add(found["name"], values)
                return n
        if _TAIL.fullmatch(window.first):
            return 1
        if self.open and _values(window.first) > 1:
            raise ReportError(
                f"line {window.number}: not a row of perf lock report: {window.first.strip()!r}\n"
                f"help: a row is a name and {len(self._columns)} values, as in the heading"
            )
        return 0

    def end(self) -> None:
        """Forget the heading."""
        self._close()
        super().end()
        self._columns = []

    def interrupt(self, label: str) -> None:
        """Prose ends a table."""
        self._close()
        super().interrupt(label)

    def _add(self, name: str, values: cells.Values) -> None:
        contended, total = values.of.get("contended"), values.of.get("total")
        if all(column.unit for column in self._columns if column.kind == "time"):
            values.half = dict.fromkeys(values.half, 0.0)
        if "wait_ns" in values.half:
            values.half["wait_ns"] = max(values.half["wait_ns"], 1.0)
        share = contended / total if contended is not None and total else None
        self.add(
            LockRow(
                name,
                con=share,
                nowait=None if share is None else 1 - share,
                spin=share,
                **values.of,  # type: ignore[arg-type]
                half=values.half,
            )
        )

    def _close(self) -> None:
        """Look back on a whole table: were only waits counted?"""
        table = self._table
        if table is None or not any(row.contended for row in table.rows):
            return
        if all(row.total == row.contended for row in table.rows):
            table.rows[:] = [
                replace(row, total=None, con=None, nowait=None, spin=None) for row in table.rows
            ]
            table.notes.append(_ONLY_WAITS)


def _values(line: str) -> int:
    """How many values stand behind a name."""
    return len(re.findall(rf"\s{cells.NUMBER}(?!\S)", line)) if cells.may_go_on(line) else 0


def _heading(window: Window) -> tuple[int, str] | None:
    """Lines and titles of a heading, which mail may have wrapped."""
    found = None
    for n, text in window.joined():
        if (head := _HEAD.fullmatch(text)) is not None:
            found = n, head[1]
        elif found is not None or n > 1:
            break
    return found
