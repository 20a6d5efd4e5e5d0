"""The reader of ``perf lock contention``'s text: waits only, by place, lock or thread.

perf counts waits, not immediate acquisitions, so there is no CON, HOLD or TOTAL. The heading shows
the meaning of a line: the place that waited (``type caller``), the lock (``address symbol``), the
thread that waited or, with ``-o``, held (``pid comm``, ``pid owner``), or a cgroup. ``-F`` chooses
the columns; ``-x`` separates them by a string and gives times in whole nanoseconds. A heading
starts a table, and so does a remark (``=== owner stack trace ===``, ``# …``) that has rows below
it. A line that reads as a row is always one. Only other lines are skipped: call chains below a
row, and what follows a remark.

Times with a unit are truncated to two decimals of it, each separately.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from locksim.study.reports import numbers
from locksim.study.reports.errors import ReportError
from locksim.study.reports.table import Kind, LockRow, LockTable

_COLUMN = r"contended|total wait|max wait|min wait|avg wait"
_VIEW = r"type\s+caller|address\s+symbol|pid\s+comm|pid\s+owner|cgroup"
_HEAD = re.compile(rf"\s*((?:(?:{_COLUMN})\s+)+)({_VIEW})\s*")
_CSV_HEAD = re.compile(rf"# output: (?:{_COLUMN})(?P<separator>\S+?) (?=\w)")
_TIME = r"\d+(?:\.\d+)?\s+(?:ns|us|ms|s|m|h)"
_WHO = {
    "type": r"(?P<first>\S+)\s+(?P<rest>.*)",
    "address": r"(?P<first>[0-9a-f]+)(?:\s+(?P<rest>.*))?",
    "pid": r"(?P<first>-?\d+)(?:\s+(?P<rest>.*))?",
    "cgroup": r"(?P<first>)(?P<rest>\S.*)",
}
_CHAIN = re.compile(r"\s+0x[0-9a-f]+\s+\S.*")
_REMARK = re.compile(r"\s*(?:===|#) ?(.*?):?\s*(?:===)?\s*")
_SYSTEM = "perf lock contention"
_TYPE_AT_END = re.compile(r"(?:(.*\S)\s+)?\((\S+)\)")
_FIELDS = {"total wait": "wait_total_ns", "max wait": "wait_max_ns", "avg wait": "wait_ns"}


@dataclass(frozen=True, slots=True)
class _Heading:
    """The meaning of the lines below: columns in order, the view's first word, a separator."""

    columns: tuple[str, ...]
    view: str
    separator: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    """A row's values as text, with their owner."""

    values: dict[str, str]
    first: str
    rest: str
    type: str = ""


def is_heading(line: str) -> bool:
    """Whether a line is the heading of such a table."""
    return _heading(line) is not None


def parse(text: str, *, cpus: int | None = None, window_ns: float | None = None) -> list[LockTable]:
    """Read perf's text.

    Arguments:
        cpus: of the machine. window_ns: the time of perf's recording. With both, the share of all
            CPUs' time is computed, if waiting was spinning.

    Returns:
        A table for each heading.

    Raises:
        ReportError: there is no heading, or a line below it is not a row.
    """
    heading: _Heading | None = None
    tables: list[LockTable] = []
    after_remark = False
    for number, line in enumerate(text.splitlines(), 1):
        if (found := _heading(line)) is not None:
            heading, after_remark = found, False
            tables.append(LockTable("perf", [], cpus, window_ns, _SYSTEM))
        elif heading is None or not line.strip():
            continue
        elif (row := _split(line, heading)) is not None:
            tables[-1].rows.append(_row(row, heading, cpus, window_ns))
        elif remark := _REMARK.fullmatch(line):
            after_remark = True
            tables.append(LockTable("perf", [], cpus, window_ns, f"{_SYSTEM}, {remark[1]}"))
        elif not _CHAIN.fullmatch(line) and (tables[-1].rows or not after_remark):
            raise ReportError(
                f"line {number}: not a row of perf lock contention: {line.strip()!r}\n"
                f"help: a row is {', '.join(_columns(heading))}"
            )
    if heading is None:
        raise ReportError(
            "the heading 'contended  total wait  max wait  avg wait …' was not found\n"
            "help: give the whole text of 'perf lock contention'"
        )
    tables = [table for table in tables if table.rows]
    if not tables:
        raise ReportError("the table has no row: no lock was contended\nhelp: record for longer")
    return tables


