"""The reader of Linux's ``/proc/lock_stat`` (``CONFIG_LOCK_STAT``, Documentation/locking/lockstat).

Each lock class has a line with contentions and their waits, acquisitions and their holds, in
microseconds; ``-W`` and ``-R`` at a name's end are the sides of a reader-writer lock. Below it
stand up to four places that waited, then, below a rule, up to four places that were waited for.
Only the former are callers here, of a class's first side, because the file does not separate the
sides. The file names neither its counting time nor the number of CPUs; options supply them. Rows
alone, as ``grep : /proc/lock_stat`` prints them, are read too; their width shows the version.

"Contended" means here that the first try failed; bounces (the lock's class was last used on another
CPU) have no column in a lockmeter's table and are left out.
"""

from __future__ import annotations

import re
from dataclasses import replace

from locksim.study.reports.errors import ReportError
from locksim.study.reports.numbers import half
from locksim.study.reports.table import Kind, LockRow, LockTable

__all__ = ["is_row", "parse"]

VERSIONS = ("0.3", "0.4")

_HEAD = re.compile(r"lock_stat version (\S+)")
_NUMBER = r"\d+(?:\.\d+)?"
_CLASS = re.compile(rf"\s*(?P<name>\S.*?):((?:\s+{_NUMBER}){{10,12}})\s*")
_POINT = re.compile(r"\s*(?P<name>\S.*?)\s+(?P<count>\d+)\s+\[<\S+>\]\s+(?P<at>\S.*?)\s*")
_COLUMNS = {
    "0.3": "con-bounces contentions wait-min wait-max wait-total "
    "acq-bounces acquisitions hold-min hold-max hold-total",
    "0.4": "con-bounces contentions wait-min wait-max wait-total wait-avg "
    "acq-bounces acquisitions hold-min hold-max hold-total hold-avg",
}
_COUNTS = ("contentions", "acquisitions")
_US = 1e3


def parse(text: str, *, cpus: int | None = None, window_ns: float | None = None) -> list[LockTable]:
    """Read the file's text.

    Arguments:
        cpus: of the machine, window_ns: since the counters were cleared. If both are known, the
            shares of time are computed.

    Returns:
        A table for each copy of the file in the text.

    Raises:
        ReportError: the text is not such a file, has an unknown version, or a line is not a row.
    """
    lines = text.splitlines()
    version = _version(lines)
    columns = _COLUMNS[version].split()
    rows: list[LockRow] = []
    found_rows = [rows]
    points = 0
    notes = [line.strip() for line in lines if line.startswith("*WARNING*")]
    for number, line in enumerate(lines, 1):
        if _HEAD.match(line):
            rows = []
            found_rows.append(rows)
        elif _is_rule(line):
            points += 1
        elif found := _CLASS.fullmatch(line):
            texts = found[2].split()
            if len(texts) != len(columns):
                raise ReportError(_bad(number, line, f"{len(texts)} numbers", columns))
            values = dict(zip(columns, texts, strict=True))
            if not all(values[count].isdecimal() for count in _COUNTS):
                raise ReportError(_bad(number, line, "a count is not whole", columns))
            rows.append(_class(found["name"], values))
            points = 0
        elif found := _POINT.fullmatch(line):
            if points == 1 and rows:  # the first block under a class: places that waited
                rows.append(_point(rows, found))
        elif line.strip() and not _is_heading(line):
            raise ReportError(_bad(number, line, "not a row", columns))
    found_rows = [one for one in found_rows if one]
    if not found_rows:
        raise ReportError(
            "the table has no lock\nhelp: switch counting on (echo 1 > /proc/sys/kernel/lock_stat)"
        )
    return [
        LockTable(
            "lock_stat",
            [_in_window(row, cpus, window_ns) for row in one],
            cpus,
            window_ns,
            f"lock_stat version {version}",
            notes,
        )
        for one in found_rows
    ]


def is_row(line: str) -> bool:
    """Whether a line is the row of a lock class."""
    return _CLASS.fullmatch(line) is not None


def _version(lines: list[str]) -> str:
    """The file's version; without the first line, the version with as many columns.

    Raises:
        ReportError: the version is unknown or missing.
    """
    version = next((found[1] for line in lines if (found := _HEAD.match(line))), None)
    if version in VERSIONS:
        return str(version)
    first = next((found for line in lines if (found := _CLASS.fullmatch(line))), None)
    for known, columns in _COLUMNS.items():
        if version is None and first is not None and len(first[2].split()) == len(columns.split()):
            return known
    what = "no version and no row" if version is None else f"version {version}"
    raise ReportError(
        f"lock_stat: {what}; known versions: {', '.join(VERSIONS)}\n"
        "help: give /proc/lock_stat as the kernel writes it, its first line included"
    )


def _class(name: str, texts: dict[str, str]) -> LockRow:
    kind: Kind = "spin"
    if name.endswith(("-W", "-R")):
        kind = "write" if name.endswith("-W") else "read"
        name = name[:-2]
    contended, total = int(texts["contentions"]), int(texts["acquisitions"])
    values: dict[str, float] = {}
    exact: dict[str, float] = {}
    for field, column in (
        ("wait_ns", "wait-avg"),
        ("wait_max_ns", "wait-max"),
        ("wait_total_ns", "wait-total"),
        ("hold_ns", "hold-avg"),
        ("hold_max_ns", "hold-max"),
        ("hold_total_ns", "hold-total"),
    ):
        if column in texts:
            # Averages are truncated to hundredths, so the error is a whole unit on one side.
            unit = half(texts[column].partition(".")[2] or None) * _US
            values[field] = float(texts[column]) * _US
            exact[field] = 2 * unit if column.endswith("avg") else unit
    if "wait_ns" not in values:
        values["wait_ns"] = values["wait_total_ns"] / contended if contended else 0.0
        values["hold_ns"] = values["hold_total_ns"] / total if total else 0.0
    share = contended / total if total else 0.0
    return LockRow(
        name,
        kind,
        con=share,
        total=total,
        contended=contended,
        nowait=1 - share,
        spin=share,
        **values,  # type: ignore[arg-type]
        half=exact,
    )


def _point(rows: list[LockRow], found: re.Match[str]) -> LockRow:
    """A place that waited; its contentions cover both sides of a class."""
    last = next(row for row in reversed(rows) if not row.caller)
    lock = next(row for row in rows if row.name == last.name)
    return LockRow(lock.name, lock.kind, found["at"], contended=int(found["count"]))


def _in_window(row: LockRow, cpus: int | None, window_ns: float | None) -> LockRow:
    """The row with the shares of time in the window."""
    if window_ns is None or row.caller:
        return row
    waited, held = row.wait_total_ns or 0.0, row.hold_total_ns or 0.0
    return replace(
        row,
        util=None if row.kind == "read" else held / window_ns,
        cpu_share=None if cpus is None else waited / window_ns / cpus,
    )


def _is_rule(line: str) -> bool:
    """Whether a line parts the blocks; the rule under a class is as long as the class's name."""
    return bool(re.fullmatch(r"\s*(?:-+|\.+)\s*", line))


def _is_heading(line: str) -> bool:
    return line.startswith(("lock_stat version", "*WARNING*")) or "class name" in line


def _bad(number: int, line: str, what: str, columns: list[str]) -> str:
    return (
        f"line {number}: {what}, expected a lock's {len(columns)} columns: {line.strip()!r}\n"
        f"help: the columns are 'class name:' {' '.join(columns)}"
    )
