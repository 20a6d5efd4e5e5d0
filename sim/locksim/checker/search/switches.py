"""Of all shortest paths to what is wrong, one with the fewest context switches.

A breadth-first search gives every state its depth, so each step of a shortest path leads from a
depth to the next: every beginning of a shortest path is a shortest path itself. A switch depends on
two neighbouring steps only. So it is enough to know, for each state and each thread, the fewest
switches of a shortest path to the state whose last step that thread takes, and to compute that
from depth to depth. All shortest paths take part, so the least at the end is the least there is.

The exploration stops at its first violation. Others of the same depth may come after it: the states
of that depth are all known by then, and are tried in the order of their switches.
"""

from __future__ import annotations

import time
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from locksim.checker.models import layout as m
from locksim.checker.models.outcome import DISABLED, FULL_BUFFER
from locksim.checker.models.registers import N_FAULT, NOTES
from locksim.checker.search.explore import Exploration
from locksim.checker.search.invariants import HOLDS, INVARIANT, holds
from locksim.checker.search.loop import EXPLORED, STUCK
from locksim.checker.search.step import FLUSH, MAX_ACTIONS, perform
from locksim.compiler import bytecode as b

_SWITCH = m.BUFFERS
"""The weight of a switch. Of ways with equally many, the one is better whose first thread is lower,
so that number is what a way begins with."""
_UNKNOWN = (1 << 31) - 1
_GLANCE = 4096
"""States between two looks at the clock."""


class NotKnownError(Exception):
    """The fewest switches cannot be found: too little time, or too little was explored."""


class Switches:
    """The fewest context switches on the shortest paths to the states of an exploration.

    A store buffer's step counts as its thread's.

    Arguments:
        found: an exploration without reduction, which keeps all edges.
        state: up to whose depth.
        until: when to give up, as ``time.process_time()`` counts.

    Raises:
        NotKnownError: it is later than that, or not all states of less depth are explored.
    """

    def __init__(self, found: Exploration, state: int, until: float) -> None:
        self.found, self.until, self.n = found, until, found.model.n_threads
        space, n = found.space, self.n
        depth = space.depth[: found.states].tolist()
        self.deepest = depth[state]
        self.first = bisect_right(depth, self.deepest - 1)
        """The first state of the greatest depth."""
        self.end = bisect_right(depth, self.deepest)
        if space.control[EXPLORED] < self.first:
            raise NotKnownError
        # For each state and thread: the least weight, the state before, and the step from there.
        self.least = array("i", [_UNKNOWN]) * (self.end * n)
        self.before, self.via = (array(code, [0]) * (self.end * n) for code in "ih")
        self.least[:n] = array("i", range(n))
        edges = int(space.edge_start[self.first])
        start = space.edge_start[: self.first + 1].tolist()
        targets, steps = space.edges[:edges].tolist(), space.edge_via[:edges].tolist()
        least = self.least
        for s in range(self.first):
            if s % _GLANCE == 0:
                self.look()
            stays = least[s * n : s * n + n]
            changes = min(stays) + _SWITCH
            for e in range(start[s], start[s + 1]):
                to, thread = targets[e], steps[e] // 64
                weight, at = min(stays[thread], changes), to * n + thread
                if depth[to] > depth[s] and weight < least[at]:
                    least[at], self.before[at], self.via[at] = weight, s, steps[e]

    def look(self) -> None:
        """Give up if it is too late."""
        if time.process_time() > self.until:
            raise NotKnownError

    def to(self, state: int, thread: int | None = None) -> int:
        """The weight of the way to a state; with what a step of a thread would add there."""
        here = self._here(state)
        return min(here) if thread is None else min(here[thread], min(here) + _SWITCH)

    def path(self, state: int, thread: int | None = None) -> list[int]:
        """The way to a state; the one that goes on best with a step of a thread."""
        steps: list[int] = []
        while state > 0:
            here = self._here(state)
            if thread is None or here[thread] > min(here) + _SWITCH:
                thread = here.index(min(here))
            steps.append(self.via[state * self.n + thread])
            state = self.before[state * self.n + thread]
        return steps[::-1]

    def _here(self, state: int) -> array[int]:
        return self.least[state * self.n : (state + 1) * self.n]


