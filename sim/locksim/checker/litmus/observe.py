"""Ask the checker what a litmus test shows: the values with which its runs can end.

A test becomes a workload in the language. Each of its words is a word there, and each register that
the condition names is stored into a word of its own when its thread is over.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, replace
from functools import cached_property

from locksim.checker.check import check_workload, outcomes
from locksim.checker.errors import UnfinishedError
from locksim.checker.litmus.program import (
    EXISTS,
    FORALL,
    Access,
    Assign,
    Binary,
    Expression,
    If,
    Litmus,
    LitmusError,
    Location,
    Negation,
    Number,
    Register,
    Statement,
    expressions,
    statements,
)
from locksim.checker.litmus.write import condition
from locksim.checker.replay.counterexample import Counterexample, Step
from locksim.checker.verdict import Budget
from locksim.compiler.diagnostics import CompileError
from locksim.compiler.frontend import compile_source
from locksim.compiler.sources import RESERVED
from locksim.lang.ops import Kind
from locksim.lang.struct import Workload

COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_JOINS = {"/\\": "and", "\\/": "or"}
_METHODS = {
    Kind.LOAD: "load",
    Kind.STORE: "store",
    Kind.SWAP: "swap",
    Kind.COMPARE_SWAP: "compare_swap",
    Kind.FETCH_ADD: "fetch_add",
    Kind.FETCH_AND: "fetch_and",
    Kind.FETCH_OR: "fetch_or",
    Kind.FETCH_XOR: "fetch_xor",
}
State = dict[str, int]


@dataclass(frozen=True)
class Observation:
    """What a test shows under a memory model.

    Arguments:
        test: which. memory: "sc", "tso" or "c11".
        states: the values at the end that runs can have of what the condition names, in order.
        positive: those of which the condition holds.
        run: a shortest run that decides ``exists``, or one that breaks ``~exists`` or ``forall``.
        race: two plain accesses that race, so that C11 gives the test no meaning; else None.
    """

    test: Litmus
    memory: str
    states: list[State]
    positive: list[State]
    run: Counterexample | None
    race: Counterexample | None

    @property
    def word(self) -> str:
        """herd7's word: "Always", "Sometimes" or "Never"."""
        if not self.positive:
            return "Never"
        return "Always" if len(self.positive) == len(self.states) else "Sometimes"

    @property
    def holds(self) -> bool:
        """Whether what the test asks is so: herd7's "Ok"."""
        if self.test.quantifier == FORALL:
            return self.word == "Always"
        return (self.word != "Never") == (self.test.quantifier == EXISTS)


def observe(test: Litmus, memory: str, budget: Budget | None = None, file: str = "") -> Observation:
    """Explore a test.

    Arguments:
        test: which. memory: "sc", "tso" or "c11". budget: when to give up.
        file: that it was read from, for the steps of a run.

    Raises:
        LitmusError: it cannot be checked under this model.
        UnfinishedError: the budget does not suffice.
    """
    if test.kernel and memory == "c11":
        raise LitmusError(
            f"{test.name} is in the kernel's dialect, whose memory model is not C11\n"
            "help: ask under sc or tso, which x86 is, or write the test with operations of C11"
        )
    if memory == "c11":
        _refuse_mixed(test)
    budget, source, file = budget or Budget(), _Source(test), file or f"{test.name}.litmus"
    threads, workload = len(test.threads), source.workload(file)
    rows = sorted(
        outcomes(
            workload, observe=tuple(source.observed), threads=threads, memory=memory, budget=budget
        )
        if source.observed
        else {()}
    )
    states = [dict(zip(source.observed.values(), row, strict=True)) for row in rows]
    positive = [state for state in states if holds(test.condition, state)]
    shown = test.condition if test.quantifier != FORALL else Negation(test.condition)
    run = None
    if source.observed and any(holds(shown, state) for state in states):
        verdict = check_workload(
            workload,
            threads=threads,
            expect=f"not ({source.python(shown)})",
            memory=memory,
            property="assertion",
            budget=budget,
        )
        if verdict.counterexample is not None:
            run = source.shown(verdict.counterexample, test.quantifier, condition(shown))
    race = _race(test, file, budget) if memory == "c11" and source.plain else None
    return Observation(test, memory, states, positive, run, race)


