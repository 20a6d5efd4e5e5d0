"""A path that is walked again, step by step, in the words of the program.

The exploration keeps only who acted. The same compiled step, run as plain Python, notes down what
it does; here that gets names, source lines and the client's calls.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from locksim.checker.client import TEST_CLIENT
from locksim.checker.models import layout as m
from locksim.checker.models import outcome as oc
from locksim.checker.models import registers as rg
from locksim.checker.models.model import Model
from locksim.checker.replay.dataflow import Dataflow
from locksim.checker.replay.invocations import Invocations, is_client
from locksim.checker.replay.names import Names, numeral
from locksim.checker.search import step as st
from locksim.compiler import bytecode as b
from locksim.compiler.bytecode import Place
from locksim.core import faults
from locksim.lang.ops import Mark, Order

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
        client: whether the step is one of the library's test client, not of what is checked.
        order: the operation's memory order ("ACQUIRE", …), "PLAIN" for data that is not atomic; ""
            where it has none.
        operands: of the operation; ``$3`` in one is the value that step 3, counted from 0, found
            (:mod:`locksim.checker.replay.dataflow`). Where the steps before are not known (in the
            game), all are numbers.
        fences: the orders of the fences right after that are no steps of their own.
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
    client: bool = False
    order: str = ""
    operands: list[str] = field(default_factory=list)
    fences: list[str] = field(default_factory=list)


class Replay:
    """A path that is walked again: threads, shared row, and buffered stores after each step."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.steps: list[Step] = []
        self.pcs: list[int] = []  # the program row of each step's operation
        self.rows = [row.copy() for row in model.threads]
        self.shared = model.shared.copy()
        self.regs = list(model.program.registers)
        self.note = [0] * rg.NOTES
        self.stores: list[list[int]] = [[] for _ in self.rows]  # rows of the buffered stores
        self.names = Names(model, self.shared)
        self.invocations = Invocations(model, self.names, self.regs)
        self.dataflow = Dataflow(model, self.regs)
        self.fences: list[str] = []  # passed in this step
        watched = _Watched(model.tables.code, self._ran)
        self.tables = model.tables._replace(code=watched)
        self.failed = -1
        self.thread = 0
        for i, row in enumerate(self.rows):
            self.invocations.act(-1, i, row[m.PC])
            self.dataflow.thread = i
            if st.start(self.tables, row, self.shared, self.regs, self.note) != oc.DONE:
                self.failed, self.thread = i, i
                return

    def step(self, via: int) -> Step:
        """Take a step and describe it."""
        self.thread, action = divmod(via, 64)
        row, note, code = self.rows[self.thread], self.note, self.model.program.code
        operands: list[str] = []
        self.fences = []
        if self.failed < 0:
            self.names.update(self.shared)
            if action != st.FLUSH:
                operands = self.dataflow.operands(row)
                self.dataflow.begin(len(self.steps), row)
            if action != st.FLUSH:
                self.invocations.act(len(self.steps), self.thread, row[m.PC])
            st.perform(self.tables, row, self.shared, self.regs, action, note)
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
        was, becomes = numeral(old), numeral(new)
        if operation == "alloc":
            self.names.update(self.shared)
            becomes = self.names.object(new)
        elif operation == "free":
            word = self.names.object(address)
        elif has_word:
            was, becomes = self.names.value(address, old), self.names.value(address, new)
        self.pcs.append(pc)
        step = Step(
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
            client=in_test_client(place),
            order=self._order(pc, operation, address),
            operands=operands,
            fences=self.fences,
        )
        self.steps.append(step)
        return step

    def _ran(self, pc: int) -> None:
        """The thread comes to a row."""
        self.invocations.ran(pc)
        self.dataflow.ran(pc)
        code = self.model.program.code[pc]
        if code[0] == b.FENCE and (code[-1] != Order.SEQ_CST or self.model.sc):
            self.fences.append(Order(code[-1]).name)

    def _order(self, pc: int, operation: str, address: int) -> str:
        """The memory order of an operation."""
        code, plain = self.model.program.code[pc], self.model.tables.plain
        if operation == "start" or not b.LOAD <= code[0] <= b.FENCE:
            return ""
        is_plain = code[0] != b.FENCE and 0 <= address < len(plain) and plain[address]
        return "PLAIN" if is_plain else Order(code[-1]).name

    def source(self, place: Place) -> str:
        """The source line at a place."""
        return linecache.getline(place.file, place.line).strip()

    def _marks(self) -> list[str]:
        note, locks = self.note, self.model.memory.locks
        pairs = [note[rg.N_MARKS + 1 + 2 * i :][:2] for i in range(note[rg.N_MARKS])]
        return [f"{_MARKS[Mark(w)]} {locks[k]}" for w, k in pairs if Mark(w) in _MARKS]

    def buffer(self, row: list[int]) -> list[tuple[str, int, str]]:
        """What is in the store buffer of a thread's row, oldest first: word, value, as text."""
        first = self.model.tables.size[m.BUFFER]
        stores = row[first : first + 2 * row[m.BUFFERED]]
        return [
            (self.names.word(address), value, self.names.value(address, value))
            for address, value in zip(stores[::2], stores[1::2], strict=True)
        ]


def operation_name(opcode: int) -> str:
    """An operation's name as steps give it."""
    return _NAMES.get(opcode, "pause")


_WITH_WORD = frozenset(
    ["load", "store", "swap", "compare_swap", "fetch_add", "fetch_and", "fetch_or", "fetch_xor"]
    + ["flush", "free"]
)


class _Watched(list[list[int]]):
    """The program's rows, which report each row that is run before it runs."""

    def __init__(self, rows: list[list[int]], ran: Callable[[int], None]) -> None:
        super().__init__(rows)
        self.ran = ran

    def __getitem__(self, pc: Any) -> Any:
        self.ran(pc)
        return super().__getitem__(pc)


def in_test_client(place: Place) -> bool:
    """Whether a place is in one of the library's test clients, or in one made for the check."""
    return is_client(place.file)


def where(place: Place) -> str:
    """A place for a message: ``bad.py:12 in Bad.acquire``, or the test client."""
    if in_test_client(place):
        return f"in the {TEST_CLIENT}"
    return f"{faults.place(place.file, place.line)} in {place.method}"
