"""A counterexample as a litmus test: can the threads read these values?

Each thread becomes the operations of its steps, one after another. What it read decided which way
it went, so the condition asks for exactly these values, and for the last value of each word that
two threads store. If the condition holds in some run, that run is the counterexample, and the lock
or its client goes wrong in it. So a memory model under which the lock is proven shows "Never".

A test with plain accesses must not race in runs that the lock does not have. So what follows a read
stands there behind an ``if`` that asks for the value. Other tests are straight lines: their
condition leaves no other run.

What is stored is written as it was computed from registers where that is a sum, a difference, a
product or bitwise; else as a number. Pointers are numbers; a word that is reached by a pointer is
named. So a test has data dependencies, but no address dependencies, and control dependencies only
beside plain accesses.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from locksim.checker.litmus.dialects import in_kernel
from locksim.checker.litmus.program import (
    EXISTS,
    Access,
    Assign,
    Binary,
    Expression,
    If,
    Litmus,
    Location,
    Number,
    Register,
    Statement,
    Thread,
)
from locksim.checker.replay.counterexample import Counterexample, Step
from locksim.lang.ops import RELAXED, Kind, Order
from locksim.lang.words import wrap64

_KINDS = {kind.name.lower(): kind for kind in Kind if kind <= Kind.FENCE}
_FETCHES = (Kind.FETCH_ADD, Kind.FETCH_AND, Kind.FETCH_OR, Kind.FETCH_XOR)
_TAKEN = re.compile(
    r"C|[rP]?\d.*|expected\d.*|atomic|auto|break|case|char|const|continue|default|do|double|else|enum|"
    r"exists|extern|float|for|forall|goto|if|int|lock|locations|long|not|register|regions|return|"
    r"short|signed|sizeof|static|struct|switch|true|typedef|union|unlock|unsigned|void|volatile|while"
)
"""Words of the dialects that no word of a test may be called."""
_OPERATORS: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
}


def trace(run: Counterexample, name: str, comment: str = "", *, kernel: bool = False) -> Litmus:
    """The litmus test of a counterexample.

    Arguments:
        run: the counterexample. name: of the test. comment: what stands above the remarks.
        kernel: whether to use the kernel's operations, and not those of C11.
    """
    return _Trace(run, kernel).litmus(name, comment)


@dataclass
class _Thread:
    """A thread that is written.

    Arguments:
        parameters: its words and their types. values: of what each step found, for later ones.
        reads: what the condition asks of it. registers: how many it has.
        blocks: its statements, each block but the first behind a condition inside the one before.
        guard: what the next block will be behind, if anything.
    """

    parameters: dict[str, str] = field(default_factory=dict)
    values: dict[int, Expression] = field(default_factory=dict)
    reads: list[Expression] = field(default_factory=list)
    registers: int = 0
    blocks: list[tuple[Expression | None, list[Statement]]] = field(
        default_factory=lambda: [(None, [])]
    )
    guard: Expression | None = None

    def add(self, statement: Assign) -> None:
        """Write a statement behind the others."""
        loads = isinstance(statement.value, Access) and statement.value.kind == Kind.LOAD
        plain = isinstance(statement.value, Access) and statement.value.plain
        if self.guard is not None and (plain or not loads):
            self.blocks.append((self.guard, []))
            self.guard = None
        self.blocks[-1][1].append(statement)

    def check(self, condition: Expression) -> None:
        """Put what follows behind a condition, too."""
        self.guard = condition if self.guard is None else Binary("&", self.guard, condition)

    def body(self) -> tuple[Statement, ...]:
        """All statements."""
        body: tuple[Statement, ...] = ()
        for condition, block in reversed(self.blocks):
            body = (*block, *body)
            if condition is not None:
                body = (If(condition, body),)
        return body


class _Trace:
    """A counterexample on its way into a test.

    Attributes:
        names: word of a step → word of the test. births: object → how often it was allocated.
        last: word → its last value. storers: word → the threads that store it.
        remarks: what the test does not say. guarded: whether what follows a read asks for it.
    """

    def __init__(self, run: Counterexample, kernel: bool) -> None:
        self.run, self.kernel = run, kernel
        self.names: dict[str, str] = {}
        self.births: dict[str, int] = {}
        self.initial: dict[str, int] = {}
        self.last: dict[str, int] = {}
        self.storers: dict[str, set[int]] = {}
        self.types: dict[str, str] = {}
        self.remarks: dict[str, None] = {}
        self.pointers: dict[int, str] = {}
        self.guarded = any(step.order == "PLAIN" for step in run.steps)
        acting = sorted({step.thread for step in run.steps if step.operation in _KINDS})
        self.threads = {thread: _Thread() for thread in acting}
        self.numbers = {thread: number for number, thread in enumerate(acting)}

    def litmus(self, name: str, comment: str) -> Litmus:
        words = [self.word(step) for step in self.run.steps]
        self._types(words)
        for k, (step, word) in enumerate(zip(self.run.steps, words, strict=True)):
            self._step(k, step, word)
        threads = [
            Thread(thread.parameters, self._declared(thread) + thread.body())
            for thread in self.threads.values()
        ]
        if list(self.threads) != list(self.numbers.values()):
            said = ", ".join(f"P{n} is thread {t}" for t, n in self.numbers.items())
            self.remarks[said] = None
        if self.pointers:
            said = ", ".join(f"{value} is {to}" for value, to in sorted(self.pointers.items()))
            self.remarks[f"pointers: {said}"] = None
        renamed = [f"{new} is {old}" for old, new in self.names.items() if old != new]
        if renamed:
            self.remarks[f"words: {', '.join(renamed)}"] = None
        text = "\n".join(filter(None, [comment, self.run.message, *self.remarks]))
        initial = {word: value for word, value in self.initial.items() if value}
        return Litmus(name, tuple(threads), EXISTS, self._end(), initial, self.kernel, text)

    def _declared(self, thread: _Thread) -> tuple[Statement, ...]:
        """The registers of a thread, where they are set in blocks."""
        registers = range(thread.registers if self.guarded else 0)
        return tuple(Assign(f"r{k}", Number(0), "int") for k in registers)

    # Words

    def word(self, step: Step) -> str:
        """The test's name for the word of a step; "" where there is none."""
        if step.operation == "alloc":
            whole = step.becomes.removeprefix("&")
            self.births[whole] = self.births.get(whole, 0) + 1
        if not step.order or not step.word:
            return ""
        old = step.word.removesuffix(" (freed)")
        birth = self.births.get(old.partition(".")[0], 1)
        known = old if birth == 1 else f"{old}, allocation {birth}"
        if known not in self.names:
            self.names[known] = self._fresh(re.sub(r"\W+", "_", known).strip("_"))
            self.initial[self.names[known]] = 0 if birth > 1 else self.run.initial.get(old, 0)
        return self.names[known]

    def _fresh(self, name: str) -> str:
        """A name that no other word has, and that means nothing else."""
        if _TAKEN.fullmatch(name):
            name = f"w_{name}"
        while name in self.names.values():
            name += "_"
        return name

    def _types(self, words: Iterable[str]) -> None:
        for step, word in zip(self.run.steps, words, strict=True):
            if not word:
                continue
            if step.order == "PLAIN":
                self.types[word] = "int"
            elif self.kernel and _KINDS.get(step.operation) in _FETCHES:
                self.types[word] = "atomic_t"
            self.types.setdefault(word, "int" if self.kernel else "atomic_int")

    # Steps

    def _step(self, k: int, step: Step, word: str) -> None:
        if step.operation == "flush":
            self._stored(step, word)
        elif step.operation in _KINDS:
            self._access(k, step, word)
            if not step.buffers[step.thread] or step.operation != "store":
                self._stored(step, word)
        elif step.operation in ("block", "wake"):
            self.remarks["sleeping and waking have no counterpart, and order nothing here"] = None
        elif step.operation in ("alloc", "free"):
            self.remarks["memory is not freed: what was allocated anew is a new word"] = None
        thread = self.threads.get(step.thread)
        for order in step.fences if thread is not None else ():
            self._add(step, Access(Kind.FENCE, order=Order[order]))

    def _stored(self, step: Step, word: str) -> None:
        """Keep the last value of a word; a store before others in its order changes nothing."""
        if word and not step.behind:
            self.last[word] = step.new

    def _access(self, k: int, step: Step, word: str) -> None:
        thread, kind = self.threads[step.thread], _KINDS[step.operation]
        plain = step.order == "PLAIN"
        order = RELAXED if plain else Order[step.order]
        for value, text in ((step.old, step.was), (step.new, step.becomes)):
            if text.startswith("&"):
                self.pointers[value] = text
        if word:
            thread.parameters[word] = self.types[word]
        if kind == Kind.STORE or (kind != Kind.LOAD and step.old != step.new):
            self.storers.setdefault(word, set()).add(step.thread)
        given = [_expression(_tree(operand), thread.values) for operand in step.operands]
        if kind == Kind.COMPARE_SWAP and not self.kernel:
            self._compare(k, step, word, given, order)
            return
        access = Access(kind, word, tuple(given), order, plain)
        if kind in (Kind.STORE, Kind.FENCE):
            self._add(step, access)
            return
        register = self._register(step)
        thread.values[k] = Register(register)
        self._add(step, access, register)
        self._ask(step.thread, Register(register, self.numbers[step.thread]), step.old)

    def _compare(
        self, k: int, step: Step, word: str, given: list[Expression], order: Order
    ) -> None:
        """A compare-and-swap of C11, whose result is 1 or 0, and which leaves what it found."""
        thread, number = self.threads[step.thread], self.numbers[step.thread]
        register = self._register(step)
        expected = f"expected{number}_{register[1:]}"
        thread.parameters[expected] = "int"
        expects, new = given
        done = int(_number(_tree(step.operands[0]), self.run.steps) == step.old)
        if isinstance(expects, Number):
            self.initial[expected] = expects.value
        else:
            store = Access(Kind.STORE, expected, (expects,), plain=True)
            thread.add(Assign("", store))
        thread.values[k] = Number(step.old)
        swap = Access(Kind.COMPARE_SWAP, word, (Location(expected), new), order)
        self._add(step, swap, register)
        self._ask(step.thread, Register(register, number), done)
        if not done:
            self._ask(step.thread, Location(expected), step.old)

    def _register(self, step: Step) -> str:
        thread = self.threads[step.thread]
        thread.registers += 1
        return f"r{thread.registers - 1}"

    def _ask(self, thread: int, what: Register | Location, value: int) -> None:
        """Ask for a value at the end, and where plain accesses follow, before them."""
        self.threads[thread].reads.append(Binary("==", what, Number(value)))
        here: Expression = Access(Kind.LOAD, what.name, plain=True)
        if isinstance(what, Register):
            here = Register(what.name)
        if self.guarded:
            self.threads[thread].check(Binary("==", here, Number(value)))

    def _add(self, step: Step, access: Access, register: str = "") -> None:
        """Write an access behind the thread's others, in its dialect."""
        thread, written, remark = self.threads[step.thread], [access], ""
        if self.kernel:
            written, remark = in_kernel(access)
        if remark:
            self.remarks[remark] = None
        place = "" if step.client or not step.line else f"{Path(step.file).name}:{step.line}"
        kind = "int" if register and not self.guarded else ""
        for one in written[:-1]:
            thread.add(Assign("", one))
        thread.add(Assign(register, written[-1], kind, note=place or "test client"))

    def _end(self) -> Expression:
        asked = [read for thread in self.threads.values() for read in thread.reads]
        waiting = {word for buffer in self._buffers() for word, *_ in buffer}
        for old, word in self.names.items():
            if len(self.storers.get(word, ())) > 1 and old not in waiting and word in self.last:
                asked.append(Binary("==", Location(word), Number(self.last[word])))
        condition: Expression | None = None
        for part in asked:
            condition = part if condition is None else Binary("/\\", condition, part)
        return condition or Number(1)

    def _buffers(self) -> list[list[tuple[str, int, str]]]:
        """The store buffers after the last step."""
        return self.run.steps[-1].buffers if self.run.steps else []


def _expression(tree: ast.expr, values: Mapping[int, Expression]) -> Expression:
    """The expression of an operand, where ``values`` stand for what steps found."""
    match tree:
        case ast.BinOp(left=left, op=op, right=right):
            sign, _ = _OPERATORS[type(op)]
            return Binary(sign, _expression(left, values), _expression(right, values))
        case ast.Name(id=name):
            return values[int(name.removeprefix("step_"))]
    return Number(ast.literal_eval(tree))


def _number(tree: ast.expr, steps: list[Step]) -> int:
    """The value of an operand in a run."""
    match tree:
        case ast.BinOp(left=left, op=op, right=right):
            _, compute = _OPERATORS[type(op)]
            return wrap64(compute(_number(left, steps), _number(right, steps)))
        case ast.Name(id=name):
            return steps[int(name.removeprefix("step_"))].old
    return int(ast.literal_eval(tree))


def _tree(operand: str) -> ast.expr:
    """The syntax tree of an operand; a step's value is a name."""
    return ast.parse(operand.replace("$", "step_"), mode="eval").body