def _race(test: Litmus, file: str, budget: Budget) -> Counterexample | None:
    """Two plain accesses of a test that race under C11, or None."""
    source = _Source(replace(test, condition=Number(1)))
    workload, threads = source.workload(file), len(test.threads)
    verdict = check_workload(
        workload, threads=threads, memory="c11", property="race", budget=budget
    )
    if verdict.verdict == "unfinished":
        raise UnfinishedError("\n".join(verdict.limits))
    found = verdict.counterexample
    return found and source.shown(found, found.found, source.placed(found.message))


def _refuse_mixed(test: Litmus) -> None:
    """Refuse a word of which two threads' atomic accesses would count as a race.

    A word is plain or atomic to the checker. With atomic accesses by one thread only, plain is the
    same: those do not race with each other, and race with every other thread's plain store.
    """
    atomic: dict[str, set[int]] = {}
    for number, thread in enumerate(test.threads):
        for access in replace(test, threads=(thread,)).accesses():
            if access.word and not access.plain:
                atomic.setdefault(access.word, set()).add(number)
    for word in {access.word for access in test.accesses() if access.plain}:
        if len(atomic.get(word, ())) > 1:
            raise LitmusError(
                f"{test.name}: '{word}' has plain accesses, and atomic ones by several threads\n"
                "help: make all its accesses atomic, or ask under sc or tso"
            )


def holds(node: Expression, state: State) -> bool:
    """Whether a condition holds of the values at the end, by the names of :func:`condition`."""
    match node:
        case Number(value=value):
            return bool(value)
        case Negation(condition=inner):
            return not holds(inner, state)
        case Binary(operator="/\\", left=left, right=right):
            return holds(left, state) and holds(right, state)
        case Binary(operator="\\/", left=left, right=right):
            return holds(left, state) or holds(right, state)
        case Binary(operator=operator, left=left, right=Number(value=value)):
            return (state[condition(left)] == value) == (operator == "==")
    raise LitmusError(f"no condition: {node}")


def _word(name: str) -> str:
    """The name of a word in the language, where some names are taken."""
    taken = name.startswith("_") or keyword.iskeyword(name) or name in _TAKEN
    return f"{name}_" if taken else name


_ENDS = "ends"
"""The array of the workload that takes the registers' values."""
_TAKEN = RESERVED | {_ENDS, "thread", "task", "setup", "invariant"}


