"""An expression while it is compiled: a number, a pointer, a place in memory, or a name.

Types are those of the registers: a number, the address of a struct, or the address of a word. A
*place* is not in a register yet: its address is a base register and a path of fields, and an
operation takes it as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.lang.fields import array, part
from locksim.lang.struct import Struct

Operand = str | int
"""A register (``"r3"``), a parameter (``"$slots"``), or a number."""


@dataclass(frozen=True)
class Int:
    """A number. ``null``: it is known to be 0, so it can stand for any pointer."""

    null: bool = False


@dataclass(frozen=True)
class Ptr:
    """The address of a struct.

    Arguments:
        root: a class. own: True if the pointer's description is found from ``self`` of the method.
        path: parts, or arrays of structs, from there; the description that is pointed to is the
            last one's.
    """

    root: type[Struct]
    own: bool = False
    path: tuple[str, ...] = ()

    @property
    def cls(self) -> type[Struct]:
        """The class that is declared for it (a description may put another in its place)."""
        cls = self.root
        for name in self.path:
            cls = element_class(cls, name)
        return cls

    def at(self, path: tuple[str, ...]) -> Ptr:
        """The type of what lies at a path from here."""
        return Ptr(self.root, self.own, self.path + path) if path else self


@dataclass(frozen=True)
class Ref:
    """The address of a word, and the struct that the word points to, if it is a pointer."""

    target: type[Struct] | None = None


Type = Int | Ptr | Ref
INT, NULL_TYPE = Int(), Int(null=True)


def fits(n: int, bits: int = 64) -> bool:
    """Whether a number is one of so many bits, with a sign."""
    return -(1 << bits - 1) <= n < 1 << bits - 1


FOLDED_BITS = 128
"""How large a number may become on the way to a constant: ``-(1 << 63)`` is one that fits."""


@dataclass(frozen=True)
class Value:
    """What a register, a parameter or a constant holds."""

    operand: Operand
    type: Type

    @property
    def constant(self) -> int | None:
        """Its number if that is known."""
        return self.operand if isinstance(self.operand, int) else None


@dataclass(frozen=True)
class StructAt:
    """A struct at a path from a base."""

    base: Operand
    pointer: Ptr
    path: tuple[str, ...] = ()

    @property
    def type(self) -> Ptr:
        """The type that a pointer to it has."""
        return self.pointer.at(self.path)


@dataclass(frozen=True)
class WordAt:
    """A word at a path from a base; without ``pointer`` the base is the word's own address."""

    base: Operand
    pointer: Ptr | None
    path: tuple[str, ...]
    target: type[Struct] | None


@dataclass(frozen=True)
class ArrayAt:
    """An array, not yet indexed."""

    base: Operand
    pointer: Ptr
    path: tuple[str, ...]
    field: array


@dataclass(frozen=True)
class Static:
    """Something that exists only for the compiler: a class, an operation, an order."""

    object: object


Result = Value | StructAt | WordAt | ArrayAt | Static


def number_value(n: int) -> Value:
    """A constant."""
    return Value(int(n), INT if n else NULL_TYPE)


def element_class(cls: type[Struct], name: str) -> type[Struct]:
    """The class declared for a part, or for the elements of an array of structs."""
    field = cls.FIELDS[name]
    assert isinstance(field, part | array)
    of = field.of
    if isinstance(of, type):
        return of
    assert isinstance(of, Struct)
    return type(of)


def join(a: Type | None, b: Type | None) -> Type | None:
    """The one type of a variable that is given both; None where they do not go together."""
    if a == b:
        return a
    if isinstance(a, Int) and isinstance(b, Int):
        return INT
    for one, other in ((a, b), (b, a)):
        if one == NULL_TYPE and isinstance(other, Ptr):
            return other
    if isinstance(a, Ptr) and isinstance(b, Ptr):
        if issubclass(a.cls, b.cls):
            return Ptr(b.cls)
        if issubclass(b.cls, a.cls):
            return Ptr(a.cls)
    return None


def describe(kind: Type | None) -> str:
    """A type in words, for messages."""
    if isinstance(kind, Ptr):
        return f"a pointer to {kind.cls.__name__}"
    if isinstance(kind, Ref):
        holds = f" that holds a pointer to {kind.target.__name__}" if kind.target else ""
        return f"a word{holds}"
    return "a number"
