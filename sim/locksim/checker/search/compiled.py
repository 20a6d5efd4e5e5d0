"""The functions of an exploration, compiled. The only place in the checker that knows numba."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from locksim import jit
from locksim.checker.models import c11, claims, moving, outcome, registers, sc, tso
from locksim.checker.models.model import Tables
from locksim.checker.search import cycles, invariants, loop, progress, step, table, wander
from locksim.lang import randomness

_MODULES = (
    *(outcome, sc, tso, c11, claims, registers, moving, step, table, loop),
    *(wander, progress, cycles, invariants),
)
SOURCES = (
    *(f"checker/models/{name}.py" for name in ("c11", "claims", "model", "moving", "outcome")),
    *(f"checker/models/{name}.py" for name in ("registers", "sc", "tso")),
    *(f"checker/search/{name}.py" for name in ("cycles", "invariants", "loop")),
    *(f"checker/search/{name}.py" for name in ("progress", "step", "table", "wander")),
    "compiler/bytecode.py",
    "core/faults.py",
    "jit.py",
    "lang/ops.py",
    "lang/randomness.py",
    "lang/words.py",
)
"""The files whose functions and numbers are compiled in."""

_ALLOCATE = (wander.wander, wander.follow, wander._act)
"""The functions that make or copy rows, for which numba counts references."""

jit.compilable(randomness.mix)
for _module in _MODULES:
    for _function in vars(_module).values():
        if inspect.isfunction(_function) and _function.__module__ == _module.__name__:
            # Divisors are known not to be 0.
            jit.compilable(_function, error_model="numpy", _nrt=_function in _ALLOCATE)


def _tables(tables: Tables) -> Tables:
    arrays = [np.array(part, np.int64) for part in tables[:-2]]
    plain, claimed = np.array(tables.plain, np.int8), np.zeros((len(tables.claims), 4), np.int64)
    return Tables(*arrays, plain, claimed)  # type: ignore[arg-type, call-arg]


_DTYPES = {"b": np.int8, "h": np.int16, "i": np.int32, "q": np.int64}

FUNCTIONS: dict[str, Any] = {
    "advance": jit.kept(loop.advance, SOURCES, nogil=True, _nrt=False),
    "move_memo": jit.kept(loop.move_memo, SOURCES, _nrt=False),
    "refill": jit.kept(table.refill, SOURCES, _nrt=False),
    "doomed": jit.kept(progress.doomed, SOURCES, _nrt=False),
    "broken": jit.kept(invariants.broken, SOURCES, _nrt=False),
    "wander": jit.kept(wander.wander, SOURCES),
    "follow": jit.kept(wander.follow, SOURCES),
    "phases": jit.kept(cycles.phases, SOURCES, _nrt=False),
    "part": jit.kept(cycles.part, SOURCES, _nrt=False),
    "components": jit.kept(cycles.components, SOURCES, _nrt=False),
    "fair": jit.kept(cycles.fair, SOURCES, _nrt=False),
    "entries": jit.kept(cycles.entries, SOURCES, _nrt=False),
    "tables": _tables,
    "row": lambda row: np.array(row, np.int64),
    "rows": lambda rows: np.array(rows, np.int64),
    "pairs": lambda rows: np.array(rows, np.int64).reshape(-1, 2),
    "zeros": lambda code, n: np.zeros(n, _DTYPES[code]),
}
"""What a :class:`~locksim.checker.search.runner.Runner` is made of."""
