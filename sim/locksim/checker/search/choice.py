"""Which functions an exploration is made of: compiled ones where they can be had."""

from __future__ import annotations

from locksim import jit
from locksim.checker.search.runner import PLAIN, Runner


def runner() -> Runner:
    """The compiled functions where they can be had, else the plain ones."""
    if not jit.enabled():
        return PLAIN
    from locksim.checker.search.compiled import COMPILED

    return COMPILED
