"""Predicted intervals: which of them can be, and what to write in place of the others.

A prediction is locked before the first measurement, and the locked one counts. So one that cannot
be right whatever is measured, by a slip of the unit or of the order, is refused before.
"""

from __future__ import annotations

from collections.abc import Sequence

from lockgrader.lab import Band

__all__ = ["impossible", "to_write"]

PER_CENT = 100.0


def to_write(name: str) -> str:
    """What a prediction looks like in the answers."""
    return f'write "{name}": [low, high]'


def impossible(name: str, given: Sequence[float], possible: Band) -> str:
    """Why an interval cannot hold a result, or is none, and what to write; "" if it can.

    Arguments:
        name: of the prediction. given: its numbers, which are finite. possible: what a result can
            be.
    """
    if len(given) != 2:
        return f"'{name}' must be two numbers, not {len(given)}: {to_write(name)}"
    low, high = given
    if low > high:
        return f"'{name}': low is above high ({low:g} and {high:g}): write [{high:g}, {low:g}]"
    least, most = possible.low, possible.high
    if (least is None or low >= least) and (most is None or high <= most):
        return ""
    says = f"'{name}': [{low:g}, {high:g}] cannot be: a result is {_words(possible)}"
    share = (least, most) == (0, 1)
    if share and low >= 0 and high <= PER_CENT:
        return f"{says}; for {low:g} to {high:g} % write [{low / PER_CENT:g}, {high / PER_CENT:g}]"
    return f"{says}; {to_write(name)}"


def _words(possible: Band) -> str:
    if possible.low is None:
        return f"at most {possible.high:g}"
    if possible.high is None:
        return f"at least {possible.low:g}"
    return f"from {possible.low:g} to {possible.high:g}"