def _heading(line: str) -> _Heading | None:
    if found := _HEAD.fullmatch(line):
        columns = tuple(re.findall(_COLUMN, found[1]))
        return _Heading(columns, found[2].split()[0])
    if found := _CSV_HEAD.match(line):
        separator = found["separator"]
        names = line.removeprefix("# output: ").rstrip().split(f"{separator} ")
        columns = tuple(name for name in names if re.fullmatch(_COLUMN, name))
        if len(columns) < len(names):
            return _Heading(columns, names[len(columns)], separator)
    return None


def _split(line: str, heading: _Heading) -> _Line | None:
    if heading.view not in _WHO:
        return None
    if heading.separator:
        return _split_separated(line, heading)
    pattern = r"\s+".join(
        rf"({_TIME})" if column != "contended" else r"(\d+)" for column in heading.columns
    )
    found = re.fullmatch(rf"\s*{pattern}\s+{_WHO[heading.view]}", line.rstrip())
    if found is None:
        return None
    values = dict(zip(heading.columns, found.groups(), strict=False))
    return _Line(values, found["first"], (found["rest"] or "").strip())


def _split_separated(line: str, heading: _Heading) -> _Line | None:
    cells = line.rstrip().split(f"{heading.separator} ")
    n = len(heading.columns)
    if len(cells) <= n or not all(re.fullmatch(r"\d+", cell) for cell in cells[:n]):
        return None
    values = {
        column: value if column == "contended" else f"{value} ns"
        for column, value in zip(heading.columns, cells, strict=False)
    }
    who = [*cells[n:], "", ""]
    if heading.view == "cgroup":
        return _Line(values, "", who[0])
    return _Line(values, who[0], who[1], who[2] if heading.view == "address" else "")


def _row(line: _Line, heading: _Heading, cpus: int | None, window_ns: float | None) -> LockRow:
    values: dict[str, float] = {}
    half: dict[str, float] = {}
    for column, name in _FIELDS.items():
        if column in line.values:
            value, of_last = numbers.read(line.values[column].replace(" ", ""))
            values[name] = value
            # Truncated, so the error is a whole unit of the last digit. The mean is in whole
            # nanoseconds; with a separator the others are exact.
            half[name] = 0.0 if heading.separator else 2 * of_last
    if "wait_ns" in half:
        half["wait_ns"] = max(half["wait_ns"], 1.0)
    name, word = _who(line, heading.view)
    kind: Kind = "spin"
    if word.endswith((":R", ":W")):
        kind = "read" if word.endswith(":R") else "write"
    total = values.get("wait_total_ns")
    return LockRow(
        name,
        kind,
        **values,  # type: ignore[arg-type]
        contended=int(line.values["contended"]) if "contended" in line.values else None,
        cpu_share=total / window_ns / cpus if total is not None and window_ns and cpus else None,
        type=word,
        half=half,
    )


def _who(line: _Line, view: str) -> tuple[str, str]:
    """A row's name, and perf's word for the kind of lock."""
    if view == "type":
        return line.rest or "?", line.first
    if view == "address":
        if line.type:
            return line.rest or line.first, line.type
        named = _TYPE_AT_END.fullmatch(line.rest)  # allocated locks have no symbol
        return (named[1] or line.first, named[2]) if named else (line.rest or line.first, "")
    if view == "pid":
        return f"{line.rest or '?'} (pid {line.first})", ""
    return line.rest, ""


def _columns(heading: _Heading) -> Iterator[str]:
    unit = " in whole ns" if heading.separator else " with its unit (1.65 ms)"
    for column in heading.columns:
        yield "a count" if column == "contended" else f"{column}{unit}"
    yield f"and {heading.view} …"
