"""Suggestions for misspelt names: one rule for commands, locks, machines and words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean"]

#: Smallest similarity (difflib's ratio, 0 to 1) at which a known name is suggested.
ALIKE = 0.6


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the end of a message about an unknown name.

    Arguments:
        name: the unknown name.
        known: the known names.
        otherwise: the text if no known name is similar; by default the list of known names.

    Returns:
        ``did you mean 'x'?`` if a known name is similar, else ``otherwise`` or ``known: x, y``.
    """
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=1, cutoff=ALIKE)
    if near:
        return f"did you mean '{near[0]}'?"
    return otherwise or (f"known: {', '.join(names)}" if names else "there are none")
