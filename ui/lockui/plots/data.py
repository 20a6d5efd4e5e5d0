"""What a plot shows, as data: panels of curves or bars, the same in words, and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lockui.tables import DASH, digits, fixed

__all__ = ["Axis", "Bar", "Bars", "Curves", "Line", "Plot", "Point", "Words"]

#: An extreme between a line's ends is named if it differs from both by more than this fraction.
WORTH_A_WORD = 0.03
#: Most lines of a panel; more become a panel each.
MOST_LINES = 6


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis.

    Arguments:
        label: what it shows, with the unit in brackets.
        log: whether it is logarithmic; None: if the values differ by more than a factor of 20.
        ends: its lowest and highest value, where they must stay.
    """

    label: str
    log: bool | None = None
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a line.

    Arguments:
        x, y: in the units of the axes; y is None if there is no value.
        low, high: the 95 % interval of y, NaN if there is none.
        used: whether a fit or a parameter used this measured point.
        band: the ends of the uncertainty band of y, if there is one.
    """

    x: float
    y: float | None
    low: float = math.nan
    high: float = math.nan
    used: bool = False
    band: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A named line.

    Arguments:
        name: it stands at the line's end.
        points: joined by the line. marks: drawn as markers, such as measured values.
        own: the reader's own points, drawn as stars.
    """

    name: str
    points: Sequence[Point] = ()
    marks: Sequence[Point] = ()
    own: bool = False

    @property
    def missing(self) -> list[float]:
        """Where the line has no value."""
        return [p.x for p in self.points if p.y is None]


@dataclass(frozen=True, slots=True)
class Curves:
    """A panel of lines; ``behind`` are drawn in grey for comparison."""

    lines: Sequence[Line]
    x: Axis
    y: Axis
    title: str = ""
    behind: Sequence[Line] = ()


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar.

    Arguments:
        label: its name. value: its length, or None if there is no value.
        low, high: the 95 % interval, NaN if there is none.
        mark: a second value to compare with, such as the measured one.
        used: whether a fit or a parameter used the mark.
        band: the ends of the uncertainty band, if there is one.
    """

    label: str
    value: float | None
    low: float = math.nan
    high: float = math.nan
    mark: float | None = None
    used: bool = False
    band: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Bars:
    """A panel of bars, from top to bottom."""

    bars: Sequence[Bar]
    x: Axis
    title: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """What lines and bars, and the marks on them, stand for.

    Arguments:
        values: such as ``simulated``; empty: nothing is said, and a gap is no news.
        marks: such as ``measured``. line: what the name of a line or a bar is, such as ``lock``.
    """

    values: str = "simulated"
    marks: str = "measured"
    line: str = "line"


@dataclass(frozen=True)
class Plot:
    """A plot.

    Arguments:
        title: its message, in one line.
        panels: all of curves with the same axes, or all of bars.
        caption: where the numbers come from: machine, seed, version.
        words: what lines and marks stand for.
    """

    title: str
    panels: Sequence[Curves | Bars]
    caption: str = ""
    words: Words = Words()

    def alt(self) -> str:
        """Return the plot in words."""
        sentences = [f"{self.title.rstrip('.')}."]
        kind = "Lines" if isinstance(self.panels[0], Curves) else "Bars"
        if self._marked():
            sentences.append(f"{kind} are {self.words.values}, markers {self.words.marks}.")
        for i, panel in enumerate(self.panels):
            title = f"{panel.title}: " if panel.title else ""
            if isinstance(panel, Bars):
                sentences.append(title + _bars_in_words(panel, self.words))
                continue
            axes = f"{panel.y.label} against {panel.x.label}. " if not i else ""
            lines = (_line_in_words(line, self.words) for line in panel.lines)
            sentences.append(axes + title + " ".join(lines))
        return " ".join(sentences)

    def key(self) -> str:
        """Return the sentences that explain bands, hollow markers and crosses, as far as drawn."""
        curves = isinstance(self.panels[0], Curves)
        found = []
        if self._marked():
            found.append(
                f"{'Lines' if curves else 'Bars'}: {self.words.values}; "
                f"markers: {self.words.marks}."
            )
        values = list(self._values())
        if any(p.used for p in values):
            found.append("Hollow: a fit or a parameter used it.")
        if any(math.isfinite(p.low) for p in values):
            found.append(f"{'Bands' if curves else 'Whiskers'}: 95 % intervals.")
        if any(p.band for p in values):
            kind = "Pale bands" if curves else "Pale whiskers"
            found.append(f"{kind}: other starting orders and values of the machine.")
        if curves and self.words.values and self._missing():
            found.append(f"Crosses: not {self.words.values}.")
        return " ".join(found)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return heads and rows of the table of all numbers, as text without empty columns."""
        first = self.panels[0]
        place, value = "quantity", self.words.values or "value"
        if isinstance(first, Curves):
            place, value = first.x.label, first.y.label
        between = ["95 % interval", "uncertainty band"]
        heads = ["panel", self.words.line, place, value, *between, self.words.marks]
        rows = [row for panel in self.panels for row in _rows(panel, self.words)]
        if isinstance(first, Bars) and len({row[2] for row in rows}) == 1:
            heads[3] = f"{first.x.label}, {value}"
            rows = [[*row[:2], "", *row[3:]] for row in rows]
        kept = [i for i in range(len(heads)) if any(row[i] not in ("", DASH) for row in rows)]
        return [heads[i] for i in kept], [[row[i] for i in kept] for row in rows]

    def split(self) -> Plot:
        """Return the plot with a panel for each line where a panel has more than six."""
        panels: list[Curves] = []
        for panel in self.panels:
            if isinstance(panel, Bars):
                return self
            if len(panel.lines) <= MOST_LINES:
                panels.append(panel)
                continue
            for line in panel.lines:
                title = f"{panel.title}: {line.name}" if panel.title else line.name
                behind = [other for other in panel.lines if other is not line]
                panels.append(replace(panel, lines=[line], title=title, behind=behind))
        return replace(self, panels=panels)

    def _marked(self) -> bool:
        """Return whether there are marks and values."""
        if not self.words.values:
            return False
        return any(
            any(line.marks for line in panel.lines)
            if isinstance(panel, Curves)
            else any(bar.mark is not None for bar in panel.bars)
            for panel in self.panels
        )

    def _missing(self) -> bool:
        return any(line.missing for p in self.panels if isinstance(p, Curves) for line in p.lines)

    def _values(self) -> Iterable[Point | Bar]:
        for panel in self.panels:
            if isinstance(panel, Bars):
                yield from panel.bars
            else:
                for line in panel.lines:
                    yield from (*line.points, *line.marks)


