"""The summary of lmbench 2 (McVoy and Staelin, USENIX 1996), with a line for each system.

Columns, their widths and their order are those of lmbench 2.0's summary in franke-2001. The names
of the values are those of lockdata's ``franke-2001/lmbench-*`` tables, with ``bandwidth_`` before
those of bandwidths. A section is printed if a system has a value for it; missing values are blank.

lmbench fits a number to its column. Below ten it has a point and all digits that fit; from ten on
it is whole; from ten thousand on it is in thousands (``14K``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_THOUSANDS = 10_000


@dataclass(frozen=True, slots=True)
class System:
    """A system, which has a line in every section.

    Arguments:
        host, os: as in the first two columns, cut to nine and thirteen characters.
        mhz: clock rate. values: name → value in the section's unit.
    """

    host: str
    os: str
    mhz: float
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the summary.

    Arguments:
        title: the title with the unit. mhz: whether the clock rate is a column.
        columns: name of the value, its heading in two lines, its width.
    """

    title: str
    mhz: bool
    columns: tuple[tuple[str, str, str, int], ...]


SECTIONS = tuple(
    Section(one["title"], one["mhz"], tuple(tuple(column) for column in one["columns"]))
    for one in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["section"]
)


def summary(systems: Sequence[System]) -> str:
    """The summary's text: the sections that have values, with a line for each system."""
    parts = ["                 L M B E N C H  2 . 0   S U M M A R Y"]
    for section in SECTIONS:
        if any(name in one.values for one in systems for name, *_ in section.columns):
            parts.append(_section(section, systems))
    return "\n\n".join(parts) + "\n"


def number(value: float, width: int) -> str:
    """A value as lmbench fits it to a column of a given width."""
    if value >= _THOUSANDS - 0.5:
        return f"{value / 1000:.0f}K"
    text = f"{value:.{max(0, width - 2)}f}"
    return text if len(text) <= width else f"{value:.0f}"


def _section(section: Section, systems: Sequence[System]) -> str:
    heads = ["Host                 OS" + ("  Mhz" if section.mhz else ""), " " * 23]
    heads[1] += " " * 5 * section.mhz
    rule = "--------- -------------" + " ----" * section.mhz
    for _, first, second, width in section.columns:
        heads[0] += f" {first:<{width}}"
        heads[1] += f" {second:<{width}}"
        rule += " " + "-" * width
    lines = [section.title, "-" * len(section.title), *(h.rstrip() for h in heads), rule]
    for one in systems:
        line = f"{one.host[:9]:<9} {one.os[:13]:>13}"
        if section.mhz:
            line += f" {one.mhz:4.0f}"
        for name, _, _, width in section.columns:
            value = one.values.get(name)
            line += f" {'' if value is None else number(value, width):>{width}}"
        lines.append(line.rstrip())
    return "\n".join(lines)
