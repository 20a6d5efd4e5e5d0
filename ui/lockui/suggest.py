"""Suggestions for misspelt names: one rule for commands, locks, machines and words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean", "near"]

#: Smallest similarity (difflib's ratio, 0 to 1) at which a known name is suggested.
ALIKE = 0.7
#: The same for a name of at most SHORT letters, where one error is a third of it: mcz, rwm.
ALIKE_SHORT, SHORT = 0.6, 3


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", n: int = 1) -> str:
    """Return the end of a message about an unknown name.

    Arguments:
        name: the unknown name.
        known: the known names.
        otherwise: the text if no known name is similar; by default the list of known names.
        n: the most names to suggest.

    Returns:
        ``did you mean 'x'?`` if a known name is similar, else ``otherwise`` or ``known: x, y``.
    """
    names = sorted(set(known))
    found = near(name, names, n)
    if found:
        return f"did you mean {' or '.join(map(repr, found))}?"
    return otherwise or (f"known: {', '.join(names)}" if names else "there are none")


def near(name: str, known: Iterable[str], n: int = 1) -> list[str]:
    """Return the known names that are similar, the nearest first.

    Names that start with the unknown name (``moore`` for ``moore_2006``) come first, shorter ones
    before longer ones.

    Arguments:
        name: the unknown name. known: the known names. n: the most names to return.
    """
    names = sorted(set(known))
    begin = [k for k in sorted(names, key=len) if len(name) >= SHORT and k.startswith(name)]
    cutoff = ALIKE if len(name) > SHORT else ALIKE_SHORT
    alike = difflib.get_close_matches(name, names, n=n, cutoff=cutoff)
    return list(dict.fromkeys([*begin, *alike]))[:n]
