"""All states of a small client as data: the game on a page that has no Python behind it.

States collapse here as in the exploration: a state is the numbers of its threads' rows and of its
shared row, and what a thread can do depends on its own row and the shared one only. So the page
holds the rows once each and a table of moves by such pairs (``memo``), not a table of states; only
the hints need all states.

Hints come from a search backwards, from what is wrong: a move that goes wrong, a wrong end, a state
in which nothing changes any more though not all have finished (or, if there is none, any from which
no way leads to an end).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from locksim.checker.errors import CheckError
from locksim.checker.play.walk import Move, State, Walk, vars_of
from locksim.checker.search.loop import NO_PROGRESS
from locksim.compiler.control_flow import reachable

MOST_STATES = 20_000


@dataclass
class Map:
    """The states that can be reached from one, and where they lead.

    Arguments:
        states: in the order in which they were found. moves: out of each.
        next: for each state the numbers of the states after its moves, -1 where one goes wrong.
        ends: what is wrong with a state itself: its number → kind, message.
        toward: for each state from which the lock can be broken (first move, moves to go).
        complete: False if there were too many states; ``ends`` then lacks what has no way to an
            end, and a state that is not in ``toward`` may be lost all the same.
    """

    states: list[State]
    moves: list[list[Move]] = field(default_factory=list)
    next: list[list[int]] = field(default_factory=list)
    ends: dict[int, tuple[str, str]] = field(default_factory=dict)
    toward: dict[int, tuple[int, int]] = field(default_factory=dict)
    complete: bool = True


def explore(walk: Walk, start: State, max_states: int = MOST_STATES) -> Map:
    """Find all states from one on, and the ways to what is wrong."""
    found = Map([start])
    number = {start: 0}
    outcomes: dict[tuple[Any, ...], list[Move]] = {}
    at = 0
    while at < len(found.states):
        if len(found.states) > max_states:
            found.complete = False
            break
        state = found.states[at]
        moves = _moves(walk, state, outcomes)
        after = []
        for move in moves:
            if move.to is None:
                after.append(-1)
                continue
            if move.to not in number:
                number[move.to] = len(found.states)
                found.states.append(move.to)
            after.append(number[move.to])
        found.moves.append(moves)
        found.next.append(after)
        wrong = walk.ended(state, moves)
        if wrong[0]:
            found.ends[at] = wrong
        at += 1
    _backwards(walk, found)
    return found


def graph(walk: Walk, max_states: int = MOST_STATES) -> dict[str, Any]:
    """The game as data for the player (``static/moves.js`` reads it).

    Raises:
        CheckError: there are more states.
    """
    found = explore(walk, walk.start, max_states)
    if not found.complete:
        raise CheckError(
            f"{walk.name}: the game has more than {max_states:,} states, too many for a page\n"
            "help: take fewer threads or rounds, or memory model sc"
        )
    n = walk.model.n_threads
    rows: dict[tuple[Any, ...], int] = {}
    shared: dict[tuple[int, ...], int] = {}
    shown_rows, shown_shared = [], []
    places: dict[tuple[str, int, str], int] = {}
    steps: dict[str, int] = {}
    shown_steps: list[dict[str, Any]] = []
    memo: dict[str, list[list[Any]]] = {}

    def place(file: str, line: int, source: str) -> int:
        return places.setdefault((file, line, source), len(places))

    def key(state: State) -> list[int]:
        numbers = []
        for thread in range(n):
            row = (thread, state.threads[thread], state.stores[thread])
            if row not in rows:
                rows[row] = len(rows)
                shown = walk.thread(state, thread)
                where = shown.pop("place")
                shown_rows.append(shown | {"place": place(where["file"], where["line"], "")})
            numbers.append(rows[row])
        if state.shared not in shared:
            shared[state.shared] = len(shared)
            shown_shared.append(walk.words(state))
        return [*numbers, shared[state.shared]]

    def step(move: Move) -> int:
        shown = vars_of(move.step)
        at = place(shown.pop("file"), shown.pop("line"), shown.pop("source"))
        # Other threads' buffers are theirs: the step is the same whatever is in them.
        shown["buffers"] = [b if t == move.thread else [] for t, b in enumerate(shown["buffers"])]
        shown |= {"place": at, "label": move.label}
        text = repr(shown)
        if text not in steps:
            steps[text] = len(steps)
            shown_steps.append(shown)
        return steps[text]

    keys = [key(state) for state in found.states]
    for number, moves in zip(keys, found.moves, strict=True):
        for thread in range(n):
            pair = f"{number[thread]},{number[n]}"
            if pair not in memo:
                memo[pair] = [
                    [move.via, *_after(key, move), step(move), move.found, move.message]
                    for move in moves
                    if move.thread == thread
                ]
    return walk.heading() | {
        "start": keys[0],
        "states": len(keys),
        "rows": shown_rows,
        "shared": shown_shared,
        "places": [{"file": file, "line": line, "source": text} for file, line, text in places],
        "steps": shown_steps,
        "memo": memo,
        "ends": {_text(keys[k]): list(wrong) for k, wrong in found.ends.items()},
        "hints": {_text(keys[k]): list(way) for k, way in found.toward.items()},
    }


def hint(walk: Walk, state: State, max_states: int = MOST_STATES) -> dict[str, Any]:
    """Whether the lock can be broken from a state, and the first move of a shortest way.

    Returns:
        ``can``; if True ``via`` and ``distance``; a ``text`` where it is not known.
    """
    found = explore(walk, state, max_states)
    if 0 in found.toward:
        via, distance = found.toward[0]
        return {"can": True, "via": via, "distance": distance}
    if 0 in found.ends:
        return {
            "can": True,
            "distance": 0,
            "text": "The lock is already broken: no schedule leads to the end.",
        }
    if found.complete:
        return {"can": False}
    return {"can": False, "text": f"Not known: {max_states:,} states were not enough to decide."}


def _moves(walk: Walk, state: State, outcomes: dict[tuple[Any, ...], list[Move]]) -> list[Move]:
    """The moves out of a state; what one thread does is found again in other states."""
    moves = []
    for thread in range(walk.model.n_threads):
        mine = (thread, state.threads[thread], state.stores[thread], state.shared)
        if mine not in outcomes:
            outcomes[mine] = walk.moves_of(state, thread)
        for move in outcomes[mine]:
            moves.append(_elsewhere(move, state))
    return moves


def _elsewhere(move: Move, state: State) -> Move:
    """A move that is known from another state, in one with the same thread's and shared row."""
    if move.to is None:
        return move
    k = move.thread
    to = State(
        (*state.threads[:k], move.to.threads[k], *state.threads[k + 1 :]),
        move.to.shared,
        (*state.stores[:k], move.to.stores[k], *state.stores[k + 1 :]),
    )
    return Move(move.via, k, move.action, move.step, to, move.found, move.message)


