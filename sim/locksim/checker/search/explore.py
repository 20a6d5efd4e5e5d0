"""Breadth-first exploration of all interleavings.

A state is a row of small numbers: for each thread the number of its row, then the number of the
shared row (SPIN calls this COLLAPSE). Rows of threads and shared rows are kept once each, in full.

States are explored in the order in which they were found. The first violation therefore has the
shortest path, and ``parent`` and ``via`` tell it. The edges are kept, in the same order, for the
search backwards from the final states (:mod:`locksim.checker.search.progress`).

The compiled loop (:mod:`locksim.checker.search.loop`) stops before a state for which some array
might be too small; here the array is made larger, and the loop goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from locksim.checker.errors import CheckError
from locksim.checker.models import model as m
from locksim.checker.models.model import Model
from locksim.checker.models.outcome import CHOICES, DONE
from locksim.checker.search import claims, loop
from locksim.checker.search.compiled import advance, begin, wander
from locksim.checker.search.loop import Space
from locksim.checker.search.registers import NOTES
from locksim.checker.search.step import MAX_CHOICES
from locksim.checker.search.table import intern, refill

_CHUNK = 20_000
"""States between two looks at the clock."""
_MAX_STATES = 1 << 28
_SCHEDULES, _LONGEST = 32, 10_000
"""Random schedules before a reduced exploration, and their steps at most."""

_Int64 = npt.NDArray[np.int64]


@dataclass
class Exploration:
    """What was explored.

    Arguments:
        model: of what.
        space: the arrays.
        complete: True if every reachable state was explored.
        status: 0, or what is wrong: FAULT, EXCLUSION, STUCK, WRONG_END.
        state: the state in which that is, or in which the step is taken that shows it.
        action: that step (thread * 64 + action), or -1.
        seconds: how long it took.
        stopped: why it is not complete: "", "states", "time", "memory", "heap".
    """

    model: Model
    space: Space
    complete: bool = False
    status: int = 0
    state: int = -1
    action: int = -1
    seconds: float = 0.0
    stopped: str = ""

    @property
    def states(self) -> int:
        """Different states found."""
        return int(self.space.state_count[0])

    @property
    def depth(self) -> int:
        """Steps to the last state that was explored; all states nearer than that were."""
        return int(self.space.depth[max(0, int(self.space.control[loop.EXPLORED]) - 1)])

    @property
    def buffer_was_full(self) -> bool:
        """Whether some store had to wait for room in its buffer."""
        return bool(self.space.control[loop.FULL])

    @property
    def forgot(self) -> bool:
        """Whether some word had more messages than are remembered."""
        return bool(self.space.control[loop.FORGOT])

    @property
    def wrapped(self) -> int:
        """The number at which words begin again at 0, if some word reached the one before; or 0."""
        at, n_words = (int(self.model.tables.size[i]) for i in (m.WRAP, m.N_WORDS))
        rows = self.space.shared[: int(self.space.shared_count[0]), :n_words]
        return at if at and bool((rows == at - 1).any()) else 0

    def path(self, state: int) -> list[int]:
        """The steps to a state (thread * 64 + action each): a shortest path."""
        steps = []
        while state > 0:
            steps.append(int(self.space.via[state]))
            state = int(self.space.parent[state])
        return steps[::-1]

    def shared_rows(self, states: _Int64) -> _Int64:
        """The shared rows of some states."""
        rows: _Int64 = self.space.shared[self.space.states[states, -1]]
        return rows


def explore(
    model: Model,
    *,
    expect: _Int64 | None = None,
    deadlock: bool = True,
    reduction: bool = False,
    max_states: int = 5_000_000,
    max_seconds: float = 600.0,
    max_bytes: int = 8 << 30,
    report: Callable[[str, float], None] | None = None,
) -> Exploration:
    """Explore until something is wrong, nothing is left, or a budget is used up.

    Arguments:
        model: the program and its memory.
        expect: int64[n, 2], words (address, value) that every final state must have; None: none.
        deadlock: whether a state that no step leaves, and that is not final, is wrong.
        reduction: whether to leave out what makes no difference (``checker.search.claims``).
        max_states: states after which to stop. max_seconds: time after which to stop.
        max_bytes: memory for the states that is not exceeded.
        report: called now and then with a line of text and the share of the states' budget used.

    Raises:
        CheckError: a budget makes no sense, or the program makes a random choice among too many.
    """
    if not 1 <= max_states <= _MAX_STATES:
        raise CheckError(f"{max_states} states: give a number from 1 to {_MAX_STATES}")
    if not max_seconds > 0:
        raise CheckError(f"{max_seconds} seconds: give a time above 0")
    expected = np.zeros((0, 2), np.int64) if expect is None else expect
    regs = model.program.registers.copy()
    found = Exploration(model, _empty(model))
    if not _enter(found, regs):
        return found
    model.tables.size[m.REDUCTION] = claims.OFF
    if reduction:
        _learn(found, regs)
    # Load the compiled loop, or compile it, before the clock starts.
    advance(model.tables, found.space, regs, expected, deadlock, 0)
    begun = time.perf_counter()
    while True:
        limit = min(max_states, int(found.space.control[loop.EXPLORED]) + _CHUNK)
        status = advance(model.tables, found.space, regs, expected, deadlock, limit)
        found.seconds = time.perf_counter() - begun
        control = found.space.control
        if status == loop.REFUTED:
            # What has been found out about the words stays.
            _claim_anew(model)
            found.space = _empty(model)
            _enter(found, regs)
        elif status == loop.ROOM:
            # While an array grows, the old one is there too.
            if 3 * sum(array.nbytes for array in found.space) > max_bytes:
                found.stopped = "memory"
                return found
            found.space = _larger(found.space)
        elif status == loop.VIOLATED:
            found.state, found.action = int(control[loop.BAD_STATE]), int(control[loop.BAD_ACTION])
            found.status = int(control[loop.BAD_STATUS])
            if found.status == CHOICES:
                raise CheckError(
                    f"a random choice among more than {MAX_CHOICES} values decides what the "
                    "program does\n"
                    "mend: give random_below() a smaller bound, or use it for compute() only"
                )
            return found
        elif status == loop.COMPLETE:
            found.complete = not control[loop.HEAP]
            found.stopped = "heap" if control[loop.HEAP] else ""
            return found
        elif control[loop.EXPLORED] >= max_states or found.seconds > max_seconds:
            found.stopped = "time" if found.seconds > max_seconds else "states"
            return found
        if report is not None:
            report(f"{found.states:,} states, depth {found.depth}", found.states / max_states)


def _empty(model: Model) -> Space:
    """Arrays with room for a small exploration."""

    def slots(rows: int) -> npt.NDArray[np.int32]:
        return np.zeros(2 * rows, np.int32)

    n, few, many = model.n_threads, 1 << 10, 1 << 13
    return Space(
        states=np.zeros((many, n + 1), np.int32),
        state_slots=slots(many),
        state_count=np.zeros(1, np.int64),
        threads=np.zeros((few, model.threads.shape[1]), np.int64),
        thread_slots=slots(few),
        thread_count=np.zeros(1, np.int64),
        shared=np.zeros((few, len(model.shared)), np.int64),
        shared_slots=slots(few),
        shared_count=np.zeros(1, np.int64),
        memo=np.full((2 * many, 2), -1, np.int64),
        parent=np.zeros(many, np.int32),
        via=np.zeros(many, np.int16),
        depth=np.zeros(many, np.int32),
        final=np.zeros(many, np.int8),
        alone=np.zeros(many, np.int8),
        edge_start=np.zeros(many + 1, np.int64),
        calm=np.zeros(many, np.int32),
        edges=np.zeros(4 * many, np.int32),
        edge_via=np.zeros(4 * many, np.int16),
        control=np.zeros(9, np.int64),
    )


def _enter(found: Exploration, regs: _Int64) -> bool:
    """Enter the first state: every thread at its first operation. False if one fails before."""
    model, space = found.model, found.space
    shared = model.shared.copy()
    state = np.zeros(model.n_threads + 1, np.int32)
    note = np.zeros(NOTES, np.int64)
    for i in range(model.n_threads):
        row = model.threads[i].copy()
        status = begin(model.tables, row, shared, regs, note)
        if status != DONE:
            found.status, found.state, found.action = status, 0, i * 64
            return False
        state[i] = intern(space.threads, space.thread_slots, space.thread_count, row)
    state[-1] = intern(space.shared, space.shared_slots, space.shared_count, shared)
    intern(space.states, space.state_slots, space.state_count, state)
    return True


def _learn(found: Exploration, regs: _Int64) -> None:
    """Let random schedules refute most of the claims about words that do not hold."""
    model, space = found.model, found.space
    size, n = model.tables.size, model.n_threads
    model.tables.claims[:] = 0
    size[m.REDUCTION] = claims.LEARN
    rows, shared = space.threads[space.states[0, :n]], space.shared[space.states[0, n]]
    anything, chance = np.zeros((0, 2), np.int64), np.array([-1], np.int64)
    trail, note = np.zeros(_LONGEST, np.int64), np.zeros(NOTES, np.int64)
    for seed in range(_SCHEDULES):
        wander(model.tables, rows, shared, regs, anything, np.uint64(seed + 1), chance, trail, note)
    _claim_anew(model)
    size[m.REDUCTION] = claims.RELY


def _claim_anew(model: Model) -> None:
    """Rely upon no claim yet."""
    model.tables.claims[:, claims.RELIED] = 0
    model.tables.claims[0] = 0


def _larger(space: Space) -> Space:
    """The same with twice the room wherever half of it is used."""
    changed: dict[str, Any] = {}
    n_states = int(space.state_count[0])
    for rows, slots, used in (
        ("states", "state_slots", n_states),
        ("threads", "thread_slots", int(space.thread_count[0])),
        ("shared", "shared_slots", int(space.shared_count[0])),
    ):
        old = getattr(space, rows)
        if 2 * used >= len(old):
            changed[rows] = _grown(old, 2 * len(old))
            if len(getattr(space, slots)) < 4 * len(old):
                # Every second time: to enter all rows again takes longer than to copy them.
                changed[slots] = np.zeros(8 * len(old), np.int32)
                refill(changed[rows], changed[slots], used)
    room = len(changed.get("states", space.states))
    for name in ("parent", "via", "depth", "final", "alone", "calm"):
        changed[name] = _grown(getattr(space, name), room)
    changed["edge_start"] = _grown(space.edge_start, room + 1)
    if 2 * int(space.control[loop.EDGES]) >= len(space.edges):
        for name in ("edges", "edge_via"):
            changed[name] = _grown(getattr(space, name), 2 * len(space.edges))
    if 4 * int(space.control[loop.MEMOS]) >= len(space.memo):
        changed["memo"] = np.full((2 * len(space.memo), 2), -1, np.int64)
        loop.move_memo(space.memo, changed["memo"])
    return space._replace(**changed)


def _grown(old: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    if length == len(old):
        return old
    new = np.zeros((length, *old.shape[1:]), old.dtype)
    new[: len(old)] = old
    return new