def _line_in_words(line: Line, words: Words) -> str:
    """Return the ends of a line and of its marks, the extremes between them, and its gaps."""
    known = _known(line.points)
    marks = _known(line.marks)
    course = _course(known or marks)
    goes = " goes " if len(known or marks) > 1 else ": " if course else ""
    parts = [f"{line.name}{goes}{course}"]
    if known and marks:
        parts.append(f"{words.marks or 'markers'} {_course(marks)}")
    if words.values and line.missing:
        where = " and ".join(f"{x:g}" for x in line.missing)
        parts.append(f"not {words.values} at {where}")
    return f"{'; '.join(parts)}."


def _known(points: Sequence[Point]) -> list[tuple[float, float]]:
    return [(p.x, p.y) for p in points if p.y is not None]


def _course(points: Sequence[tuple[float, float]]) -> str:
    """Return where points begin and end, and the highest and lowest one between."""
    if len(points) < 2:
        return " ".join(f"{digits(y)} at {x:g}" for x, y in points)
    (x0, y0), (x1, y1) = points[0], points[-1]
    text = f"from {digits(y0)} at {x0:g} to {digits(y1)} at {x1:g}"
    for name, best in (("highest", max), ("lowest", min)):
        x, y = best(points, key=lambda p: p[1])
        if min(abs(y - end) / (abs(end) or 1) for end in (y0, y1)) > WORTH_A_WORD:
            text += f", {name} {digits(y)} at {x:g}"
    return text


def _bars_in_words(panel: Bars, words: Words) -> str:
    """Return the number of bars, and where the error is largest, or the longest bar."""
    text = f"{panel.x.label}, {len(panel.bars)} bar{'s' * (len(panel.bars) != 1)}"
    known = [(bar, bar.value) for bar in panel.bars if bar.value is not None]
    marked = [(bar, value, bar.mark) for bar, value in known if bar.mark is not None]
    if marked:
        bar, value, mark = max(marked, key=lambda one: abs(one[1] - one[2]))
        text += f"; the largest error is at {bar.label}, {digits(value)} instead of {digits(mark)}"
    elif known:
        bar, value = max(known, key=lambda one: one[1])
        text += f"; the longest is {bar.label}, {digits(value)}"
    gaps = [bar.label for bar in panel.bars if bar.value is None]
    if words.values and gaps:
        text += f"; not {words.values}: {', '.join(gaps)}"
    return f"{text}."


def _rows(panel: Curves | Bars, words: Words) -> Iterable[list[str]]:
    """Yield panel, name, place, value, interval, band and mark of every point."""
    gap = f"not {words.values}" if words.values else DASH
    if isinstance(panel, Bars):
        for bar in panel.bars:
            value = gap if bar.value is None else _number(bar.value)
            mark = _number(bar.mark)
            yield [panel.title, bar.label, panel.x.label, value, *_between(bar), mark]
        return
    for line in panel.lines:
        marks = {p.x: p.y for p in line.marks}
        for p in line.points:
            value = gap if p.y is None else _number(p.y)
            mark = _number(marks.pop(p.x, None))
            yield [panel.title, line.name, f"{p.x:g}", value, *_between(p), mark]
        for x, y in marks.items():
            yield [panel.title, line.name, f"{x:g}", DASH, DASH, DASH, _number(y)]


def _between(value: Point | Bar) -> list[str]:
    """Return the interval and the band of a value."""
    ends = [(value.low, value.high), value.band or (math.nan, math.nan)]
    return [
        f"{_number(low)} … {_number(high)}" if math.isfinite(low) else DASH for low, high in ends
    ]


def _number(value: float | None) -> str:
    """Return a value with four digits: a table may have values of all sizes."""
    return fixed(value, None)
