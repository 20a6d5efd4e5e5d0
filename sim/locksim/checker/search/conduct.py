"""What threads do inside calls of some methods: do they write, and do they wait for others?

Both are asked of the graph of all states. A thread is *inside* a call while the operation that it
rests at belongs to the call, or to what the call calls.

*Waiting* is a matter of other threads. From a state in which a thread is inside, it runs alone; if
it does not come out, it waits for a step of a thread that stays where it is, whichever word it
looks at. To try again after a lost race is not waiting: alone, no race is lost. How long a thread
sleeps between two looks makes no difference, since the checker knows no time.

The exploration must not be reduced: a reduced one leaves out states in which a thread stays.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from locksim.checker.client import Conduct
from locksim.checker.models import layout as m
from locksim.checker.models.program import Program
from locksim.checker.search.explore import Exploration
from locksim.compiler import bytecode as b

WRITING, WAITING = "writing", "waiting"
"""What a violation is called."""
_WRITES = (*range(b.STORE, b.FETCH_XOR + 1), b.BLOCK, b.WAKE, b.ALLOC, b.FREE)


@dataclass(frozen=True)
class Misconduct:
    """A thread that does what it may not do.

    Arguments:
        found: WRITING or WAITING. method: whose call it is in. thread: which.
        state: that in which it is about to write, or from which it does not come out alone.
        steps: its own steps from there (thread * 64 + action each): the one that writes, or those
            to where it waits.
    """

    found: str
    method: str
    thread: int
    state: int
    steps: tuple[int, ...]


def misconduct(found: Exploration, conduct: Conduct) -> Misconduct | None:
    """The first state in which a demand does not hold, and the shortest way to see it there.

    Arguments:
        found: a complete exploration without a reduction. conduct: the demands.
    """
    seen = _Seen(found)
    wrong = [
        *(seen.writing(method) for method in conduct.writes_nothing),
        *(seen.waiting(method, ()) for method in conduct.waits_for_none),
        *(seen.waiting(method, conduct.lets_in) for method in conduct.lets_in),
    ]
    known = [one for one in wrong if one is not None]
    return min(known, key=lambda one: (one.state, len(one.steps)), default=None)


class _Seen:
    """The states of an exploration: where each thread rests, and where it goes alone."""

    def __init__(self, found: Exploration) -> None:
        space, threads = found.space, found.model.n_threads
        self.found, self.threads = found, range(threads)
        size, width = threads + 1, int(found.tables.size[m.ROW])
        self.rests = [
            [
                int(space.threads[int(space.states[s * size + t]) * width + m.PC])
                for t in self.threads
            ]
            for s in range(found.states)
        ]
        self.next: list[dict[int, tuple[int, int]]] = []  # of a state: thread -> (via, state)
        for s in range(found.states):
            edges = range(int(space.edge_start[s]), int(space.edge_start[s + 1]))
            ways = [(int(space.edge_via[e]), int(space.edges[e])) for e in reversed(edges)]
            self.next.append({via // 64: (via, to) for via, to in ways})

    def writing(self, method: str) -> Misconduct | None:
        """A thread that is about to write inside a call."""
        program = self.found.model.program
        writes = {k for k in _inside(program, [method]) if program.code[k][0] in _WRITES}
        for state, rests in enumerate(self.rests):
            for thread in self.threads:
                if rests[thread] in writes and thread in self.next[state]:
                    step = self.next[state][thread][0]
                    return Misconduct(WRITING, method, thread, state, (step,))
        return None

    def waiting(self, method: str, outside: Collection[str]) -> Misconduct | None:
        """A thread that does not come out of a call alone.

        Arguments:
            method: that it is in. outside: the methods that the other threads are not in.
        """
        program = self.found.model.program
        inside, elsewhere = _inside(program, [method]), _inside(program, outside)
        free = {
            (s, t) for t in self.threads for s, at in enumerate(self.rests) if at[t] not in inside
        }
        for state, rests in enumerate(self.rests):
            for thread in self.threads:
                if any(rests[t] in elsewhere for t in self.threads if t != thread):
                    continue
                steps = self._stays(state, thread, free)
                if steps is not None:
                    return Misconduct(WAITING, method, thread, state, tuple(steps))
        return None

    def _stays(self, state: int, thread: int, free: set[tuple[int, int]]) -> list[int] | None:
        """The steps that a thread takes alone and does not come out by; None: it comes out.

        Arguments:
            free: pairs of state and thread from which it does; those on its way are added.
        """
        way: dict[int, int] = {}  # state -> step
        while (state, thread) not in free:
            if state in way or thread not in self.next[state]:
                return list(way.values())
            way[state], state = self.next[state][thread]
        free |= {(s, thread) for s in way}
        return None


def _inside(program: Program, methods: Collection[str]) -> frozenset[int]:
    """The rows of a program that belong to a call of some methods, or to what such a call calls."""
    inside: list[bool] = []  # of each call; a caller comes before what it calls
    for call in program.calls:
        inside.append(call.method in methods or (call.caller >= 0 and inside[call.caller]))
    return frozenset(k for k, call in enumerate(program.call_of) if call >= 0 and inside[call])
