"""``perf lock contention``'s text: waits only, by place, lock, thread, owner or cgroup.

perf counts waits, not immediate acquisitions, so there is no CON, HOLD or TOTAL. The heading shows
the meaning of a line: the place that waited (``type caller``), the lock (``address symbol``), the
thread that waited or, with ``-o``, held (``pid comm``, ``pid owner``), or a cgroup. ``-F`` chooses
the columns; ``-x`` separates them by a string and gives times in whole nanoseconds. A remark
(``=== owner stack trace ===``) starts a table, too. Call chains below a row and perf's own tail
("bad: 0, total: 106") hold no row.

Without a heading, rows are read where their form leaves one meaning: a known kind of lock, or an
address. A thread might have waited or held.

Times with a unit are truncated to two decimals of it, each separately.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from locksim.study.reports import columns as cells
from locksim.study.reports.columns import Column
from locksim.study.reports.errors import ReportError
from locksim.study.reports.lines import Window
from locksim.study.reports.reading import Reader, Report
from locksim.study.reports.table import Kind, LockRow, LockTable, Per

_FIELDS = {
    "contended": "contended",
    "total wait": "wait_total_ns",
    "max wait": "wait_max_ns",
    "min wait": "wait_min_ns",
    "avg wait": "wait_ns",
}
_DEFAULT = ("contended", "total wait", "max wait", "avg wait")
_VIEW = r"type\s+caller|address\s+symbol|pid\s+comm|pid\s+owner|cgroup"
_HEAD = re.compile(rf"\s*((?:(?:{'|'.join(_FIELDS)})\s+)+)({_VIEW})\s*")
_SEPARATED_HEAD = re.compile(rf"\s*# output: (?:{'|'.join(_FIELDS)})(?P<separator>\S+?) (?=\w)")
_WHO = {
    "type": r"(?P<first>\S+)\s+(?P<rest>\S.*)",
    "address": r"(?P<first>[0-9a-f]+)(?:\s+(?P<rest>.*))?",
    "pid": r"(?P<first>-?\d+)(?:\s+(?P<rest>.*))?",
    "cgroup": r"(?P<first>)(?P<rest>\S.*)",
}
_TYPE = r"spinlock|rwlock:[RW]|rwsem:[RW]|mutex|rt-mutex|semaphore|pcpu-sem:[RW]"
_CHAIN = re.compile(r"\s+0x[0-9a-f]+\s+\S.*")
_REMARK = re.compile(r"\s*===\s*(\S.*?)\s*===\s*|\s*# (owner stack trace):\s*")
_TAIL = re.compile(
    r"\s*(?:bad: \d+, total: \d+|bad rate: (?P<rate>[\d.]+) %|histogram of .*|[a-z]+: \d+"
    r"|# total=.*)\s*"
)
_PER: dict[str, Per] = {"pid": "thread", "cgroup": "cgroup"}
_SYSTEM = "perf lock contention"
_TYPE_AT_END = re.compile(r"(?:(.*\S)\s+)?\((\S+)\)")


@dataclass(frozen=True, slots=True)
class _Heading:
    """The meaning of the lines below: columns in order, the view's first word, a separator."""

    columns: tuple[str, ...]
    view: str
    separator: str = ""

    @property
    def cells(self) -> list[Column]:
        unit = "ns" if self.separator else ""
        return [
            Column(_FIELDS[name], "count" if name == "contended" else "time", unit, 1.0)
            for name in self.columns
        ]


_PLAIN = [_Heading(_DEFAULT, "type"), _Heading(_DEFAULT, "address")]


