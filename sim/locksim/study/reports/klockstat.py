"""klockstat's text: bcc's (Python) and that of libbpf-tools; mutexes and semaphores by caller.

A table of waits ("Avg Spin", "Avg Wait") and one of holds ("Avg Hold") follow each other, once for
each interval. bcc prints whole nanoseconds, libbpf-tools times with a unit. libbpf-tools repeats
the heading before every row when it prints stacks. Below a row stand its stack, and whose longest
wait it was. ``-P`` counts by thread (``Tid Comm``).

Waits are over **all** acquisitions, contended or not; a note says so.
"""

from __future__ import annotations

import re

from locksim.study.reports import columns as cells
from locksim.study.reports.columns import Column
from locksim.study.reports.errors import ReportError
from locksim.study.reports.lines import Window
from locksim.study.reports.reading import Reader, Report
from locksim.study.reports.table import LockRow

_TITLE = r"(?:Avg|Average|Max|Total) (?:Spin|Wait|Hold)|Count"
_HEAD = re.compile(
    rf"\s*(?P<who>Caller|Tid\s+Comm|PID\s+Mutex \(hex\))((?:\s+(?:{_TITLE}))+)\s*", re.I
)
_FIELDS = {"avg": "{}_ns", "average": "{}_ns", "max": "{}_max_ns", "total": "{}_total_ns"}
_STACK = re.compile(
    r"\s+\S+\+0x[0-9a-f]+(?: \[\S+\])?\s*|\s+0x[0-9a-f]+\s*|\s*Max PID \d+, COMM .*"
)
_OWN = re.compile(r"Tracing (?:mutex/sem )?lock events.*|Exiting trace of .*|\^C")
_HEADLESS = re.compile(rf"\s*\S+\+0x[0-9a-f]+((?:\s+{cells.NUMBER}(?:\s+[num]?s)?){{4}})\s*")
_NOTE = "mean waits are over all acquisitions, contended or not"


class Klockstat(Reader):
    """The reader of klockstat."""

    source = "klockstat"

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._titles: list[str] = []
        self._what = ""
        self._who = ""

    def end(self) -> None:
        """Forget the heading."""
        super().end()
        self._titles, self._what = [], ""

    def take(self, window: Window) -> int:
        """A heading, a row, or what stands around rows."""
        if found := _HEAD.fullmatch(window.first):
            what = "hold" if "hold" in found[2].lower() else "wait"
            if what != self._what or found["who"] != self._who:
                self.begin(f"{what}s by {'caller' if found['who'] == 'Caller' else 'thread'}")
            self._titles = re.findall(_TITLE, found[2], re.I)
            self._what, self._who = what, found["who"]
            self.per = "lock" if self._who == "Caller" else "thread"
            return 1
        if not self._titles:
            if _HEADLESS.fullmatch(window.first):
                raise ReportError(
                    f"line {window.number}: a row of klockstat without its heading: is it of waits "
                    "or of holds?\nhelp: add the heading (Caller  Avg Wait  Count …)"
                )
            return int(bool(_OWN.fullmatch(window.first.strip())))
        for n, text in window.joined():
            if n > 2 or (n > 1 and not cells.may_go_on(window.first)):
                break
            if self._row(text, window.number):
                return n
        if self._table is not None and _STACK.fullmatch(window.first):
            return 1
        if _OWN.fullmatch(window.first.strip()):
            return 1
        if self.open and len(window.first.split()) > 2 and cells.is_cut(window.first):
            raise ReportError(
                f"line {window.number}: not a row of klockstat: {window.first.strip()!r}\n"
                f"help: a row is a name and {', '.join(self._titles)}"
            )
        return 0

    def _row(self, text: str, number: int) -> bool:
        name = r"\s*" if self._who == "Caller" else r"\s*(?P<thread>\d+)\s+"
        for unit in ("", "ns"):
            columns = [self._column(title, unit) for title in self._titles]
            if found := re.fullmatch(rf"{name}{cells.NAME}\s+{cells.pattern(columns)}\s*", text):
                if unit and not cells.is_name(found["name"]):
                    return False  # numbers alone, as another tool prints them
                values = cells.read(columns, found.groups()[-len(columns) :], number)
                if unit:
                    values.half = dict.fromkeys(values.half, 0.0)
                for mean in ("wait_ns", "hold_ns"):
                    if mean in values.half:  # divided as whole nanoseconds
                        values.half[mean] = max(values.half[mean], 1.0)
                thread = found.groupdict().get("thread")
                self._add(f"{found['name']} (pid {thread})" if thread else found["name"], values)
                return True
        return False

    def _column(self, title: str, unit: str) -> Column:
        if title.lower() == "count":
            return Column("total", "count")
        what = _FIELDS[title.split()[0].lower()].format(self._what)
        return Column(what, "time", unit, 1.0)

    def _add(self, name: str, values: cells.Values) -> None:
        self.add(LockRow(name, **values.of, half=values.half))  # type: ignore[arg-type]
        if self._what == "wait" and not self.table.notes:
            self.table.notes.append(_NOTE)
