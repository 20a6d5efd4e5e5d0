"""Reader of the files: a folder for each source, with a CSV for each table and a ``source.toml``.

The files are checked when they are read; an error names the line. Only the
standard library is used, because pandas takes half a second to import.
"""

import csv
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lockdata.errors import DatasetError
from lockdata.info import REASON_KINDS, Correction, Key, SourceInfo, TableInfo
from lockdata.printed import number
from lockui.suggest import did_you_mean, near

FOLDER = Path(__file__).parent / "tables"
"""Where the tables lie."""

VALUE_COLUMNS = ("printed", "corrected", "unit", "reason", "place")
"""The columns that follow a table's keys, in this order."""


@dataclass(frozen=True)
class Cell:
    """One cell of a published table.

    Attributes:
        key: the values of the table's keys, in their order.
        printed: the text exactly as printed, without enclosing brackets.
        corrected: the corrected value in `unit`, or None.
        unit: unit of `corrected`, ``"text"`` for words.
        reason: key of the reason if the printed and the corrected value differ, else empty.
        place: the cell's place in the source.
    """

    key: tuple[str | int, ...]
    printed: str
    corrected: float | None
    unit: str
    reason: str
    place: str


@dataclass(frozen=True)
class Table:
    """A table's description and its cells, in the order of the source."""

    info: TableInfo
    cells: tuple[Cell, ...]


def names(folder: Path = FOLDER) -> list[str]:
    """Return the names of all tables, sources sorted by name, tables as in the metadata."""
    return [
        f"{path.parent.name}/{table}"
        for path in sorted(folder.glob("*/source.toml"))
        for table in _metadata(path)["tables"]
    ]


@cache
def read(name: str, folder: Path = FOLDER) -> Table:
    """Read and check one table.

    Arguments:
        name: ``"source/table"``.
        folder: the folder of the sources.

    Raises:
        DatasetError: the name is unknown, or the table's files are malformed.
    """
    known = names(folder)
    if name not in known:
        raise DatasetError(_unknown(name, known))
    source, table = name.split("/")
    meta = _metadata(folder / source / "source.toml")
    about = meta["tables"][table]
    keys = tuple(_key(n, k) for n, k in about["keys"].items())
    path = folder / source / f"{table}.csv"
    cells = _cells(path, keys, meta.get("reasons", {}))
    if len(cells) != about["cells"]:
        raise DatasetError(
            f"{path}: {len(cells)} cells, but source.toml says {about['cells']}. "
            "Complete the table or correct the count."
        )
    where = [[k.name for k in keys].index(r) for r in about["rows"]]
    info = TableInfo(
        name=name,
        title=about["title"],
        description=about["description"],
        source=_source(source, meta),
        keys=keys,
        row_keys=tuple(about["rows"]),
        column_keys=tuple(about["columns"]),
        units=tuple(dict.fromkeys(c.unit for c in cells)),
        rows=len({tuple(c.key[i] for i in where) for c in cells}),
        cells=len(cells),
        corrections=_corrections(cells, meta.get("reasons", {})),
        terms=tuple(about.get("terms", {}).items()),
        notes=tuple(about.get("notes", ())),
    )
    return Table(info, cells)


@cache
def _metadata(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise DatasetError(f"{path}: not valid TOML ({error}); correct that line") from error


def _unknown(name: str, known: list[str]) -> str:
    source, _, table = name.rpartition("/")
    # The most common error is a misspelt or bare table name, so compare tables first.
    pool = [n for n in known if n.startswith(f"{source}/")] or known
    tables = near(table, [n.split("/")[1] for n in pool], 3)
    whole = [n for t in tables for n in pool if n.endswith(f"/{t}")]
    offer = f"did you mean {' or '.join(map(repr, whole[:3]))}?"
    hint = offer if whole else did_you_mean(name, known, n=3)
    return f"unknown table {name!r}; {hint}"


def _source(name: str, meta: dict[str, Any]) -> SourceInfo:
    text = {
        k: str(meta[k])
        for k in ("title", "date", "citation", "url", "archive", "licence", "machine")
    }
    return SourceInfo(
        name=name, authors=tuple(meta["authors"]), notes=tuple(meta.get("notes", ())), **text
    )


def _key(name: str, about: dict[str, Any]) -> Key:
    values = tuple(about.get("values", {}).items())
    return Key(name, about["meaning"], about.get("integer", False), values)


def _corrections(cells: tuple[Cell, ...], reasons: dict[str, Any]) -> tuple[Correction, ...]:
    counts = {r: sum(c.reason == r for c in cells) for r in reasons}
    return tuple(
        Correction(r, about["kind"], about["text"], about["evidence"], counts[r])
        for r, about in reasons.items()
        if counts[r]
    )


def _cells(path: Path, keys: tuple[Key, ...], reasons: dict[str, Any]) -> tuple[Cell, ...]:
    for reason, about in reasons.items():
        if about["kind"] not in REASON_KINDS:
            raise DatasetError(
                f"{path.parent / 'source.toml'}: reason {reason!r} is of the unknown kind "
                f"{about['kind']!r}. Use one of {', '.join(sorted(REASON_KINDS))}."
            )
    header = [*(k.name for k in keys), *VALUE_COLUMNS]
    cells: dict[tuple[str | int, ...], Cell] = {}
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        found = next(lines, [])
        if found != header:
            raise DatasetError(
                f"{path}, line 1: the columns are {', '.join(found)}; "
                f"source.toml requires {', '.join(header)}."
            )
        for line in lines:
            where = f"{path}, line {lines.line_num}"
            cell = _cell(line, keys, where)
            _check(cell, reasons, where)
            if cell.key in cells:
                raise DatasetError(f"{where}: cell {cell.key} occurs twice. Remove one of them.")
            cells[cell.key] = cell
    return tuple(cells.values())


def _cell(line: list[str], keys: tuple[Key, ...], where: str) -> Cell:
    if len(line) != len(keys) + len(VALUE_COLUMNS):
        raise DatasetError(
            f"{where}: {len(line)} fields instead of {len(keys) + len(VALUE_COLUMNS)}. "
            "Quote fields that contain a comma."
        )
    printed, corrected, unit, reason, place = line[len(keys) :]
    try:
        key = tuple(int(v) if k.integer else v for k, v in zip(keys, line, strict=False))
        value = float(corrected) if corrected else None
    except ValueError as error:
        raise DatasetError(f"{where}: {error}. Write a plain number there.") from error
    return Cell(key, printed, value, unit, reason, place)


def _check(cell: Cell, reasons: dict[str, Any], where: str) -> None:
    if cell.reason and cell.reason not in reasons:
        raise DatasetError(
            f"{where}: reason {cell.reason!r} is not in source.toml. Add it there, or correct it."
        )
    if cell.corrected != number(cell.printed) and not cell.reason:
        raise DatasetError(
            f"{where}: {cell.printed!r} is printed and corrected to {cell.corrected} "
            "without a reason. Add one."
        )
    if not cell.unit or not cell.place:
        raise DatasetError(f"{where}: unit or place is empty. Fill it in.")
