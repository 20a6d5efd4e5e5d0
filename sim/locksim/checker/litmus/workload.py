"""A litmus test as a workload in the language.

Each word is a word there. Each register that the condition names is stored into a word of its own
when its thread is over.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import replace
from functools import cached_property

from locksim.checker.litmus.program import (
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
from locksim.compiler.diagnostics import CompileError
from locksim.compiler.frontend import compile_source
from locksim.compiler.sources import RESERVED
from locksim.lang.ops import Kind
from locksim.lang.struct import Workload

_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
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


def _word(name: str) -> str:
    """The name of a word in the language, where some names are taken."""
    taken = name.startswith("_") or keyword.iskeyword(name) or name in _TAKEN
    return f"{name}_" if taken else name


_ENDS = "ends"
"""The array of the workload that takes the registers' values."""
_TAKEN = RESERVED | {_ENDS, "thread", "task", "setup", "invariant"}


class Source:
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
            struct = compile_source(self._source, file)["Test"].struct
        except CompileError as error:
            where = f"{file}:{self.lines[error.line]}"
            raise LitmusError(f"{where}: {error.message}\nhelp: {error.help}") from None
        made = struct()
        assert isinstance(made, Workload)
        return made

    @cached_property
    def _source(self) -> str:
        """The program in the language."""
        test = self.test
        self._add("from locksim.lang import *")
        self._add("class Test(Workload):")
        for name in test.words():
            plain = ", plain=True" if name in self.plain else ""
            self._add(f"    {_word(name)} = word({test.initial.get(name, 0)}{plain})")
        if self.ends:
            self._add(f"    {_ENDS} = array({len(self.ends)})")
        self._add("    def thread(self):")
        for number, thread in enumerate(test.threads):
            self._add(f"        if thread() == {number}:")
            self._add("            pass")
            for part in statements(thread.body):
                if isinstance(part, Assign) and part.target:
                    self._add(f"            {_local(part.target)} = 0")
            self._body(thread.body, " " * 12)
            for node in self.ends:
                if node.thread == number:
                    value = _local(node.name)
                    self._add(f"            yield self.{self.kept(node)}.store({value}, SEQ_CST)")
        return "\n".join(self.text) + "\n"

    def _add(self, text: str, line: int = 0) -> None:
        self.text.append(text)
        self.lines.append(line)

    def _body(self, body: tuple[Statement, ...], indent: str) -> None:
        for statement in body:
            line = statement.line
            if isinstance(statement, Assign):
                self._assign(statement, indent)
                continue
            word = "if" if isinstance(statement, If) else "while"
            self._add(f"{indent}{word} {self._truth(statement.condition)}:", line)
            self._add(f"{indent}    pass")
            inner = statement.then if isinstance(statement, If) else statement.body
            self._body(inner, indent + "    ")
            if isinstance(statement, If) and statement.other:
                self._add(f"{indent}else:")
                self._body(statement.other, indent + "    ")

    def _assign(self, statement: Assign, indent: str) -> None:
        target, value, line = statement.target, statement.value, statement.line
        if value is None or value == Access(Kind.FENCE):  # a RELAXED fence orders nothing
            return
        if isinstance(value, Access) and isinstance((value.arguments or (None,))[0], Location):
            expected, new = value.arguments
            assert isinstance(expected, Location)
            at, given = f"self.{_word(expected.name)}", self._value(new)
            self._add(f"{indent}expected = yield {at}.load(RELAXED)", line)
            swap = f"self.{_word(value.word)}.compare_swap(expected, {given}, {value.order.name})"
            self._add(f"{indent}old = yield {swap}", line)
            self._add(f"{indent}if old != expected:", line)
            self._add(f"{indent}    yield {at}.store(old, RELAXED)", line)
            if target:
                self._add(f"{indent}{_local(target)} = 1 if old == expected else 0", line)
            return
        left = f"{_local(target)} = " if target else ""
        right = self._access(value) if isinstance(value, Access) else self._value(value)
        if left or isinstance(value, Access):
            self._add(f"{indent}{left}{right}", line)

    def _truth(self, node: Expression) -> str:
        if isinstance(node, Binary) and node.operator in _COMPARISONS:
            return f"{self._value(node.left)} {node.operator} {self._value(node.right)}"
        return f"{self._value(node)} != 0"

    def _value(self, node: Expression) -> str:
        match node:
            case Number(value=value):
                return str(value)
            case Register(name=name):
                return _local(name)
            case Binary(operator=operator, left=left, right=right):
                if operator in _COMPARISONS:
                    return f"(1 if {self._truth(node)} else 0)"
                return f"({self._value(left)} {operator} {self._value(right)})"
            case Access():
                return f"({self._access(node)})"
        raise LitmusError(f"no expression: {node}")

    def _access(self, access: Access) -> str:
        if access.kind == Kind.FENCE:
            return f"yield fence({access.order.name})"
        if any(isinstance(value, Location) for value in access.arguments):
            raise LitmusError(
                f"{self.test.name}: a compare-and-swap inside an expression\n"
                "help: assign its result to a register first"
            )
        given = [*(self._value(value) for value in access.arguments), access.order.name]
        return f"yield self.{_word(access.word)}.{_METHODS[access.kind]}({', '.join(given)})"

    def shown(self, run: Counterexample, found: str, message: str) -> Counterexample:
        """A run in the lines of the test, without the stores that keep the registers' values."""
        steps = [self._step(step) for step in run.steps if not step.word.startswith(_ENDS + "[")]
        return replace(run, found=found, message=message, steps=steps, calls=[], client="")

    def _step(self, step: Step) -> Step:
        buffers = [
            [b for b in buffer if not b[0].startswith(_ENDS + "[")] for buffer in step.buffers
        ]
        return replace(step, line=self.lines[step.line], buffers=buffers)

    def placed(self, message: str) -> str:
        """A message with the lines of the test where it names those of the source."""
        return re.sub(r"(?<=:)(\d+) in Test\.thread", lambda m: str(self.lines[int(m[1])]), message)


def _local(name: str) -> str:
    return f"r_{name}"
