"""Which name was probably meant: one rule for commands, locks, machines, cells and words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean"]

#: How alike two names must be, from 0 to 1 (difflib's ratio), for one to be offered for the other.
ALIKE = 0.6


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the end of a message about an unknown name.

    Arguments:
        name: what was written.
        known: the names that there are.
        otherwise: what to say where no known name is alike; by default the list of them.

    Returns:
        ``did you mean 'x'?`` where a known name is alike, else ``otherwise`` or ``known: x, y``.
    """
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=1, cutoff=ALIKE)
    if near:
        return f"did you mean '{near[0]}'?"
    return otherwise or (f"known: {', '.join(names)}" if names else "there are none")