def path_to_state(found: Exploration, states: Sequence[int], until: float) -> tuple[int, list[int]]:
    """Of some states of one depth the one with the fewest switches on the way, and the way.

    Raises:
        NotKnownError: as for :class:`Switches`.
    """
    switches = Switches(found, states[0], until)
    best = min(states, key=switches.to)
    return best, switches.path(best)


def path_to_violation(
    found: Exploration, expect: Sequence[tuple[int, int]], until: float
) -> list[int]:
    """A way to what stopped an exploration, or to the same at the same depth, its step included.

    Arguments:
        found: the exploration. expect: address and value of the words that it expected at the end.
        until: when to give up, as ``time.process_time()`` counts.

    Raises:
        NotKnownError: as for :class:`Switches`.
    """
    if found.states == 0:
        return found.violation  # a thread goes wrong before its first operation
    switches, outcomes = Switches(found, found.state, until), _Outcomes(found)
    later = range(found.state, switches.end)  # nothing is wrong with those before
    if found.action < 0:
        for state in sorted(later, key=switches.to):
            switches.look()
            if state == found.state or outcomes.wrong(state, expect):
                return switches.path(state)
    wanted = outcomes.of(found.state, found.action // 64)[found.action % 64]
    ends = [(switches.to(state, k), state, k) for state in later for k in range(switches.n)]
    for _, state, thread in sorted(ends):
        switches.look()
        for action, outcome in outcomes.of(state, thread).items():
            if outcome == wanted:
                return [*switches.path(state, thread), thread * 64 + action]
    raise AssertionError("the exploration's own violation is among them")


class _Outcomes:
    """What comes of steps: it depends on the thread's row and the shared row, and is kept so."""

    def __init__(self, found: Exploration) -> None:
        self.found, self.tables = found, found.relied.tables
        self.regs, self.note = list(found.model.program.registers), [0] * NOTES
        self.c11 = found.model.tables.size[m.MODEL] == m.C11
        self.invariants: dict[int, bool] = {}
        self.known: dict[tuple[int, int], dict[int, tuple[int, int]]] = {}

    def of(self, state: int, thread: int) -> dict[int, tuple[int, int]]:
        """Status and kind of fault of each action of a thread and its store buffer."""
        numbers = self.found.row_numbers(state)
        key = numbers[thread], numbers[-1]
        if key not in self.known:
            self.known[key] = dict(self._tried(*key))
        return self.known[key]

    def wrong(self, state: int, expect: Sequence[tuple[int, int]]) -> bool:
        """Whether a state is wrong itself, as the one is that was found."""
        *threads, shared = self.found.row_numbers(state)
        if self.found.status == STUCK:
            outcomes = [o for k in range(len(threads)) for o, _ in self.of(state, k).values()]
            over = all(self._exited(row) for row in threads)
            return not over and all(o in (DISABLED, FULL_BUFFER) for o in outcomes)
        if self.found.status == INVARIANT:
            return self._broken(shared)
        if not all(self._exited(row) for row in threads):
            return False
        words = self.found.shared_row(shared)
        return any(words[address] != value for address, value in expect)

    def _broken(self, number: int) -> bool:
        if number not in self.invariants:
            words = self.found.shared_row(number)
            asked = ((p, list(p.registers)) for p in self.found.model.invariants)
            self.invariants[number] = any(
                holds(self.tables, p.code, p.entry, regs[:], regs, words, self.note) != HOLDS
                for p, regs in asked
            )
        return self.invariants[number]

    def _exited(self, number: int) -> bool:
        row = self.found.thread_row(number)
        return self.tables.op[row[m.PC]] == b.EXIT and row[m.BUFFERED] == 0

    def _tried(self, thread_row: int, shared_row: int) -> Iterator[tuple[int, tuple[int, int]]]:
        before, words = self.found.thread_row(thread_row), self.found.shared_row(shared_row)
        for action in (FLUSH, *range(MAX_ACTIONS)):
            row, shared = before.copy(), words.copy()
            status = perform(self.tables, row, shared, self.regs, action, self.note)
            yield action, (status, self.note[N_FAULT])
            op = self.tables.op[before[m.PC]]
            chooses = op == b.RANDOM or (self.c11 and b.LOAD <= op <= b.FETCH_XOR)
            if action != FLUSH and (status == DISABLED or not chooses):
                return