def _backwards(walk: Walk, found: Map) -> None:
    """Find what has no way to an end (if all is known), and the shortest ways to what is wrong."""
    before: list[list[int]] = [[] for _ in found.states]
    for state, following in enumerate(found.next):
        for after in following:
            if after >= 0:
                before[after].append(state)
    if found.complete:
        _end_stuck(walk, found, before)
    distance = dict.fromkeys(found.ends, 0)
    for state, following in enumerate(found.next):
        if state not in distance and -1 in following:
            distance[state] = 1
            found.toward[state] = (found.moves[state][following.index(-1)].via, 1)
    # Breadth first: what is wrong itself (distance 0) comes before what is one wrong move away.
    levels = deque(distance)
    while levels:
        state = levels.popleft()
        for earlier in before[state]:
            if earlier not in distance or distance[earlier] > distance[state] + 1:
                distance[earlier] = distance[state] + 1
                via = found.moves[earlier][found.next[earlier].index(state)].via
                found.toward[earlier] = (via, distance[earlier])
                levels.append(earlier)


def _end_stuck(walk: Walk, found: Map, before: list[list[int]]) -> None:
    """Enter among the ends the states from which no way leads to an end."""
    states = range(len(found.next))
    # A wrong move or a wrong end is an end too: only what leads nowhere at all is stuck.
    ends = [s for s in states if not found.moves[s] or s in found.ends or -1 in found.next[s]]
    hopeful = reachable(ends, before.__getitem__)
    lost = [state for state in states if state not in hopeful]
    # The checker's choice too: where nothing changes any more, a reader sees that it is over.
    still = [state for state in lost if set(found.next[state]) == {state}]
    for state in still or lost:
        found.ends[state] = walk.verdict(found.states[state], NO_PROGRESS)


def _after(key: Any, move: Move) -> list[int]:
    if move.to is None:
        return [-1, -1]
    numbers = key(move.to)
    return [numbers[move.thread], numbers[-1]]


def _text(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))