class PerfLock(Reader):
    """The reader of ``perf lock contention``."""

    source = "perf"

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._heading: _Heading | None = None
        self._tail = False

    def end(self) -> None:
        """Forget the heading."""
        super().end()
        self._heading, self._tail, self.per = None, False, "lock"

    def take(self, window: Window) -> int:
        """A heading, a row, a call chain, or a line of perf's tail."""
        for n, text in window.joined():
            if n > 3:
                break
            if (heading := _heading(text)) is not None:
                self._heading, self._tail = heading, False
                self.per = _PER.get(heading.view, "lock")
                self.begin(_SYSTEM)
                return n
        if self._heading is None:
            return self._plain(window)
        if (n := self._row(window, self._heading, 3)) or _CHAIN.fullmatch(window.first):
            return n or 1
        if found := _REMARK.fullmatch(window.first):
            remark = found[1] or found[2]
            self._tail = remark.startswith("output for debug")
            if not self._tail:
                self.begin(f"{_SYSTEM}, {remark}")
            return 1
        if found := _TAIL.fullmatch(window.first):
            if not self._tail and not window.first.lstrip().startswith("#"):
                return 0
            self._note_loss(found["rate"])
            return 1
        if self.open and cells.is_cut(window.first):
            raise ReportError(
                f"line {window.number}: not a row of perf lock contention: "
                f"{window.first.strip()!r}\nhelp: a row is {', '.join(_words(self._heading))}"
            )
        return 0

    def _plain(self, window: Window) -> int:
        """A row without a heading."""
        for heading in _PLAIN:
            if self._is_plain(window.first, heading):
                self._heading = heading
                self.begin(f"{_SYSTEM}, without heading")
                return self._row(window, heading, 1)
        thread = rf"\s*{cells.pattern(_PLAIN[0].cells)}\s+{_WHO['pid']}"
        if re.fullmatch(thread, window.first.rstrip()) and "." in window.first:
            raise ReportError(
                f"line {window.number}: a row of perf lock contention by thread, without its "
                "heading: did the thread wait, or hold?\nhelp: add the heading that ends in "
                "'pid  comm' (waited) or 'pid  owner' (held)"
            )
        return 0

    @staticmethod
    def _is_plain(line: str, heading: _Heading) -> bool:
        who = rf"(?:{_TYPE})\s+\S.*" if heading.view == "type" else r"[0-9a-f]{8,16}(?:\s.*)?"
        return bool(re.fullmatch(rf"\s*{cells.pattern(heading.cells)}\s+{who}", line.rstrip()))

    def _row(self, window: Window, heading: _Heading, most: int) -> int:
        """Add the row that begins here, and return its number of lines; 0: there is none."""
        for n, text in window.joined():
            if n > most:
                break
            split = _split_separated if heading.separator else _split
            if (found := split(text.rstrip(), heading)) is not None:
                texts, name, word, address = found
                values = cells.read(heading.cells, texts, window.number)
                self._add(values, name, word, address, heading)
                return n
            if heading.separator:
                break
        return 0

    def _add(
        self, values: cells.Values, name: str, word: str, address: str, heading: _Heading
    ) -> None:
        for time in values.half:
            if heading.separator:
                values.half[time] = 0.0
        if "wait_ns" in values.half:  # the mean is in whole nanoseconds
            values.half["wait_ns"] = max(values.half["wait_ns"], 1.0)
        kind: Kind = "spin"
        if word.endswith((":R", ":W")):
            kind = "read" if word.endswith(":R") else "write"
        total = values.of.get("wait_total_ns")
        cpus, window_ns = self.report.cpus, self.report.window_ns
        self.add(
            LockRow(
                name,
                kind,
                **values.of,  # type: ignore[arg-type]
                cpu_share=total / window_ns / cpus
                if total is not None and window_ns and cpus
                else None,
                type=word,
                address=address,
                half=values.half,
            )
        )

    def _note_loss(self, rate: str | None) -> None:
        """Say that perf lost events, if it did."""
        if rate is not None and float(rate) > 0 and self.report.tables:
            self.report.tables[-1].notes.append(
                f"perf lost {rate} % of the events: counts and times are too low"
            )


