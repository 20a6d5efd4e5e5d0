"""Predicted intervals: which of them can be, and what to write in place of the others.

A prediction is locked before the first measurement. So one that cannot be right whatever is
measured, by a slip of the unit or of the order, is refused before, and so is one that says nothing
since it holds nearly everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from lockgrader.lab import Band

__all__ = ["WIDEST", "Widest", "impossible", "to_write"]

MILLION, THOUSAND = 1e6, 1e3
PER_CENT = 100.0
ROUNDING = 1e-9
"""So that 0.07 and 0.7 are a factor of ten apart."""
WIDEST = 10.0
"""How many times its lower end the upper end of an interval may be."""
Widest = Annotated[float, Field(gt=1, le=1000)]


def to_write(name: str) -> str:
    """What a prediction looks like in the answers."""
    return f'write "{name}": [low, high]'


def impossible(name: str, given: Sequence[float], possible: Band, widest: float = WIDEST) -> str:
    """Why an interval cannot hold a result, or says nothing, and what to write; "" if it can.

    Arguments:
        name: of the prediction. given: its numbers, which are finite. possible: what a result can
            be. widest: how many times the end that is nearer to 0 the other one may be.
    """
    if len(given) != 2:
        return f"'{name}' must be two numbers, not {len(given)}: {to_write(name)}"
    low, high = given
    if low > high:
        return f"'{name}': low is above high ({low:g} and {high:g}): write [{high:g}, {low:g}]"
    least, most = possible.low, possible.high
    if (least is None or low >= least) and (most is None or high <= most):
        near, far = sorted((abs(low), abs(high)))
        if low * high >= 0.0 and far <= near * widest * (1.0 + ROUNDING):
            return ""
        return (
            f"'{name}': [{low:g}, {high:g}] says too little: high may be at most {widest:g} times "
            f"low; {to_write(name)}"
        )
    says = f"'{name}': [{low:g}, {high:g}] cannot be: a result is {_words(possible)}"
    if least == 0 <= low and most and high <= most * PER_CENT:
        return f"{says}; for {low:g} to {high:g} % write [{low / PER_CENT:g}, {high / PER_CENT:g}]"
    unit, times = ("microseconds", THOUSAND) if name.endswith("_ns") else ("millions", MILLION)
    if least and 0 < high < least <= low * times:
        return f"{says}; if your numbers are {unit}, write [{low * times:g}, {high * times:g}]"
    return f"{says}; {to_write(name)}"


def _words(possible: Band) -> str:
    if possible.low is None:
        return f"at most {possible.high:g}"
    if possible.high is None:
        return f"at least {possible.low:g}"
    return f"from {possible.low:g} to {possible.high:g}"
