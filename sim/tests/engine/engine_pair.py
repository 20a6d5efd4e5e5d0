"""Runs one workload in both engines, and says where they differ.

The fast engine runs twice: round by round, which must give every row of the reference engine's
trace, and jumping over idle spins, which may only leave out the rows of the rounds jumped over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from arrays import reference_run

from locksim.compiler.bytecode import Image
from locksim.core.memory import Memory
from locksim.core.result import DeadlockError, RunResult, SimulationError
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.engine.trace import MARK, NAMES
from locksim.lang import Workload
from locksim.lang.ops import Kind, Mark
from locksim.machine import MachineTables

IDLE = (int(Kind.LOAD), int(Kind.PAUSE), int(Kind.COMPUTE))
"""What an idle round is made of: the rows that a jump may leave out."""

Outcome = RunResult | SimulationError


@dataclass(frozen=True)
class Pair:
    """The outcomes of one workload: in the reference engine, and in the fast one both ways."""

    image: Image
    memory: Memory
    expected: Outcome
    plain: Outcome
    jumped: Outcome


def outcome(run: Callable[[], RunResult]) -> Outcome:
    """What a run gives: a result, or the error that stopped it."""
    try:
        return run()
    except SimulationError as error:
        return error


def run_pair(
    workload: Workload,
    tables: MachineTables,
    *,
    seed: int,
    until_ps: int,
    heap_lines: int = 256,
) -> Pair:
    """Run a workload in both engines."""
    image, memory = prepare(workload, tables, heap_lines=heap_lines)
    settings: dict[str, Any] = {"seed": seed, "until_ps": until_ps, "trace": True}
    return Pair(
        image,
        memory,
        outcome(lambda: reference_run(memory, tables, **settings)),
        outcome(lambda: fast.run(image, memory, tables, **settings, jump=False)),
        outcome(lambda: fast.run(image, memory, tables, **settings, jump=True)),
    )


def compare(pair: Pair) -> None:
    """Fail, with the first difference, unless the engines agree."""
    assert said(pair.expected) == said(pair.plain)
    if isinstance(pair.expected, RunResult) and isinstance(pair.plain, RunResult):
        found = difference(pair.expected, pair.plain, trace=True)
        assert "" == found, found
        if isinstance(pair.jumped, RunResult):
            assert "" == difference(pair.plain, pair.jumped, trace=False)
            assert "" == jump_difference(pair.plain, pair.jumped)
        else:
            # Only the jumping engine sees at once that a wait will never end.
            assert isinstance(pair.jumped, DeadlockError), said(pair.jumped)
            assert " spins on " in str(pair.jumped)
            assert pair.plain.finished < len(pair.plain.cpu), said(pair.jumped)
            assert "" == idle_for_ever(pair.plain, pair.jumped)
    elif isinstance(pair.expected, DeadlockError):
        assert said(pair.expected) == said(pair.jumped)
    else:
        assert said(pair.expected) == said(pair.jumped)


def said(outcome: Outcome) -> str:
    """The type and text of an error; of a result, that there is one."""
    if isinstance(outcome, RunResult):
        return "a result"
    return f"{type(outcome).__name__}: {outcome}"


def difference(expected: RunResult, actual: RunResult, *, trace: bool) -> str:
    """The first thing in which two results differ, with its place; "" if they are equal."""
    if trace:
        assert expected.trace is not None
        assert actual.trace is not None
        both = min(len(expected.trace), len(actual.trace))
        unlike = np.flatnonzero((expected.trace[:both] != actual.trace[:both]).any(axis=1))
        if len(unlike) or len(expected.trace) != len(actual.trace):
            k = int(unlike[0]) if len(unlike) else both
            return (
                f"the traces ({len(expected.trace)} and {len(actual.trace)} rows) differ at {k}:\n"
                f"expected {_rows(expected, k)}\nactual   {_rows(actual, k)}"
            )
        for k, (left, right) in enumerate(zip(origins(expected), origins(actual), strict=True)):
            if left != right:
                return f"row {k} {_rows(expected, k)}: origin {left}, actual {right}"
    for name, columns in (("cpu", CPU_COUNTERS), ("locks", LOCK_COUNTERS)):
        left, right = getattr(expected, name), getattr(actual, name)
        for row, column in zip(*np.nonzero(left != right), strict=True):
            what = f"{name}[{row}].{columns[column]}"
            return f"{what}: expected {left[row, column]}, actual {right[row, column]}"
    if expected.durations != actual.durations:
        unlike_rows = sorted(set(expected.durations.items()) ^ set(actual.durations.items()))
        return f"durations, (lock, column) and count: in one engine only {unlike_rows}"
    for name in ("lines", "memory"):
        left, right = getattr(expected, name), getattr(actual, name)
        for at in np.flatnonzero(left != right):
            return f"{name}[{at}]: expected {left[at]}, actual {right[at]}"
    for name in ("end_ps", "finished"):
        left, right = getattr(expected, name), getattr(actual, name)
        if left != right:
            return f"{name}: expected {left}, actual {right}"
    return ""


def origins(result: RunResult) -> list[tuple[Any, int, int]]:
    """For each row of a trace its place, the time at which it was asked for, and if exclusive."""
    assert result.origins is not None
    return [
        (result.places[place] if place >= 0 else None, *rest)
        for place, *rest in result.origins.tolist()
    ]


def jump_difference(plain: RunResult, jumped: RunResult) -> str:
    """Where the jumping run's trace is not the plain one without some idle rows; empty if it is."""
    assert plain.trace is not None
    assert jumped.trace is not None
    rest = iter(jumped.trace.tolist())
    wanted = next(rest, None)
    for k, row in enumerate(plain.trace.tolist()):
        if row == wanted:
            wanted = next(rest, None)
        elif row[2] not in IDLE:
            return f"row {k} {_row(row)} is missing; instead there is {wanted and _row(wanted)}"
    return "" if wanted is None else f"a row that is not in the plain trace: {_row(wanted)}"


def idle_for_ever(plain: RunResult, error: DeadlockError) -> str:
    """What comes after the moment that a deadlock names and is no idle row; empty if nothing."""
    assert plain.trace is not None
    when = str(error).split(" at ")[1].split(" µs:")[0]
    whole, _, rest = when.partition(".")
    since_ps = int(whole) * 10**6 + int(rest.ljust(6, "0"))
    for row in plain.trace.tolist():
        if row[0] > since_ps and row[2] not in IDLE:
            return f"after the deadlock at {since_ps} ps comes {_row(row)}"
    return ""


def idle_rows(pair: Pair) -> int:
    """How many rows of idle rounds were jumped over."""
    assert isinstance(pair.plain, RunResult)
    assert isinstance(pair.jumped, RunResult)
    assert pair.plain.trace is not None
    assert pair.jumped.trace is not None
    return len(pair.plain.trace) - len(pair.jumped.trace)


def _rows(result: RunResult, k: int) -> str:
    assert result.trace is not None
    return " | ".join(_row(row) for row in result.trace[max(0, k - 2) : k + 2].tolist())


def _row(row: list[int]) -> str:
    time, agent, what, address, value = row
    name = Mark(what - MARK).name.lower() if what >= MARK else NAMES[what]
    return f"{time} a{agent} {name} {address} {value}"
