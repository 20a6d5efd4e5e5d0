"""The compiled functions that Python calls, tied to the sources that they are made of.

Numba keeps machine code on disk and compiles anew when *the file of the function* changes, not when
a function or a number that it uses from another file does. A checker that runs stale code gives
wrong verdicts. So only these few functions are kept, and each holds a digest of all the sources
behind them in a closure, which numba makes part of the key.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from numba import njit

from locksim.checker.models import outcome
from locksim.checker.search import loop, step
from locksim.checker.search import wander as schedules

_PACKAGE = Path(__file__).parents[2]
SOURCES = (
    *(f"checker/models/{name}.py" for name in ("c11", "model", "outcome", "sc", "tso")),
    *(f"checker/search/{name}.py" for name in ("claims", "loop", "registers", "step", "table")),
    "checker/search/wander.py",
    "compiler/bytecode.py",
    "core/faults.py",
    "lang/ops.py",
)
"""The files whose functions and numbers are compiled in."""


def digest(sources: tuple[str, ...] = SOURCES) -> int:
    """A number that stands for the text of some files of the package."""
    text = b"".join((_PACKAGE / source).read_bytes() for source in sources)
    return int.from_bytes(hashlib.sha256(text).digest()[:7], "big")


def _entries(key: int) -> tuple[Any, ...]:
    """The functions; ``key`` has to be used in them, or it would not be in their closures."""

    @njit(cache=True, nogil=True)
    def advance(t, x, regs, expect, deadlock, limit):  # type: ignore[no-untyped-def]
        if key == 0:
            return loop.RUNNING
        return loop.advance(t, x, regs, expect, deadlock, limit)

    @njit(cache=True)
    def begin(t, row, shared, regs, note):  # type: ignore[no-untyped-def]
        if key == 0:
            return outcome.DONE
        return step.start(t, row, shared, regs, note)

    @njit(cache=True)
    def act(t, row, shared, regs, action, note):  # type: ignore[no-untyped-def]
        if key == 0:
            return outcome.DONE
        return step.perform(t, row, shared, regs, action, note)

    @njit(cache=True)
    def wander(t, threads, first, regs, expect, seed, points, trail, note):  # type: ignore[no-untyped-def]
        if key == 0:
            return outcome.DONE, 0
        return schedules.wander(t, threads, first, regs, expect, seed, points, trail, note)

    @njit(cache=True)
    def follow(t, threads, first, regs, expect, trail, note):  # type: ignore[no-untyped-def]
        if key == 0:
            return outcome.DONE, 0
        return schedules.follow(t, threads, first, regs, expect, trail, note)

    return advance, begin, act, wander, follow


advance, begin, act, wander, follow = _entries(digest())
"""Compiled :func:`loop.advance`, :func:`step.start`, :func:`step.perform`,
:func:`wander.wander` and :func:`wander.follow`."""
