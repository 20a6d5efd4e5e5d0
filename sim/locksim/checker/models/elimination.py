"""Linear equations over fractions: Gaussian elimination, and least whole solutions."""

from __future__ import annotations

from fractions import Fraction
from math import lcm


def eliminate(rows: list[dict[int, Fraction]], order: list[int]) -> dict[int, dict[int, Fraction]]:
    """Equations in reduced form: pivot → its row; earlier variables become pivots first."""
    pivots: dict[int, dict[int, Fraction]] = {}
    for variable in order:
        row = next((r for r in rows if r.get(variable)), None)
        if row is None:
            continue
        rows = [r for r in rows if r is not row]
        row = {c: f / row[variable] for c, f in row.items()}

        rows = [_without(other, variable, row) for other in rows]
        pivots = {p: _without(other, variable, row) for p, other in pivots.items()}
        pivots[variable] = row
    return pivots


def least_whole_solution(free: int, pivots: dict[int, dict[int, Fraction]]) -> dict[int, int]:
    """The least whole solution in which the other free variables are 0."""
    exact = {free: Fraction(1)}
    exact |= {p: -row[free] for p, row in pivots.items() if row.get(free)}
    scale = lcm(*(f.denominator for f in exact.values()))
    return {c: int(f * scale) for c, f in exact.items()}


def _without(
    row: dict[int, Fraction], variable: int, by: dict[int, Fraction]
) -> dict[int, Fraction]:
    """An equation from which a variable is eliminated by another one, in which it has factor 1."""
    factor, none = row.get(variable, Fraction(0)), Fraction(0)
    left = {c: row.get(c, none) - factor * by.get(c, none) for c in row | by}
    return {c: f for c, f in left.items() if f}