def _heading(line: str) -> _Heading | None:
    if found := _HEAD.fullmatch(line):
        columns = tuple(re.findall("|".join(_FIELDS), found[1]))
        return _Heading(columns, found[2].split()[0])
    if found := _SEPARATED_HEAD.match(line):
        separator = found["separator"]
        names = line.strip().removeprefix("# output: ").split(f"{separator} ")
        columns = tuple(name for name in names if name in _FIELDS)
        if len(columns) < len(names) and names[len(columns)] in _WHO:
            return _Heading(columns, names[len(columns)], separator)
    return None


def _split(line: str, heading: _Heading) -> tuple[list[str], str, str, str] | None:
    """A row's cells, its name, its kind of lock and its address."""
    form = rf"\s*{cells.pattern(heading.cells)}\s+{_WHO[heading.view]}"
    if (found := re.fullmatch(form, line)) is None:
        return None
    texts = list(found.groups()[: len(heading.columns)])
    return texts, *_who(heading.view, found["first"], (found["rest"] or "").strip(), "")


def _split_separated(line: str, heading: _Heading) -> tuple[list[str], str, str, str] | None:
    texts = line.strip().split(f"{heading.separator} ")
    n = len(heading.columns)
    if len(texts) <= n or not all(re.fullmatch(r"\d+", cell) for cell in texts[:n]):
        return None
    who = [*texts[n:], "", ""]
    if heading.view == "cgroup":
        return texts[:n], *_who(heading.view, "", who[0], "")
    word = who[2] if heading.view == "address" else ""
    return texts[:n], *_who(heading.view, who[0], who[1], word)


def _who(view: str, first: str, rest: str, word: str) -> tuple[str, str, str]:
    """A row's name, perf's word for the kind of lock, and the address of a lock with a symbol."""
    if view == "type":
        return rest or "?", first, ""
    if view == "address":
        symbol = rest
        if not word and (named := _TYPE_AT_END.fullmatch(rest)):
            symbol, word = named[1] or "", named[2]
        return (symbol, word, first) if symbol else (first, word, "")  # allocated: no symbol
    if view == "pid":
        return f"{rest or '?'} (pid {first})", "", ""
    return rest, "", ""


def _words(heading: _Heading) -> Iterable[str]:
    unit = " in whole ns" if heading.separator else " with its unit (1.65 ms)"
    for column in heading.columns:
        yield "a count" if column == "contended" else f"{column}{unit}"
    yield f"and {heading.view} …"


_UNITS = (("h", 3600e9), ("m", 60e9), ("s", 1e9), ("ms", 1e6), ("us", 1e3))


def text(table: LockTable) -> str:
    """A table as ``perf lock contention`` would print it.

    A lock that never waited has no row, as with perf. A simulated or native lock's kind is its
    side. Waits are of contended acquisitions only.
    """
    lines = [" contended   total wait     max wait     avg wait         type   caller", ""]
    rows = [(row, *_waits(row)) for row in table.locks]
    for row, contended, total in sorted(rows, key=lambda one: -one[2]):
        if not contended:
            continue
        side = {"read": "rwlock:R", "write": "rwlock:W"}.get(row.kind, "spinlock")
        mean = total / contended
        longest = mean if row.wait_max_ns is None else row.wait_max_ns
        times = " ".join(f"{_time(time):>12}" for time in (total, longest, mean))
        lines.append(f"{contended:10} {times}   {row.type or side:>10}   {row.name}")
    return "\n".join(lines) + "\n"


def _waits(row: LockRow) -> tuple[int, float]:
    """How many acquisitions waited, and their time together."""
    contended = row.contended
    if contended is None:
        contended = ((row.spin or 0) + (row.spin_ww or 0)) * (row.total or 0)
    total = row.wait_total_ns
    if total is None:
        total = contended * (row.wait_ns or 0)
    return round(contended), total


def _time(time_ns: float) -> str:
    """A time in its largest unit, with two decimals above nanoseconds."""
    for unit, size in _UNITS:
        if time_ns >= size:
            return f"{time_ns / size:.2f} {unit:<2}"
    return f"{time_ns:.0f} ns"
