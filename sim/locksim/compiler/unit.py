"""The class that a method is compiled for, as the parts of the compiler see it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Protocol

from locksim.compiler.sources import MethodSource
from locksim.compiler.values import Ptr, Ref, Type
from locksim.lang.struct import Struct


@dataclass(frozen=True)
class Signature:
    """How a method is called.

    Arguments:
        arguments: name and type of each after self. returns: type of the result, None if there is
            none.
    """

    name: str
    is_program: bool
    arguments: tuple[tuple[str, Type], ...]
    returns: Type | None


class Unit(Protocol):
    """The class that a method is compiled for."""

    cls: type[Struct]

    def callee(
        self, pointer: Ptr, call: ast.Call, name: str, caller: MethodSource
    ) -> Signature | None:
        """The signature of a method; None if only the linker can know it."""

    def above(self, caller: MethodSource, name: str) -> str | None:
        """The qualified name of the method that ``super()`` gives a caller; None without one."""

    def type_name(self, cls: type[Struct]) -> str:
        """The name of a class in the bytecode."""


def base_text(pointer: Ptr, unit: Unit) -> str:
    """The type of a base register, as the bytecode writes it."""
    root = "self" if pointer.own else unit.type_name(pointer.root)
    return ".".join([root, *pointer.path])


def type_text(kind: Type, unit: Unit) -> str:
    """The type of an argument or a result, as the bytecode writes it."""
    if isinstance(kind, Ptr):
        return f"ptr:{base_text(kind, unit)}"
    if isinstance(kind, Ref):
        return f"ref:ptr:{unit.type_name(kind.target)}" if kind.target else "ref:int"
    return "int"
