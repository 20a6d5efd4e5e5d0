"""Diagrams that are written as text and drawn as SVG: boxes in frames, and timelines.

The text stands in the lesson, so that a diagram is changed where it is read. Lines and letters have
the colour of the text around them, so one drawing serves light and dark pages. A shape, pattern or
letter accompanies every colour.

    boxes('''
        A holds, B waits
        tail | -
        A: locked=0! | B: locked=1
        tail > B
        A > B: next
    ''', alt="…", caption="…")

A frame is a title, rows of boxes, and arrows; an empty line begins the next frame. ``name: text``
is a box with a second line, a final ``!`` fills it, ``-`` leaves its place empty. ``a > b`` is an
arrow, ``a ~> b`` a dashed one, and ``: words`` label it.

    timeline('''
        CPU 0  | ..rrrrr......
        writer | ...U======F..
    ''', {"r": "reads", "U": "unlinks", "=": "waits", "F": "frees"}, alt="…", caption="…")

Each character is a step of time. Equal characters in a row make a bar, ``.`` is nothing, and a
capital letter is a moment.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from locklessons.figures import Figure
from lockui.plots.look import COLOURS

BOX = (112, 46)
GAP = (48, 30)
_ARROW = re.compile(r"^(?P<from>[^|>~:]+?) (?P<kind>~?>) (?P<to>[^|>~:]+?)(?:: (?P<label>.+))?$")
_FILLS = ("solid", "hatched", "dotted", "crossed", "empty")


class DiagramError(ValueError):
    """The text of a diagram cannot be drawn."""


def boxes(text: str, *, alt: str, caption: str) -> Figure:
    """Draw frames of boxes and arrows.

    Arguments:
        text: see the module. alt: the content in words. caption: the text below.

    Raises:
        DiagramError: a frame has no box, or an arrow names one that is not in its frame.
    """
    frames = [part for part in re.split(r"\n\s*\n", text.strip("\n ")) if part.strip()]
    drawn = "".join(_frame([line.strip() for line in frame.splitlines()]) for frame in frames)
    row = f'<div style="display: flex; flex-wrap: wrap; gap: 1.2em 2em">{drawn}</div>'
    return Figure(row, alt, caption)


def timeline(text: str, legend: Mapping[str, str], *, alt: str, caption: str) -> Figure:
    """Draw rows of bars and moments over time.

    Arguments:
        text: see the module. legend: the meaning of each character.
        alt: the content in words. caption: the text below.

    Raises:
        DiagramError: a line has no ``|``, or a character is not in the legend.
    """
    rows = []
    for line in text.strip().splitlines():
        name, bar, steps = line.partition("|")
        if not bar:
            raise DiagramError(f"write 'name | steps' (got '{line.strip()}')")
        rows.append((name.strip(), steps.strip()))
    if unknown := {c for _, steps in rows for c in steps} - set(legend) - {"."}:
        raise DiagramError(f"the legend lacks: {', '.join(sorted(unknown))}")
    bars = [c for c in legend if not c.isupper()]
    styles = {c: (COLOURS[i % len(COLOURS)], _FILLS[i % 5]) for i, c in enumerate(bars)}
    left = 12 + 7.6 * max(len(name) for name, _ in rows)
    step = (500 - left) / max(len(steps) for _, steps in rows)
    parts = []
    for number, (name, steps) in enumerate(rows):
        y = 10 + 34 * number
        parts.append(_words(0, y + 17, name, anchor="start"))
        parts.append(_line(left, y + 24, 500, y + 24, opacity=0.35))
        at = 0
        for c, group in itertools.groupby(steps):
            length = len([*group])
            x, width = left + at * step, length * step
            if c.isupper():
                parts += [_moment(x + (i + 0.5) * step, y + 13, c) for i in range(length)]
            elif c != ".":
                parts.append(_bar(x, y + 3, width, 20, *styles[c]))
            at += length
    height = 20 + 34 * len(rows)
    key = "".join(
        f'<li style="display: inline-block; margin: 0 1.2em 0 0">{_swatch(c, styles)} '
        f"{html.escape(meaning)}</li>"
        for c, meaning in legend.items()
    )
    key = f'<ul style="list-style: none; padding: 0; margin: 0.3em 0; font-size: 0.9em">{key}</ul>'
    return Figure(_svg(506, height, parts) + key, alt, caption)


@dataclass(frozen=True)
class _Box:
    name: str
    text: str
    filled: bool
    column: int
    row: int

    @property
    def middle(self) -> tuple[float, float]:
        return (
            self.column * (BOX[0] + GAP[0]) + BOX[0] / 2 + 2,
            self.row * (BOX[1] + GAP[1]) + BOX[1] / 2 + 2,
        )


def _frame(lines: list[str]) -> str:
    title, *rest = lines
    arrows = [found for line in rest if (found := _ARROW.match(line))]
    rows = [line for line in rest if not _ARROW.match(line)]
    cells = [
        box
        for number, row in enumerate(rows)
        for column, cell in enumerate(row.split("|"))
        if (box := _box(cell.strip(), column, number))
    ]
    placed = {box.name: box for box in cells}
    if len(placed) < len(cells):
        raise DiagramError(f"the frame '{title}' has two boxes of one name: give each its own")
    if not placed:
        raise DiagramError(f"the frame '{title}' has no box")
    parts = [_drawn(box) for box in placed.values()]
    for arrow in arrows:
        for end in (arrow["from"], arrow["to"]):
            if end not in placed:
                raise DiagramError(f"the frame '{title}' has no box '{end}'")
        parts.append(_arrow(placed[arrow["from"]], placed[arrow["to"]], arrow))
    columns = 1 + max(box.column for box in placed.values())
    width = columns * (BOX[0] + GAP[0]) - GAP[0] + 4
    height = len(rows) * (BOX[1] + GAP[1]) - GAP[1] + 4
    words = f'<p style="margin: 0 0 0.4em; font-size: 0.9em">{html.escape(title)}</p>'
    return f'<div style="max-width: 100%">{words}{_svg(width, height, parts)}</div>'


def _box(cell: str, column: int, row: int) -> _Box | None:
    if cell in ("", "-"):
        return None
    filled = cell.endswith("!")
    name, _, text = cell.removesuffix("!").partition(":")
    return _Box(name.strip(), text.strip(), filled, column, row)


def _drawn(box: _Box) -> str:
    x, y = box.middle[0] - BOX[0] / 2, box.middle[1] - BOX[1] / 2
    fill = f'fill="{COLOURS[0]}" fill-opacity="0.28"' if box.filled else 'fill="none"'
    edge = 2.4 if box.filled else 1.2
    shape = (
        f'<rect x="{x:g}" y="{y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="5" {fill} '
        f'stroke="currentColor" stroke-width="{edge}"/>'
    )
    middle, top = box.middle
    if not box.text:
        return shape + _words(middle, top + 5, box.name, bold=True)
    return shape + _words(middle, top - 4, box.name, bold=True) + _words(middle, top + 14, box.text)


def _arrow(start: _Box, end: _Box, arrow: re.Match[str]) -> str:
    (x1, y1), (x2, y2) = start.middle, end.middle
    dx, dy = x2 - x1, y2 - y1
    # From the edge of one box to the edge of the other.
    scale = min(
        (BOX[0] / 2) / abs(dx) if dx else float("inf"),
        (BOX[1] / 2) / abs(dy) if dy else float("inf"),
    )
    x1, y1, x2, y2 = x1 + dx * scale, y1 + dy * scale, x2 - dx * scale, y2 - dy * scale
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    head = " ".join(
        f"{x:.1f},{y:.1f}"
        for x, y in (
            (x2, y2),
            (x2 - 9 * ux + 4.5 * uy, y2 - 9 * uy - 4.5 * ux),
            (x2 - 9 * ux - 4.5 * uy, y2 - 9 * uy + 4.5 * ux),
        )
    )
    dash = arrow["kind"] == "~>"
    drawn = _line(x1, y1, x2 - 7 * ux, y2 - 7 * uy, dash=dash)
    drawn += f'<polygon points="{head}" fill="currentColor"/>'
    if arrow["label"]:
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        if not dy:
            y, anchor = y - 5, "middle"
        elif dx * dy < 0:  # down to the left: the room is above the line, on its left
            x, anchor = x - 7, "end"
        else:
            x, y, anchor = x + 7, y + (0 if dx else 4), "start"
        drawn += _words(x, y, arrow["label"], anchor=anchor, size=11)
    return drawn


def _swatch(c: str, styles: Mapping[str, tuple[str, str]]) -> str:
    if c.isupper():
        drawn, width = _moment(10, 10, c), 20
    else:
        drawn, width = _bar(1, 3, 26, 14, *styles[c]), 28
    return (
        f'<svg aria-hidden="true" viewBox="0 0 {width} 20" width="{width}" height="20" '
        f'style="vertical-align: middle">{drawn}</svg>'
    )


def _bar(x: float, y: float, width: float, height: float, colour: str, fill: str) -> str:
    """A rectangle with a pattern drawn inside it."""
    opacity = {"solid": 0.75, "empty": 0}.get(fill, 0.18)
    parts = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" fill="{colour}" '
        f'fill-opacity="{opacity}" stroke="currentColor" stroke-width="1"/>'
    ]
    marks = int(width // 8)
    for i in range(marks):
        at = x + (i + 0.5) * width / marks
        if fill in ("hatched", "crossed"):
            parts.append(_line(at - 3, y + height - 2, at + 3, y + 2))
        if fill == "crossed":
            parts.append(_line(at - 3, y + 2, at + 3, y + height - 2))
        if fill == "dotted":
            parts.append(
                f'<circle cx="{at:.1f}" cy="{y + height / 2:.1f}" r="1.8" fill="currentColor"/>'
            )
    return "".join(parts)


def _moment(x: float, y: float, letter: str) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y}" r="9" fill="{COLOURS[1]}" fill-opacity="0.3" '
        f'stroke="currentColor"/>' + _words(x, y + 4.5, letter, bold=True, size=12)
    )


def _line(
    x1: float, y1: float, x2: float, y2: float, *, dash: bool = False, opacity: float = 1
) -> str:
    dashed = ' stroke-dasharray="5 4"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" '
        f'stroke-width="1.4" stroke-opacity="{opacity}"{dashed}/>'
    )


def _words(
    x: float, y: float, text: str, *, anchor: str = "middle", bold: bool = False, size: int = 13
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{weight} '
        f'fill="currentColor">{html.escape(text)}</text>'
    )


def _svg(width: float, height: float, parts: list[str]) -> str:
    return (
        f'<svg aria-hidden="true" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" style="max-width: 100%; height: auto; overflow: visible" '
        f'font-family="inherit">{"".join(parts)}</svg>'
    )
