"""The loop as plain Python, on the arrays of the compiled one: for runs that end soon.

Numpy's own numbers are slow and do not wrap round as compiled ones do, so the loop gets views that
give and take whole numbers of Python. An event costs some 25 microseconds; compiled, 0.04. A run
may go on in compiled code after any event.
"""

from __future__ import annotations

from typing import Any

from locksim.engine.fast import loop, spins
from locksim.engine.fast.capacity import Held
from locksim.engine.fast.contention import Contention
from locksim.engine.fast.state import State


def advance(
    state: State, caches: Held | None, contention: Contention | None, limit: int, budget: int
) -> int:
    """As :func:`loop.advance`."""
    status: int = _advance(_views(state), _views(caches), _views(contention), limit, budget)
    return status


def unpark_all(
    state: State, caches: Held | None, contention: Contention | None, until_ps: int
) -> None:
    """As :func:`spins.unpark_all`."""
    _unpark_all(_views(state), _views(caches), _views(contention), until_ps)


_advance: Any = loop.advance
_unpark_all: Any = spins.unpark_all


def _views(rows: Any) -> Any:
    """Views of the arrays of a named tuple; None stays."""
    if rows is None:
        return None
    return type(rows)(*(memoryview(row) for row in rows))
