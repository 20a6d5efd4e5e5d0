"""A litmus test as data: its threads, its initial memory, and what is asked of the end.

Operations are those of the language (:class:`~locksim.lang.ops.Kind`), whatever their spelling.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from locksim.checker.errors import CheckError
from locksim.lang.ops import RELAXED, Kind, Order

EXISTS, NEVER, FORALL = "exists", "~exists", "forall"


class LitmusError(CheckError):
    """A litmus test that cannot be read, checked or written."""


@dataclass(frozen=True)
class Number:
    """A whole number."""

    value: int


@dataclass(frozen=True)
class Register:
    """A register of a thread; in a condition ``thread`` says of which."""

    name: str
    thread: int = -1


@dataclass(frozen=True)
class Location:
    """A word: its address where C takes one, its last value in a condition."""

    name: str


@dataclass(frozen=True)
class Binary:
    r"""``left operator right``, as C writes it; in a condition also ``/\`` and ``\/``."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Negation:
    """``~ condition``."""

    condition: Expression


@dataclass(frozen=True)
class Access:
    """An operation on a word, or a fence.

    Arguments:
        kind: which. word: its name, "" for a fence.
        arguments: the value; of a compare-and-swap what is expected and what is stored. Where C11
            passes the address of what is expected, that is a Location, and the result is 1 or 0.
        order: its memory order. plain: whether it is a plain access, which may race.
    """

    kind: Kind
    word: str = ""
    arguments: tuple[Expression, ...] = ()
    order: Order = RELAXED
    plain: bool = False


Expression: TypeAlias = "Number | Register | Location | Binary | Negation | Access"


@dataclass(frozen=True)
class Assign:
    """``type target = value;``: either side may be missing.

    Arguments:
        target: the register, or "". value: what is evaluated, or None.
        type: of a declaration, else "". line: in the file. note: a comment to write behind it.
    """

    target: str
    value: Expression | None
    type: str = ""
    line: int = field(default=0, compare=False)
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class If:
    """``if (condition) { then } else { other }``."""

    condition: Expression
    then: tuple[Statement, ...]
    other: tuple[Statement, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class While:
    """``while (condition) { body }``."""

    condition: Expression
    body: tuple[Statement, ...]
    line: int = field(default=0, compare=False)


Statement: TypeAlias = "Assign | If | While"


@dataclass(frozen=True)
class Thread:
    """A thread: its parameters, which are the words that it uses, as name → type, and its body."""

    parameters: dict[str, str]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Litmus:
    """A litmus test.

    Arguments:
        name: without blanks. threads: P0, P1, …
        quantifier: EXISTS, NEVER or FORALL. condition: of the end of a run.
        initial: the words that do not begin with 0.
        kernel: whether its operations are the kernel's, and not those of C11.
        comment: what stands below the name.
    """

    name: str
    threads: tuple[Thread, ...]
    quantifier: str
    condition: Expression
    initial: dict[str, int] = field(default_factory=dict)
    kernel: bool = False
    comment: str = ""

    def words(self) -> dict[str, str]:
        """All words, as name → type of its first parameter."""
        known: dict[str, str] = {}
        for thread in self.threads:
            known = {**thread.parameters, **known}
        return known

    def accesses(self) -> Iterator[Access]:
        """Every access of every thread, in the order of the text."""
        for thread in self.threads:
            for statement in statements(thread.body):
                for part in expressions(statement):
                    if isinstance(part, Access):
                        yield part


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Each statement, and those inside it."""
    for statement in body:
        yield statement
        if isinstance(statement, If):
            yield from statements(statement.then + statement.other)
        elif isinstance(statement, While):
            yield from statements(statement.body)


def expressions(node: Statement | Expression | None) -> Iterator[Expression]:
    """The expressions of a statement (not of those inside it), or in an expression; outer first."""
    match node:
        case Assign(value=inner) | If(condition=inner) | While(condition=inner):
            yield from expressions(inner)
        case Binary(left=left, right=right):
            yield node
            yield from expressions(left)
            yield from expressions(right)
        case Negation(condition=inner):
            yield node
            yield from expressions(inner)
        case Access(arguments=arguments):
            yield node
            for argument in arguments:
                yield from expressions(argument)
        case Number() | Register() | Location():
            yield node
