"""Which points a sweep visits: grids, Latin hypercubes, lists, and their products.

A point maps factors to values. The factors of every point are those of ``FACTORS``; any other is
the dotted name of one of the machine's costs, in ns (``transfer.half``). Times are in ns, counts
are integers. A design makes its points one by one, so a large one takes no memory.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from locksim.study import hypercube
from lockui.suggest import did_you_mean

__all__ = ["FACTORS", "Design", "DesignError", "Point", "latin_hypercube", "read_points", "value"]

Value = str | int | float
Point = Mapping[str, Value]

FACTORS: dict[str, Value] = {
    "lock": "",
    "machine": "xeon-8176-8x28",
    "cpus": 1,
    "placement": "compact",
    "hold_ns": 100,
    "think_ns": 400,
    "read_percent": 90,
    "words": 1,
    "arrivals": "closed",
    "burst": 1,
    "hold_times": "constant",
    "think_times": "exponential",
    "tasks": 16,
    "operations": 100,
}
"""The factors of every point, with the value of a point that names none."""
CPU_COUNTS = (1, 2, 4, 8, 16, 32)
"""Default CPU counts, up to the number of CPUs of the machine."""
MOST_SAMPLES = 10**6


class DesignError(Exception):
    """A factor that does not exist, or a value that it cannot have."""

    exit_code = 2


@dataclass(frozen=True)
class Design:
    """The product of blocks: each point takes one mapping from every block.

    Arguments:
        blocks: lists of parts of points; a later block wins where two name a factor.

    Raises:
        DesignError: a value is not of its factor's type.
    """

    blocks: tuple[Sequence[Point], ...]

    def __post_init__(self) -> None:
        # One type for each factor: a digest tells 300 from 300.0.
        typed = [[{k: _typed(k, v) for k, v in part.items()} for part in b] for b in self.blocks]
        object.__setattr__(self, "blocks", tuple(typed))

    @classmethod
    def grid(cls, factors: Mapping[str, Sequence[Value]]) -> Design:
        """Every combination of the factors' values; the last factor varies fastest."""
        return cls(tuple([{name: one} for one in values] for name, values in factors.items()))

    def times(self, block: Sequence[Point]) -> Design:
        """The design with one more block."""
        return Design((*self.blocks, block))

    def __len__(self) -> int:
        length = 1
        for block in self.blocks:
            length *= len(block)
        return length

    def __iter__(self) -> Iterator[dict[str, Value]]:
        for parts in itertools.product(*self.blocks):
            point = dict(FACTORS)
            for part in parts:
                point.update(part)
            yield point

    def costs(self) -> list[str]:
        """The factors that are costs of the machine, in the order of the blocks."""
        named = (name for block in self.blocks for part in block[:1] for name in part)
        return [name for name in dict.fromkeys(named) if name not in FACTORS]


def latin_hypercube(ranges: Mapping[str, tuple[float, float]], n: int, seed: int) -> list[Point]:
    """Points that cover ranges evenly: each of n slices of every range holds one point.

    Arguments:
        ranges: factor → lowest and highest value; both must be numbers.
        n: number of points. seed: of the random placement.

    Raises:
        DesignError: a range is empty, or of a factor that has no numbers.
    """
    if not 1 <= n <= MOST_SAMPLES:
        raise DesignError(f"a Latin hypercube has 1 to {MOST_SAMPLES:,} points (got {n})")
    for name, (low, high) in ranges.items():
        if isinstance(FACTORS.get(name, 0.0), str):
            raise DesignError(f"{name} has no numbers to sample; list its values: {name}=A,B")
        if not low < high:
            raise DesignError(f"{name}={low:g}..{high:g}: the second number must be the larger one")
    found: list[Point] = []
    for shares in hypercube.latin_hypercube(len(ranges), n, seed):
        point: dict[str, Value] = {}
        for (name, (low, high)), share in zip(ranges.items(), shares, strict=True):
            x = low + share * (high - low)
            point[name] = round(x) if isinstance(FACTORS.get(name), int) else x
        found.append(point)
    return found


def read_points(path: Path) -> list[Point]:
    """Read a list of points: a CSV file whose first line names the factors.

    Raises:
        DesignError: the file cannot be read, or a value cannot be one of its factor.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, restval=None))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DesignError(f"{path} cannot be read: {reason}; give a CSV file of points") from error
    if not rows:
        raise DesignError(f"{path} has no points: write the factors' names, then a line for each")
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise DesignError(f"{path}:{number}: not as many values as the first line has names")
    return [{name: value(name, text) for name, text in row.items()} for row in rows]


def value(name: str, text: str) -> Value:
    """Return a factor's value from its text.

    Raises:
        DesignError: the factor has numbers and the text is none.
    """
    default = FACTORS.get(name, 0.0)
    if isinstance(default, str):
        return text.strip()
    try:
        return type(default)(text)
    except ValueError:
        kind = "an integer" if isinstance(default, int) else "a number"
        raise DesignError(f"{name}={text}: write {kind}") from None


def _typed(name: str, given: Value) -> Value:
    """A value in its factor's type; numpy's numbers become Python's."""
    kind = type(FACTORS.get(name, 0.0))
    if isinstance(given, str) == (kind is str):
        found = kind(given)
        if found == given:
            return found
    wanted = {str: "a word", int: "an integer", float: "a number"}[kind]
    raise DesignError(f"{name}={given!r}: give {wanted}")


def check_names(names: Iterable[str], costs: Iterable[str]) -> None:
    """Refuse a factor that neither points nor the machine have.

    Arguments:
        names: of the factors. costs: the machine's.

    Raises:
        DesignError: a name is unknown.
    """
    known = [*FACTORS, *costs]
    for name in names:
        if name not in known:
            raise DesignError(f"unknown factor '{name}' to vary; {did_you_mean(name, known)}")
