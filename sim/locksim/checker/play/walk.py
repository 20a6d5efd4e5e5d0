"""Walking by hand: from a state to what can happen next, in the words of the program.

The exploration (:mod:`locksim.checker.search.explore`) answers whether a lock can be broken. Here
the choice of the next thread comes from outside: from a person (the player's game), or from
:mod:`locksim.checker.play.graph`, which tries all. A step is taken by the same compiled function,
and described by the same code as a counterexample's.

A walk has no memory of its own. A *state* is a value that can be kept and compared; a *path* is a
list of moves from the start, each a number ``via`` (thread * 64 + action, as the exploration's).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from locksim.checker.client import Client
from locksim.checker.errors import CheckError
from locksim.checker.models import layout as m
from locksim.checker.models import outcome
from locksim.checker.models import registers as rg
from locksim.checker.models.model import MEMORY_MODELS, Model
from locksim.checker.replay.messages import verdict
from locksim.checker.replay.path import Replay, Step, operation_name
from locksim.checker.replay.render import did
from locksim.checker.search import step as st
from locksim.checker.search.loop import STUCK, WRONG_END
from locksim.compiler import bytecode as b
from locksim.core.faults import file_name


@dataclass(frozen=True, slots=True)
class State:
    """A state, which can be a key.

    Arguments:
        threads: each thread's row. shared: the shared row.
        stores: for each thread the program rows of the stores in its buffer, for messages.
    """

    threads: tuple[tuple[int, ...], ...]
    shared: tuple[int, ...]
    stores: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Move:
    """Something that can happen next.

    Arguments:
        via: its number. thread: whose. action: "run" or "flush".
        step: what it does. to: the state after it, None if the step itself goes wrong.
        found, message: what goes wrong, both "" if nothing does.
    """

    via: int
    thread: int
    action: str
    step: Step
    to: State | None
    found: str = ""
    message: str = ""

    @property
    def label(self) -> str:
        """The move in a few words; where a buffered store was issued has been seen before."""
        return did(self.step)


_MODELS = {
    "sc": "sequential consistency",
    "tso": "TSO: stores wait in buffers",
    "c11": "C11: a load may read an old value",
}


class Walk:
    """A client of a lock under a memory model, to be walked through.

    Arguments:
        model: the program. client: what it does, and what must hold at its end. name: the lock's.
    """

    def __init__(self, model: Model, client: Client, name: str) -> None:
        self.model, self.client, self.name = model, client, name
        self.memory = MEMORY_MODELS[int(model.tables.size[m.MODEL])]
        path = Replay(model)
        self.kinds = path.names.kinds  # what was ever seen on the heap, for its names
        if path.failed >= 0:
            raise CheckError(f"{name}: a thread fails before its first operation")
        self.start = _state(path)

    def moves(self, state: State) -> list[Move]:
        """Everything that can happen in a state; a spin that changes nothing is a move too."""
        threads = range(self.model.n_threads)
        return [move for thread in threads for move in self.moves_of(state, thread)]

    def moves_of(self, state: State, thread: int) -> list[Move]:
        """What one thread, or its store buffer, can do."""
        found = [self.move(state, thread, action) for action in self._actions(state, thread)]
        return [move for move in found if move is not None]

    def move(self, state: State, thread: int, action: int) -> Move | None:
        """A thread's move, or None if it cannot make it now."""
        path = self._at(state)
        row, shared, note = path.rows[thread].copy(), path.shared.copy(), [0] * rg.NOTES
        status = st.perform(self.model.tables, row, shared, path.regs, action, note)
        if status in (outcome.DISABLED, outcome.FULL_BUFFER, outcome.HEAP_FULL):
            return None
        if status == outcome.CHOICES:
            raise CheckError(f"{self.name}: a random choice among too many values to walk through")
        via = thread * 64 + action
        step = path.step(via)
        if status != outcome.DONE:
            found, message = verdict(path, status, self.client.expect)
            return Move(via, thread, step.action, step, None, found, message)
        return Move(via, thread, step.action, step, _state(path))

    def ended(self, state: State, moves: list[Move]) -> tuple[str, str]:
        """What is wrong with a state in which nothing can move; ("", "") if all is well."""
        if moves:
            return "", ""
        path = self._at(state)
        if not all(self._exited(path, thread) for thread in range(self.model.n_threads)):
            return verdict(path, STUCK, {})
        words = {name: address for address, name in self.model.memory.names}
        expect = self.client.expect
        if all(path.shared[words[name]] == value for name, value in expect.items()):
            return "", ""
        return verdict(path, WRONG_END, expect)

    def verdict(self, state: State, status: int) -> tuple[str, str]:
        """Kind and message of what the explorer's status says about a state."""
        return verdict(self._at(state), status, self.client.expect)

    def thread(self, state: State, thread: int) -> dict[str, Any]:
        """A thread for people: ``next``, ``source``, ``place``, ``buffer``, ``says``, ``done``."""
        path = self._at(state)
        row = path.rows[thread]
        pc = int(row[m.PC])
        done = self._exited(path, thread)
        place = self.model.program.places[pc]
        return {
            "next": "" if done else operation_name(self.model.program.code[pc][0]),
            "source": "" if done else path.source(place),
            "place": {"file": file_name(place.file), "line": place.line},
            "buffer": [[name, shown] for name, _, shown in path.buffer(row)],
            "says": self._holds(path, thread),
            "done": done,
        }

    def words(self, state: State) -> list[str]:
        """The values of all named words."""
        path = self._at(state)
        return [path.names.value(a, int(path.shared[a])) for a, _ in self.model.memory.names]

    def heading(self) -> dict[str, Any]:
        """What the player shows above a game."""
        memory = _MODELS[self.memory]
        return {
            "kind": "game",
            "version": 1,
            "title": f"Break {self.name}: you are the scheduler",
            "facts": f"{self.model.n_threads} threads · {self.client.name} · {memory}",
            "threads": self.model.n_threads,
            "words": [name for _, name in self.model.memory.names],
        }

    def along(self, path: list[int]) -> tuple[State | None, Move | None]:
        """The state at the end of a path, None if the last move goes wrong; and that move.

        Raises:
            CheckError: a move of the path is not possible.
        """
        state: State | None = self.start
        move: Move | None = None
        for via in path:
            thread, action = divmod(via, 64)
            possible = state is not None and thread < self.model.n_threads
            move = self.move(state, thread, action) if possible and state is not None else None
            if move is None:
                raise CheckError(f"move {via} is not possible here")
            state = move.to
        return state, move

    def _at(self, state: State) -> Replay:
        """A replay that stands at a state."""
        path = Replay(self.model)
        path.rows = [list(row) for row in state.threads]
        path.shared = list(state.shared)
        path.stores = [list(stores) for stores in state.stores]
        path.names.kinds = self.kinds
        path.names.update(path.shared)
        self.kinds = path.names.kinds
        return path

    def _actions(self, state: State, thread: int) -> list[int]:
        row = state.threads[thread]
        op = self.model.program.code[row[m.PC]][0]
        # Under C11 an access chooses too: which message it reads, or is put behind.
        chooses = op == b.RANDOM or (self.memory == "c11" and b.LOAD <= op <= b.FETCH_XOR)
        own = range(st.MAX_ACTIONS) if chooses else range(1)
        return [*own, st.FLUSH] if row[m.BUFFERED] else [*own]

    def _exited(self, path: Replay, thread: int) -> bool:
        row = path.rows[thread]
        over = self.model.program.code[row[m.PC]][0] == b.EXIT
        return bool(over and row[m.BUFFERED] == 0)

    def _holds(self, path: Replay, thread: int) -> str:
        at = int(self.model.tables.size[m.INSIDE])
        row, inside = path.rows[thread], []
        for lock, name in enumerate(self.model.memory.locks):
            if row[at + 2 * lock]:
                inside.append(f"● holds {name}")
            if row[at + 2 * lock + 1]:
                inside.append(f"◐ reads under {name}")
        return ", ".join(inside)


def vars_of(step: Step) -> dict[str, Any]:
    """A step for the player."""
    return vars(step) | {"file": file_name(step.file)}


def _state(path: Replay) -> State:
    return State(
        tuple(map(tuple, path.rows)),
        tuple(path.shared),
        tuple(tuple(stores) for stores in path.stores),
    )
