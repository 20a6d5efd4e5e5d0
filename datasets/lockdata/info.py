"""Descriptions of tables: source, keys, units, corrections and notes."""

from dataclasses import dataclass

MISPRINT_KINDS = frozenset({"misprint", "label"})
"""Kinds of reason that correct the source; the other kinds only explain a cell."""

REASON_KINDS = MISPRINT_KINDS | {"notation", "missing", "blank", "text", "caveat"}
"""misprint: wrong value; label: right value, wrong label; notation: same value, other spelling;
missing: no result; blank: empty cell; text: a word; caveat: kept as printed, with a warning."""


@dataclass(frozen=True)
class SourceInfo:
    """One published document.

    Attributes:
        name: short name, for example ``"kaigai-2004"``.
        title: the document's title.
        authors: its authors.
        date: its date, ISO 8601.
        citation: how to cite it.
        url: a public address, empty where none is known.
        archive: another place that keeps it.
        licence: what was taken from it, and under which terms.
        machine: the machine that was measured.
        notes: remarks that hold for all its tables.
    """

    name: str
    title: str
    authors: tuple[str, ...]
    date: str
    citation: str
    url: str
    archive: str
    licence: str
    machine: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Key:
    """A column that identifies a cell.

    Attributes:
        name: the column's name.
        meaning: its meaning.
        integer: whether its values are whole numbers.
        values: its values with their meanings, if needed.
    """

    name: str
    meaning: str
    integer: bool
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Correction:
    """The reason why the corrected value or label of some cells is not the printed one.

    Attributes:
        reason: the key in the ``reason`` column of those cells.
        kind: one of REASON_KINDS.
        text: the reason.
        evidence: its evidence, possibly empty.
        cells: number of cells of the table with this reason.
    """

    reason: str
    kind: str
    text: str
    evidence: str
    cells: int


@dataclass(frozen=True)
class TableInfo:
    """One table of a source.

    Attributes:
        name: ``"source/table"``.
        title: short title.
        description: what was measured.
        source: its source.
        keys: the columns that name a cell, in the order of the file.
        row_keys: the keys that `pivot` puts down the side.
        column_keys: the keys that `pivot` puts across the top.
        units: the units that occur, in order of appearance.
        rows: rows of the table in its row-and-column form.
        cells: cells of the table.
        corrections: the reasons that its cells carry.
        terms: terms of the source that no cell uses, with their meanings.
        notes: how to read the table.
    """

    name: str
    title: str
    description: str
    source: SourceInfo
    keys: tuple[Key, ...]
    row_keys: tuple[str, ...]
    column_keys: tuple[str, ...]
    units: tuple[str, ...]
    rows: int
    cells: int
    corrections: tuple[Correction, ...]
    terms: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    @property
    def misprints(self) -> int:
        """Number of cells whose printed value or label is wrong."""
        return sum(c.cells for c in self.corrections if c.kind in MISPRINT_KINDS)

    @property
    def provenance(self) -> str:
        """Citation, and the public address where one is known."""
        return self.source.citation + (f" <{self.source.url}>" if self.source.url else "")

    def text(self) -> str:
        """Return all attributes as plain text, one fact on each line."""
        source = self.source
        lines = [
            f"{self.name}: {self.title}",
            self.description,
            f"{self.cells} cells in {self.rows} rows, {self.misprints} misprinted",
            f"Units: {', '.join(self.units)}",
            f"Source: {self.provenance}",
            f"Kept in: {source.archive}",
            f"Licence: {source.licence}",
            f"Machine: {source.machine}",
            "Keys:",
        ]
        for key in self.keys:
            lines.append(f"  {key.name}: {key.meaning}")
            lines.extend(f"    {value} = {meaning}" for value, meaning in key.values)
        if self.terms:
            lines.append("Further terms of the source:")
            lines.extend(f"  {term} = {meaning}" for term, meaning in self.terms)
        if self.corrections:
            lines.append("Reasons:")
        for c in self.corrections:
            lines.append(f"  {c.reason} ({c.kind}, {c.cells} cells): {c.text}")
            if c.evidence:
                lines.append(f"    Evidence: {c.evidence}")
        if self.notes or source.notes:
            lines.append("Notes:")
        lines.extend(f"  {note}" for note in (*self.notes, *source.notes))
        return "\n".join(lines)
