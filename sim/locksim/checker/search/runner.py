"""The functions that an exploration runs on, plain or compiled, and the arrays that they want.

A small exploration runs on the plain ones, and one that turns out to be large begins again on the
compiled ones (:mod:`locksim.ready`). Both find the same states in the same order.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from locksim.checker.models.layout import SC, Tables
from locksim.checker.search import (
    cycles,
    invariants,
    loop,
    packed,
    progress,
    random_walk,
    reuse,
    table,
)
from locksim.checker.search.loop import Numbers
from locksim.ready import Choice, Part


@dataclass(frozen=True)
class Runner:
    """One way to run an exploration.

    Arguments:
        advance: :func:`loop.advance`. move_memo: :func:`loop.move_memo`.
        refill: :func:`table.refill`. refill_packed: :func:`packed.refill_packed`.
        doomed: :func:`progress.doomed`.
        broken: :func:`invariants.broken`. dangling: :func:`reuse.dangling`.
        wander, follow: :func:`random_walk.wander`, :func:`random_walk.follow`.
        phases, part, components, fair, entries: those of :mod:`cycles`.
        tables: gives the model's tables as these functions take them.
        row, rows, pairs: give a row of numbers as they take it, several, and some pairs.
        zeros: gives an array of zeros for a type code and a length.
        lengthen: gives the array with zeros added up to a length; it may be the same one.
    """

    advance: Callable[..., int]
    move_memo: Callable[..., None]
    refill: Callable[..., None]
    refill_packed: Callable[..., None]
    doomed: Callable[..., int]
    broken: Callable[..., int]
    dangling: Callable[..., int]
    wander: Callable[..., tuple[int, int]]
    follow: Callable[..., tuple[int, int]]
    phases: Callable[..., None]
    part: Callable[..., None]
    components: Callable[..., None]
    fair: Callable[..., int]
    entries: Callable[..., tuple[int, int]]
    tables: Callable[[Tables], Any]
    row: Callable[[Sequence[int]], Any]
    rows: Callable[[Sequence[Sequence[int]]], Any]
    pairs: Callable[[Sequence[Sequence[int]]], Any]
    zeros: Callable[[str, int], Numbers]
    lengthen: Callable[[Numbers, int], Numbers]


def _tables(tables: Tables) -> Tables:
    """Tables whose sizes, lags and claims may be changed."""
    return tables._replace(
        size=list(tables.size),
        shift_lags=list(tables.shift_lags),
        claims=[[0] * 4 for _ in tables.claims],
    )


def _rows(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    return [list(row) for row in rows]


PLAIN = Runner(
    advance=loop.advance,
    move_memo=loop.move_memo,
    refill=table.refill,
    refill_packed=packed.refill_packed,
    doomed=progress.doomed,
    broken=invariants.broken,
    dangling=reuse.dangling,
    wander=random_walk.wander,
    follow=random_walk.follow,
    phases=cycles.phases,
    part=cycles.part,
    components=cycles.components,
    fair=cycles.fair,
    entries=cycles.entries,
    tables=_tables,
    row=list,
    rows=_rows,
    pairs=_rows,
    zeros=lambda code, n: array(code, [0]) * n,
    lengthen=lambda old, n: old + array(old.typecode, [0]) * (n - len(old)),
)


SOURCES = (
    *(f"checker/models/{name}.py" for name in ("c11", "layout", "normal_form", "outcome")),
    *(f"checker/models/{name}.py" for name in ("reduction", "registers", "sc", "tso")),
    *(f"checker/search/{name}.py" for name in ("compiled", "cycles", "invariants", "loop")),
    *(f"checker/search/{name}.py" for name in ("packed", "progress", "random_walk", "reuse")),
    *(f"checker/search/{name}.py" for name in ("step", "table")),
    *("compiler/arithmetic.py", "compiler/bytecode.py"),
    "core/faults.py",
    "jit.py",
    "lang/ops.py",
    "lang/randomness.py",
    "lang/words.py",
)
"""The files whose functions and numbers are compiled in."""

_MODULE = "locksim.checker.search.compiled"
STRONG = Part("checker", "the checker", _MODULE, SOURCES, 15)
WEAK = Part("checker-c11", "the checker for C11", _MODULE, SOURCES, 25)
PARTS = (STRONG, WEAK)
CHOICE_OF = tuple(Choice(part, few=2_000, many=8_000) for part in (STRONG, STRONG, WEAK))
"""For each memory model. Counted in states; a state takes the plain functions some 250
microseconds, and a step of a random schedule a quarter of that."""
STEPS_OF_A_STATE = 4


def runner(memory: int = SC, *, small: bool = False) -> Runner:
    """The compiled functions where they can be had, else the plain ones.

    Arguments:
        memory: the model's number.
        small: whether the plain ones are wanted as long as little has run on them.
    """
    choice = CHOICE_OF[memory]
    if choice.left() >= (1 if small else choice.unlimited):
        return PLAIN
    return Runner(**choice.load().FUNCTIONS)
