"""A counterexample: the steps of a path, in the words of the program.

The exploration keeps only who acted. Here the path is walked once more, step by step, with the same
compiled step, which notes down what it did.
"""

from __future__ import annotations

import dataclasses
import linecache
from dataclasses import dataclass
from typing import Any

from locksim.checker.models import model as m
from locksim.checker.models import outcome as oc
from locksim.checker.models import registers as rg
from locksim.checker.models.model import Model
from locksim.checker.replay.names import Names
from locksim.checker.search import step as st
from locksim.checker.search.explore import Exploration
from locksim.checker.search.leak import leaked
from locksim.checker.search.liveness import Lasso
from locksim.checker.search.loop import LEAK, NO_PROGRESS, STUCK, WRONG_END
from locksim.compiler import bytecode as b
from locksim.compiler.bytecode import Place
from locksim.core import faults
from locksim.core.faults import Fault
from locksim.lang.ops import Mark

_NAMES = {getattr(b, n): n.lower() for n in ("LOAD", "STORE", "SWAP", "COMPARE_SWAP", "FETCH_ADD")}
_NAMES |= {getattr(b, n): n.lower() for n in ("FETCH_AND", "FETCH_OR", "FETCH_XOR", "FENCE")}
_NAMES |= {getattr(b, n): n.lower() for n in ("BLOCK", "WAKE", "ALLOC", "FREE", "RANDOM")}
_NAMES[b.EXIT] = "restart"
_MARKS = {
    Mark.ACQUIRED: "acquired",
    Mark.RELEASED: "releases",
    Mark.READ_ACQUIRED: "read-acquired",
    Mark.READ_RELEASED: "read-releases",
}


@dataclass(frozen=True)
class Step:
    """One step.

    Arguments:
        thread: who. action: "run" or "flush" (its store buffer makes its oldest store visible).
        choice: the value of a random choice, else 0.
        operation: "load", "swap", …; "start" for register code before the first operation;
            "restart" where a thread runs its program again.
        word: name of the word, "" where there is none. address: its number.
        old, new: the word before and after; for a load both are what was read.
        was, becomes: the same as text, where a pointer is named by what it points to.
        file, line, method, source: where in the program, and the source line.
        marks: what the thread does to locks right after, such as "acquired lock".
        buffers: each thread's store buffer after the step, oldest first, as (word, value, value
            as text).
        behind: under C11 how many newer values of the word there were than the one that was read,
            or than the one that was stored.
    """

    thread: int
    action: str
    choice: int
    operation: str
    word: str
    address: int
    old: int
    new: int
    was: str
    becomes: str
    file: str
    line: int
    method: str
    source: str
    marks: list[str]
    buffers: list[list[tuple[str, int, str]]]
    behind: int = 0


@dataclass(frozen=True)
class Counterexample:
    """A shortest path to what is wrong.

    Arguments:
        found: "exclusion", "deadlock", "assertion", "memory", or "fault" (index, shift, …).
        message: what is wrong, in words.
        steps: the path. The last step shows the fault, or reaches the state that is wrong.
        threads: how many there are.
        cycle: where the steps go round for ever: the index of the first one of the cycle, whose
            last step leads back to where it began. None: they do not.
        victim: the thread that never gets on in the cycle, or -1.
        grows: word's name → by how much it is larger after each round of the cycle.
    """

    found: str
    message: str
    steps: list[Step]
    threads: int
    cycle: int | None = None
    victim: int = -1
    grows: dict[str, int] = dataclasses.field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        return dataclasses.asdict(self)


def of_state(
    found: Exploration, status: int, state: int, action: int, expect: dict[str, int] | None = None
) -> Counterexample:
    """The counterexample of an exploration.

    Arguments:
        found: what was explored.
        status: what is wrong. state, action: where, as in :class:`Exploration`.
        expect: word's name → its value at the end, for the message.
    """
    return of_path(found.relied, found.path(state, action), status, expect)


def of_path(
    model: Model, path: list[int], status: int, expect: dict[str, int] | None = None
) -> Counterexample:
    """The counterexample of some steps (thread * 64 + action each), whose end shows what is wrong.

    Arguments:
        model: of what. path: the steps.
        status: what is wrong. expect: word's name → its value at the end, for the message.
    """
    walk = Replay(model)
    steps = [walk.step(a) for a in path]
    kind, message = walk.verdict(status, expect or {})
    return Counterexample(kind, message, steps, model.n_threads)


