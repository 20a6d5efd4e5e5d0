"""How any report is read: each line goes to the readers, and what none takes is counted.

A reader (:class:`Reader`) is asked with the next lines and says how many are its own: a heading, a
row (which may be wrapped), or a line of the tool that holds no value. A line that reads as a row is
always one. A line that begins like a row and is none is an error. All others are skipped and
counted by kind (:attr:`Report.skipped`), so that nothing is dropped silently.

A heading starts a table, and so does prose between two rows ("Before:", "With the patch:"): the
text's words become the table's label.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from locksim.study.reports.errors import ReportError
from locksim.study.reports.lines import Window, clean
from locksim.study.reports.table import LockRow, LockTable, Per

MOST_ROWS = 100_000
_LABEL = 60

_KINDS = {
    "prompts": re.compile(
        r"\s*(?:\S{1,60}[$#]|[$%])(?: .*)?|\s*# (?=\S*(?:perf|cat|grep|less|klock)).*|\^C"
    ),
    "elisions": re.compile(
        r"\s*(?:\.{2,8}|…|\[\.{2,}\]|<?-*\s*\.*(?:snip|cut)\.*\s*-*>?)\s*", re.I
    ),
    "fences": re.compile(r"\s*(?:```|~~~)\S*\s*"),
    "times": re.compile(r"\s*(?:real|user|sys)\s+[\d.ms]+s\s*"),
    "comments": re.compile(r"\s*#.*"),
}


@dataclass
class Report:
    """What a text holds.

    Arguments:
        cpus, window_ns: of the measurement, where a text does not name them.
        tables: in the text's order. skipped: lines that are no tool's, by kind.
        headings: those that were found, with rows or without.
        view, missing: what a collector calls the tables below, and what it could not get.
    """

    cpus: int | None = None
    window_ns: float | None = None
    tables: list[LockTable] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    headings: list[str] = field(default_factory=list)
    view: str = ""
    missing: list[str] = field(default_factory=list)

    def skip(self, line: str) -> str:
        """Count a line that no reader took, and return its kind."""
        kind = next((kind for kind, form in _KINDS.items() if form.fullmatch(line)), "others")
        self.skipped[kind] += 1
        return kind

    @property
    def skips(self) -> str:
        """One sentence about the skipped lines; empty if there are none."""
        if not self.skipped:
            return ""
        total = self.skipped.total()
        kinds = (f"{n} {kind[:-1] if n == 1 else kind}" for kind, n in sorted(self.skipped.items()))
        return f"{total} line{'s' * (total != 1)} skipped: {', '.join(kinds)}"


class Reader(ABC):
    """The reader of one format.

    Arguments:
        report: the tables go there.
    """

    source: str
    per: Per = "lock"

    def __init__(self, report: Report) -> None:
        self.report = report
        self.open = False
        self._system: str | None = None
        self._label = ""
        self._table: LockTable | None = None

    @abstractmethod
    def take(self, window: Window) -> int:
        """The number of lines at the window's start that are this tool's.

        Raises:
            ReportError: the first line begins like a row and is not one.
        """

    def begin(self, system: str) -> None:
        """The next row starts a table of ``system``."""
        self._system, self._table, self.open = system, None, True
        self.report.headings.append(system or self.source)

    @property
    def begun(self) -> bool:
        """Whether there was a heading, or a row without one."""
        return self._system is not None

    def interrupt(self, label: str) -> None:
        """Prose stands between the rows: the next row starts a table with this label."""
        self._table, self._label, self.open = None, label, False

    def blank(self) -> None:
        """A blank line: behind rows, it ends what may be a damaged row of the table."""
        if self._table is not None:
            self.open = False

    def end(self) -> None:
        """Another tool's text begins, or the text ends."""
        self._system = self._table = None
        self.open = False

    @property
    def table(self) -> LockTable:
        """The table that rows belong to now."""
        if self._table is None:
            system = ", ".join(filter(None, (self._system, self.report.view, self._label)))
            self._table = LockTable(
                self.source, [], self.report.cpus, self.report.window_ns, system, per=self.per
            )
            self.report.tables.append(self._table)
            self._label = ""
        return self._table

    def add(self, row: LockRow) -> None:
        """Append a row to the table.

        Raises:
            ReportError: there are too many.
        """
        if len(self.table.rows) >= MOST_ROWS:
            raise ReportError(f"more than {MOST_ROWS:,} rows in a table; cut out those that matter")
        self.table.rows.append(row)
        self.open = True


def read(text: Iterable[str], readers: Sequence[type[Reader]], report: Report) -> None:
    """Read a text into ``report``.

    Arguments:
        text: its lines. readers: of the formats, in the order in which they are asked.

    Raises:
        ReportError: a row is damaged.
    """
    window = Window(clean(text))
    asked = [reader(report) for reader in readers]
    active: Reader | None = None
    while window:
        if not window.first.strip():
            if active is not None:
                active.blank()
            window.advance(1)
            continue
        taken = 0
        for reader in asked if not _KINDS["elisions"].fullmatch(window.first) else ():
            if taken := reader.take(window):
                if active is not None and active is not reader:
                    active.end()
                active = reader
                asked.sort(key=lambda one: one is not active)
                break
        else:
            text_of = window.first.strip()
            if report.skip(window.first) == "others" and active is not None:
                active.interrupt(text_of if len(text_of) <= _LABEL else "")
        window.advance(taken or 1)
    for reader in asked:
        reader.end()
