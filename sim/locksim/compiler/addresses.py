"""Symbolic fields of the bytecode, resolved for one description: structs, offsets, numbers.

The linker asks once and keeps the offsets; the interpreter of :mod:`locksim.compiler.generators`
asks each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from locksim.lang.fields import part
from locksim.lang.layout import Slot, Space
from locksim.lang.struct import Struct


class LinkError(Exception):
    """A program that compiles method by method but not as a whole: the message says where, why."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Addresses:
    """The view of memory that a method has when it runs on a description.

    Arguments:
        spec: what ``self`` is. types: the method's class's :attr:`ClassCode.types`.
        space: the machine's line size and CPUs.
    """

    spec: Struct
    types: Mapping[str, type[Struct]]
    space: Space

    def base(self, kind: str) -> Struct:
        """What a base register of a type points to.

        Arguments:
            kind: ``self`` or a name in ``types``; behind a dot, arrays or parts from there, whose
                elements are what is pointed to.
        """
        first, *names = kind.split(".")
        spec = self.spec if first == "self" else self.space.default(self.types[first])
        return _inner(spec, names)

    def struct(self, kind: str, path: Sequence[str]) -> tuple[Struct, int]:
        """The struct at a path of parts from a base, and its offset from the base in words.

        Raises:
            LinkError: the description has no such part.
        """
        spec, offset = self.base(kind), 0
        for name in path:
            if not isinstance(type(spec).FIELDS.get(name), part):
                raise LinkError(f"{type(spec).__name__} has no embedded struct {name!r}")
            offset += self.space.layout(spec).offset(name)
            spec = spec._parts[name]
        return spec, offset

    def slot(self, kind: str, path: Sequence[str]) -> Slot:
        """The place of the field at a path; its offset is from the base, in words.

        Raises:
            LinkError: the description has no such field.
        """
        spec, offset = self.struct(kind, path[:-1])
        slots = self.space.layout(spec).slots
        if path[-1] not in slots:
            raise LinkError(f"{type(spec).__name__} has no field {path[-1]!r}")
        return replace(slots[path[-1]], offset=offset + slots[path[-1]].offset)

    def offset(self, kind: str, path: Sequence[str]) -> int:
        """Words from a base to the field of any sort at a path; 0 for a base that is the word."""
        return self.slot(kind, path).offset if path and kind != "word" else 0

    def number(self, operand: str | int) -> int:
        """The value of an operand that is not a register: a number, or a parameter of ``self``.

        Raises:
            LinkError: the description has no such parameter.
        """
        if isinstance(operand, int):
            return operand
        *names, name = operand.removeprefix("$").split(".")
        spec = _inner(self.spec, names)
        if name not in spec._params:
            raise LinkError(f"{type(spec).__name__} has no param {name!r}")
        return spec._params[name]


def _inner(spec: Struct, names: Sequence[str]) -> Struct:
    """The description at a path of parts and arrays of structs."""
    for name in names:
        if name not in spec._parts:
            raise LinkError(f"{type(spec).__name__} has no embedded struct {name!r}")
        spec = spec._parts[name]
    return spec