def of_lasso(found: Exploration, lasso: Lasso) -> Counterexample:
    """The counterexample of a run that goes round for ever."""
    walk = Replay(found.relied)
    steps = [walk.step(a) for a in lasso.path]
    before = walk.shared.copy()
    steps += [walk.step(a) for a in lasso.cycle]
    static = found.model.tables.size[m.STATIC]
    grows = {walk.names.word(a): walk.shared[a] - before[a] for a in range(static)}
    message = _FOR_EVER[lasso.found].format(
        steps="no step at all"
        if not lasso.cycle
        else f"steps {len(lasso.path) + 1} to {len(steps)}",
        victim=lasso.victim,
    )
    grows = {word: amount for word, amount in grows.items() if amount}
    growth = [f"  {word} is larger by {amount} each time" for word, amount in grows.items()]
    return Counterexample(
        lasso.found,
        "\n".join([message, *walk.waits(), *growth]),
        steps,
        found.model.n_threads,
        cycle=len(lasso.path),
        victim=lasso.victim,
        grows=grows,
    )


_FOR_EVER = {
    "starvation": "{steps} repeat for ever: every thread keeps running, others acquire the lock, "
    "and thread {victim} never does",
    "livelock": "{steps} repeat for ever: every thread keeps running, no thread acquires the lock, "
    "and thread {victim} waits",
    "bypass": "{steps} can repeat any number of times while thread {victim} waits: "
    "others overtake it without bound",
}


