"""Which name was probably meant: one rule for commands, locks, machines, cells and words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean", "near"]

#: How alike two names must be, from 0 to 1 (difflib's ratio), for one to be offered for the other.
ALIKE = 0.7
#: The same for a name of at most SHORT letters, where one slip is a third of it: mcz, rwm.
ALIKE_SHORT, SHORT = 0.6, 3


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", n: int = 1) -> str:
    """Return the end of a message about an unknown name.

    Arguments:
        name: what was written.
        known: the names that there are.
        otherwise: what to say where no known name is alike; by default the list of them.
        n: how many names to offer at most.

    Returns:
        ``did you mean 'x'?`` where a known name is alike, else ``otherwise`` or ``known: x, y``.
    """
    names = sorted(set(known))
    found = near(name, names, n)
    if found:
        return f"did you mean {' or '.join(map(repr, found))}?"
    return otherwise or (f"known: {', '.join(names)}" if names else "there are none")


def near(name: str, known: Iterable[str], n: int = 1) -> list[str]:
    """Return the known names that are alike, the nearest first.

    Names that begin with what was written (``moore`` for ``moore_2006``) come first, shorter ones
    before longer ones.

    Arguments:
        name: what was written. known: the names that there are. n: how many to return at most.
    """
    names = sorted(set(known))
    begin = [k for k in sorted(names, key=len) if len(name) >= SHORT and k.startswith(name)]
    cutoff = ALIKE if len(name) > SHORT else ALIKE_SHORT
    alike = difflib.get_close_matches(name, names, n=n, cutoff=cutoff)
    return list(dict.fromkeys([*begin, *alike]))[:n]
