"""The functions of an exploration, compiled. The only place in the checker that knows numba."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from locksim import jit
from locksim.checker.models import c11, normal_form, outcome, reduction, registers, sc, tso
from locksim.checker.models.layout import C11, MODEL, Tables
from locksim.checker.models.model import model
from locksim.checker.search import (
    cycles,
    invariants,
    loop,
    packed,
    progress,
    random_walk,
    reuse,
    step,
    table,
)
from locksim.checker.search.explore import Request, explore
from locksim.checker.search.loop import TYPES, Scratch, Space
from locksim.checker.search.runner import PARTS, SOURCES, WEAK, Runner
from locksim.compiler import arithmetic
from locksim.lang import randomness
from locksim.lang.ops import Op, done
from locksim.lang.struct import Workload

__all__ = ["FUNCTIONS", "PARTS", "warm"]

_MODULES = (
    *(
        arithmetic,
        outcome,
        sc,
        tso,
        c11,
        reduction,
        registers,
        normal_form,
        step,
        table,
        packed,
        loop,
    ),
    *(random_walk, progress, cycles, invariants, reuse),
)
_ALLOCATE = (random_walk.wander, random_walk.follow)
"""The functions that make rows, for which numba counts references."""


_IN_PLACE: tuple[Any, ...] = (
    *(loop.expand, loop.follow, loop.outcome_of, loop.succeed, loop.intern_successors, loop.close),
    *(loop.has_room, loop.fetch_ahead),
)
"""The parts of :func:`loop.advance` that a call of their own would slow down: it would pass on all
arrays of the space."""


class WeakTables(Tables):
    """Tables under C11. Under SC and TSO nothing of C11 is compiled, a third of the time."""


_NOT_C11: dict[Any, Callable[..., Any]] = {
    c11.access: lambda t, row, shared, regs, code, address, action, note: outcome.DONE,
    c11.fence: lambda t, thread, shared, order: None,
    c11.free: lambda t, thread, shared, start, end: outcome.DONE,
    c11.leave: lambda t, thread, shared: None,
    c11.wake: lambda t, thread, shared, other: None,
    c11.woken: lambda t, thread, shared: None,
}
"""What stands for the functions that :mod:`step` calls under C11 only."""


def _instead(function: Any) -> Callable[..., Any] | None:
    """What chooses the function that is compiled, where that depends on the memory model."""
    if function not in _NOT_C11:
        return None
    other = _NOT_C11[function]
    return lambda t, *_: None if t.instance_class is WeakTables else other


jit.compilable(randomness.mix)
for _module in _MODULES:
    for _function in vars(_module).values():
        if inspect.isfunction(_function) and _function.__module__ == _module.__name__:
            # Divisors are known not to be 0.
            jit.compilable(
                _function,
                instead=_instead(_function),
                forceinline=_module is arithmetic or _function in _IN_PLACE,
                error_model="numpy",
                _nrt=_function in _ALLOCATE,
            )


def _tables(tables: Tables) -> Tables:
    arrays = [np.array(part, np.int64) for part in tables[:-2]]
    plain, claimed = np.array(tables.plain, np.int8), np.zeros((len(tables.claims), 4), np.int64)
    of_model = WeakTables if tables.size[MODEL] == C11 else Tables
    return of_model(*arrays, plain, claimed)  # type: ignore[arg-type, call-arg]


def _kept(function: Callable[..., Any], **options: bool) -> Any:
    return jit.kept(function, SOURCES, error_model="numpy", **options)


_DTYPES = {"b": np.int8, "h": np.int16, "B": np.uint8, "i": np.int32, "q": np.int64}


def _steps(
    what: int,
    t: Any,
    x: Any,
    at_work: Any,
    rows: Any,
    shared: Any,
    regs: Any,
    expect: Any,
    deadlock: bool,
    number: int,
    points: Any,
    trail: Any,
    note: Any,
) -> tuple[int, int]:
    """The functions that take steps, in one: most of what there is to compile is shared by them."""
    if what == _ADVANCE:
        return loop.advance(t, x, at_work, expect, deadlock, number), 0
    if what == _WANDER:
        return random_walk.wander(t, rows, shared, regs, expect, number, points, trail, note)
    return random_walk.follow(t, rows, shared, regs, expect, trail, note)


_ADVANCE, _WANDER, _FOLLOW = range(3)
_search: Callable[..., tuple[int, int]] = _kept(_steps, nogil=True)
_ROW: Any = np.zeros(1, np.int64)
_ROWS = np.zeros((1, 1), np.int64)
_SCRATCH = Scratch(*len(Scratch._fields) * [_ROW])
_SPACE = Space(*(np.zeros(1, _DTYPES[code]) for code in TYPES))
"""What stands for the arguments that a function does not have."""


def _advance(t: Tables, x: Space, at_work: Scratch, expect: Any, deadlock: bool, limit: int) -> int:
    found = _search(
        _ADVANCE, t, x, at_work, _ROWS, _ROW, _ROW, expect, deadlock, limit, _ROW, _ROW, _ROW
    )
    return int(found[0])


def _wander(
    t: Tables,
    rows: Any,
    shared: Any,
    regs: Any,
    expect: Any,
    seed: int,
    points: Any,
    trail: Any,
    note: Any,
) -> tuple[int, int]:
    return _search(
        _WANDER, t, _SPACE, _SCRATCH, rows, shared, regs, expect, False, seed, points, trail, note
    )


def _follow(
    t: Tables, rows: Any, shared: Any, regs: Any, expect: Any, trail: Any, note: Any
) -> tuple[int, int]:
    return _search(
        _FOLLOW, t, _SPACE, _SCRATCH, rows, shared, regs, expect, False, 0, _ROW, trail, note
    )


def _lengthened(old: Any, n: int) -> Any:
    """The same array, longer: the system moves its pages, so that no second copy is needed."""
    old.resize(n, refcheck=False)
    return old


FUNCTIONS: dict[str, Any] = {
    "advance": _advance,
    "move_memo": _kept(loop.move_memo, _nrt=False),
    "refill": _kept(table.refill, _nrt=False),
    "refill_packed": _kept(packed.refill_packed, _nrt=False),
    "doomed": _kept(progress.doomed, _nrt=False),
    "broken": _kept(invariants.broken, _nrt=False),
    "dangling": _kept(reuse.dangling, _nrt=False),
    "wander": _wander,
    "follow": _follow,
    "phases": _kept(cycles.phases, _nrt=False),
    "part": _kept(cycles.part, _nrt=False),
    "components": _kept(cycles.components, _nrt=False),
    "fair": _kept(cycles.fair, _nrt=False),
    "entries": _kept(cycles.entries, _nrt=False),
    "tables": _tables,
    "row": lambda row: np.array(row, np.int64),
    "rows": lambda rows: np.array(rows, np.int64),
    "pairs": lambda rows: np.array(rows, np.int64).reshape(-1, 2),
    "zeros": lambda code, n: np.zeros(n, _DTYPES[code]),
    "lengthen": _lengthened,
}
"""What a :class:`~locksim.checker.search.runner.Runner` is made of."""


class _Nothing(Workload):
    """A program to explore where nothing is to be explored."""

    def thread(self) -> Generator[Op, Any, Any]:
        yield done()


def warm(name: str) -> None:
    """Compile what every exploration needs, or load what is on disk; the rest comes when asked for.

    Arguments:
        name: of the part.
    """
    memory = "c11" if name == WEAK.name else "sc"
    explore(model(_Nothing(), 1, memory), Request(reduction=True), by=Runner(**FUNCTIONS))