class Replay:
    """A path that is walked again: threads, shared row, and buffered stores after each step."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.rows = [row.copy() for row in model.threads]
        self.shared = model.shared.copy()
        self.regs = list(model.program.registers)
        self.note = [0] * rg.NOTES
        self.stores: list[list[int]] = [[] for _ in self.rows]  # rows of the buffered stores
        self.names = Names(model, self.shared)
        self.failed = -1
        self.thread = 0
        for i, row in enumerate(self.rows):
            if st.start(model.tables, row, self.shared, self.regs, self.note) != oc.DONE:
                self.failed, self.thread = i, i
                return

    def step(self, via: int) -> Step:
        """Take a step and describe it."""
        self.thread, action = divmod(via, 64)
        row, note, code = self.rows[self.thread], self.note, self.model.program.code
        if self.failed < 0:
            self.names.update(self.shared)
            st.perform(self.model.tables, row, self.shared, self.regs, action, note)
        started = self.failed < 0
        pc = note[rg.N_PC if started else rg.N_FAULT_PC]
        operation = _NAMES.get(code[pc][0], "pause") if started else "start"
        if action == st.FLUSH:
            pc, operation = self.stores[self.thread].pop(0), "flush"
        elif operation == "store" and self.model.tso:
            self.stores[self.thread].append(pc)
        elif operation == "swap" and code[pc][6]:
            operation = "store"  # a SEQ_CST store, which does not go through the buffer
        place = self.model.program.places[pc]
        address, old, new = (note[i] for i in (rg.N_ADDRESS, rg.N_OLD, rg.N_NEW))
        has_word = operation in _WITH_WORD
        word = self.names.word(address) if has_word else ""
        was, becomes = str(old), str(new)
        if operation == "alloc":
            self.names.update(self.shared)
            becomes = self.names.object(new)
        elif operation == "free":
            word = self.names.object(address)
        elif has_word:
            was, becomes = self.names.value(address, old), self.names.value(address, new)
        return Step(
            thread=self.thread,
            action="flush" if action == st.FLUSH else "run",
            choice=action if operation == "random" else 0,
            operation=operation,
            word=word,
            address=address,
            old=old,
            new=new,
            was=was,
            becomes=becomes,
            file=place.file,
            line=place.line,
            method=place.method,
            source=self.source(place),
            marks=self._marks(),
            buffers=[self.buffer(r) for r in self.rows],
            behind=note[rg.N_BEHIND] if has_word else 0,
        )

    def source(self, place: Place) -> str:
        """The source line at a place."""
        return linecache.getline(place.file, place.line).strip()

    def _marks(self) -> list[str]:
        note, locks = self.note, self.model.memory.locks
        pairs = [note[rg.N_MARKS + 1 + 2 * i :][:2] for i in range(note[rg.N_MARKS])]
        return [f"{_MARKS[Mark(w)]} {locks[k]}" for w, k in pairs if Mark(w) in _MARKS]

    def buffer(self, row: list[int]) -> list[tuple[str, int, str]]:
        """What is in the store buffer of a thread's row, oldest first: word, value, as text."""
        first = m.REGISTERS + self.model.tables.size[m.WIDTH]
        stores = row[first : first + 2 * row[m.BUFFERED]]
        return [
            (self.names.word(address), value, self.names.value(address, value))
            for address, value in zip(stores[::2], stores[1::2], strict=True)
        ]

    # What is wrong, after the last step

    def verdict(self, status: int, expect: dict[str, int]) -> tuple[str, str]:
        """The kind of what is wrong, and the message."""
        if status == oc.FAULT:
            return self._fault()
        if status == oc.EXCLUSION:
            return "exclusion", self._exclusion()
        if status == oc.RACE:
            return "race", self._race()
        if status == WRONG_END:
            words = {name: address for address, name in self.model.memory.names}
            wrong = [
                f"{name} is {int(self.shared[words[name]])}, not {value}"
                for name, value in expect.items()
                if self.shared[words[name]] != value
            ]
            return (
                "assertion",
                f"all threads have finished, and {', '.join(wrong)}: an update is lost",
            )
        if status == LEAK:
            lost = ", ".join(self.names.object(at) for at in leaked(self.model, self.shared))
            return "leak", f"all threads have finished, and nothing points to {lost} any more"
        waits = "\n".join(self.waits())
        if status == STUCK:
            return "deadlock", f"no thread can take a step\n{waits}"
        assert status == NO_PROGRESS
        return "deadlock", f"from here on no schedule leads to the end\n{waits}"

    def _fault(self) -> tuple[str, str]:
        kind, at = Fault(self.note[rg.N_FAULT]), self.note[rg.N_FAULT_AT]
        place = self.model.program.places[self.note[rg.N_FAULT_PC]]
        detail = str(at)
        if kind == Fault.MEMORY:
            op = _NAMES.get(self.model.program.code[self.note[rg.N_FAULT_PC]][0], "flush")
            detail = faults.memory_detail(
                op, at, self.model.memory.space.words_per_line, self.names.word(at)
            )
        elif kind == Fault.FREE:
            detail = self.names.object(at).lstrip("&")
        elif kind in (Fault.ASSERTION, Fault.DIVISION):
            detail = ""
        text = faults.message(kind, 0, 0, place.file, place.line, place.method, detail)
        found = {Fault.ASSERTION: "assertion", Fault.MEMORY: "memory", Fault.FREE: "memory"}
        # Without the time, which the checker does not know.
        return found.get(kind, "fault"), f"thread {self.thread}, {text.partition(', ')[2]}"

    def _exclusion(self) -> str:
        last = self.note[rg.N_MARKS]
        what, lock = self.note[rg.N_MARKS + 2 * last - 1 :][:2]
        at = int(self.model.tables.size[m.INSIDE]) + 2 * lock
        inside = [f"thread {i} holds it" for i, row in enumerate(self.rows) if row[at]]
        inside += [f"thread {i} reads" for i, row in enumerate(self.rows) if row[at + 1]]
        name, holders = self.model.memory.locks[lock], " and ".join(inside) or "no thread holds it"
        if what in (Mark.RELEASED, Mark.READ_RELEASED):
            return f"thread {self.thread} releases {name}, which it does not hold: {holders}"
        enters = "enters" if what == Mark.ACQUIRED else "enters as a reader"
        return f"thread {self.thread} {enters} while {holders} ({name})"

    def _race(self) -> str:
        """Two accesses that nothing orders."""
        address = self.note[rg.N_ADDRESS]
        name = self.names.word(address)
        if self.model.program.code[self.note[rg.N_PC]][0] == b.FREE:
            name = self.names.object(address).lstrip("&")
            return (
                f"thread {self.thread} frees {name}, and nothing orders that after its last store"
            )
        return (
            f"thread {self.thread} uses {name}, and nothing orders that after another thread's "
            "access to it: in C this is a data race, on a weak machine an update can be lost"
        )

    def waits(self) -> list[str]:
        """Where each thread is that has not finished."""
        found = []
        for i, row in enumerate(self.rows):
            pc = row[m.PC]
            op, place = self.model.program.code[pc][0], self.model.program.places[pc]
            if op != b.EXIT:
                where = f"{faults.place(place.file, place.line)} in {place.method}"
                found.append(f"  thread {i} is at {operation_name(op)}, {where}")
        return found


def operation_name(opcode: int) -> str:
    """An operation's name as steps give it."""
    return _NAMES.get(opcode, "pause")


_WITH_WORD = frozenset(
    ["load", "store", "swap", "compare_swap", "fetch_add", "fetch_and", "fetch_or", "fetch_xor"]
    + ["flush", "free"]
)