class _Source:
    """A test in the language.

    Attributes:
        observed: the words whose last values count → as the condition names them.
        plain: words that are accessed plainly. lines: of the source → of the test, 0 for none.
    """

    def __init__(self, test: Litmus) -> None:
        self.test = test
        named = [n for n in expressions(test.condition) if isinstance(n, Register | Location)]
        self.ends = list(dict.fromkeys(node for node in named if isinstance(node, Register)))
        self.observed = {self.kept(node): condition(node) for node in named}
        self.plain: set[str] = set()
        if not test.kernel:
            self.plain = {access.word for access in test.accesses() if access.plain}
        self.lines: list[int] = [0]
        self.text: list[str] = []

    def kept(self, node: Register | Location) -> str:
        """The word of the workload that has a register's or a word's value at the end."""
        if isinstance(node, Register):
            return f"{_ENDS}[{self.ends.index(node)}]"
        return _word(node.name)

    def python(self, node: Expression) -> str:
        """A condition as the checker's expectations are written."""
        match node:
            case Negation(condition=inner):
                return f"not ({self.python(inner)})"
            case Binary(operator=operator, left=left, right=right) if operator in _JOINS:
                return f"({self.python(left)}) {_JOINS[operator]} ({self.python(right)})"
            case Binary(operator=operator, left=Register() | Location() as left, right=right):
                return f"{self.kept(left)} {operator} {self.python(right)}"
            case Number(value=value):
                return str(value)
        raise LitmusError(f"no condition: {node}")

    def workload(self, file: str) -> Workload:
        """The workload; ``file`` is what messages call its source.

        Raises:
            LitmusError: it is outside the language, as a loop without an operation is.
        """
        try:
            struct = compile_source(self.source, file)["Test"].struct
        except CompileError as error:
            where = f"{file}:{self.lines[error.line]}"
            raise LitmusError(f"{where}: {error.message}\nhelp: {error.help}") from None
        made = struct()
        assert isinstance(made, Workload)
        return made

    @cached_property
    def source(self) -> str:
        test = self.test
        self.add("from locksim.lang import *")
        self.add("class Test(Workload):")
        for name in test.words():
            plain = ", plain=True" if name in self.plain else ""
            self.add(f"    {_word(name)} = word({test.initial.get(name, 0)}{plain})")
        if self.ends:
            self.add(f"    {_ENDS} = array({len(self.ends)})")
        self.add("    def thread(self):")
        for number, thread in enumerate(test.threads):
            self.add(f"        if thread() == {number}:")
            self.add("            pass")
            for part in statements(thread.body):
                if isinstance(part, Assign) and part.target:
                    self.add(f"            {_local(part.target)} = 0")
            self.body(thread.body, " " * 12)
            for node in self.ends:
                if node.thread == number:
                    value = _local(node.name)
                    self.add(f"            yield self.{self.kept(node)}.store({value}, SEQ_CST)")
        return "\n".join(self.text) + "\n"

    def add(self, text: str, line: int = 0) -> None:
        self.text.append(text)
        self.lines.append(line)

    def body(self, body: tuple[Statement, ...], indent: str) -> None:
        for statement in body:
            line = statement.line
            if isinstance(statement, Assign):
                self.assign(statement, indent)
                continue
            word = "if" if isinstance(statement, If) else "while"
            self.add(f"{indent}{word} {self.truth(statement.condition)}:", line)
            self.add(f"{indent}    pass")
            inner = statement.then if isinstance(statement, If) else statement.body
            self.body(inner, indent + "    ")
            if isinstance(statement, If) and statement.other:
                self.add(f"{indent}else:")
                self.body(statement.other, indent + "    ")

    def assign(self, statement: Assign, indent: str) -> None:
        target, value, line = statement.target, statement.value, statement.line
        if value is None or value == Access(Kind.FENCE):  # a RELAXED fence orders nothing
            return
        if isinstance(value, Access) and isinstance((value.arguments or (None,))[0], Location):
            expected, new = value.arguments
            assert isinstance(expected, Location)
            at, given = f"self.{_word(expected.name)}", self.value(new)
            self.add(f"{indent}expected = yield {at}.load(RELAXED)", line)
            swap = f"self.{_word(value.word)}.compare_swap(expected, {given}, {value.order.name})"
            self.add(f"{indent}old = yield {swap}", line)
            self.add(f"{indent}if old != expected:", line)
            self.add(f"{indent}    yield {at}.store(old, RELAXED)", line)
            if target:
                self.add(f"{indent}{_local(target)} = 1 if old == expected else 0", line)
            return
        left = f"{_local(target)} = " if target else ""
        right = self.access(value) if isinstance(value, Access) else self.value(value)
        if left or isinstance(value, Access):
            self.add(f"{indent}{left}{right}", line)

    def truth(self, node: Expression) -> str:
        if isinstance(node, Binary) and node.operator in COMPARISONS:
            return f"{self.value(node.left)} {node.operator} {self.value(node.right)}"
        return f"{self.value(node)} != 0"

    def value(self, node: Expression) -> str:
        match node:
            case Number(value=value):
                return str(value)
            case Register(name=name):
                return _local(name)
            case Binary(operator=operator, left=left, right=right):
                if operator in COMPARISONS:
                    return f"(1 if {self.truth(node)} else 0)"
                return f"({self.value(left)} {operator} {self.value(right)})"
            case Access():
                return f"({self.access(node)})"
        raise LitmusError(f"no expression: {node}")

    def access(self, access: Access) -> str:
        if access.kind == Kind.FENCE:
            return f"yield fence({access.order.name})"
        if any(isinstance(value, Location) for value in access.arguments):
            raise LitmusError(
                f"{self.test.name}: a compare-and-swap inside an expression\n"
                "help: assign its result to a register first"
            )
        given = [*(self.value(value) for value in access.arguments), access.order.name]
        return f"yield self.{_word(access.word)}.{_METHODS[access.kind]}({', '.join(given)})"

    def shown(self, run: Counterexample, found: str, message: str) -> Counterexample:
        """A run in the lines of the test, without the stores that keep the registers' values."""
        steps = [self.step(step) for step in run.steps if not step.word.startswith(_ENDS + "[")]
        return replace(run, found=found, message=message, steps=steps, calls=[], client="")

    def step(self, step: Step) -> Step:
        buffers = [
            [b for b in buffer if not b[0].startswith(_ENDS + "[")] for buffer in step.buffers
        ]
        return replace(step, line=self.lines[step.line], buffers=buffers)

    def placed(self, message: str) -> str:
        """A message with the lines of the test where it names those of the source."""
        return re.sub(r"(?<=:)(\d+) in Test\.thread", lambda m: str(self.lines[int(m[1])]), message)


def _local(name: str) -> str:
    return f"r_{name}"
