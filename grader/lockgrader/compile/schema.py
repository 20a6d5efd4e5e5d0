"""The schema of :mod:`locksim.compiler.portable`'s documents, with exactly the allowed keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Class", "Declaration", "Document", "Library", "Method", "pointed", "structs_of"]

Text = Annotated[str, Field(max_length=64)]
Long = Annotated[str, Field(max_length=100_000)]
Number = Annotated[int, Field(ge=-(1 << 63), lt=1 << 63)]
Line = Annotated[int, Field(ge=0, le=100_000)]
Align = Annotated[int, Field(ge=0, le=1 << 30)]
MAX_ELEMENTS = 1 << 16


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Word(_Closed):
    """A word."""

    kind: Literal["word"] = Field(alias="is")
    init: Number
    padded: bool
    plain: bool = False


class Pointer(_Closed):
    """A pointer to a struct of the document."""

    kind: Literal["pointer"] = Field(alias="is")
    to: Text
    padded: bool


class Param(_Closed):
    """A parameter."""

    kind: Literal["param"] = Field(alias="is")
    default: Number


class Described(_Closed):
    """A struct as part of another: its class, or a description with all its settings."""

    kind: Literal["struct"] = Field(alias="is")
    struct: Text
    params: dict[Text, Number] | None = None
    parts: dict[Text, Described] | None = None


class Part(_Closed):
    """An embedded struct."""

    kind: Literal["part"] = Field(alias="is")
    of: Described
    padded: bool
    align: Align = 0


Element = Annotated[Word | Pointer | Described, Field(discriminator="kind")]


class Array(_Closed):
    """A number of elements, fixed or given by a parameter."""

    kind: Literal["array"] = Field(alias="is")
    n: Annotated[int, Field(ge=1, le=MAX_ELEMENTS)] | Text
    of: Element
    padded: bool
    align: Align = 0
    scattered: bool = False


class PerCpu(_Closed):
    """One element a CPU."""

    kind: Literal["percpu"] = Field(alias="is")
    of: Element


class PerNode(_Closed):
    """One element a NUMA node."""

    kind: Literal["pernode"] = Field(alias="is")
    of: Element


class PerThread(_Closed):
    """One element a thread."""

    kind: Literal["perthread"] = Field(alias="is")
    of: Element
    align: Align = 0
    scattered: bool = False


AnyField = Annotated[
    Word | Pointer | Param | Part | Array | PerCpu | PerNode | PerThread,
    Field(discriminator="kind"),
]


class Library(_Closed):
    """A struct of the library, by its name."""

    library: Annotated[str, Field(max_length=200)]


class Declaration(_Closed):
    """A struct of the submission."""

    name: Text
    kind: Text
    metered: dict[Text, Text]
    recursive: Annotated[int, Field(ge=0, le=1)]
    fields: dict[Text, AnyField]


class Method(_Closed):
    """A method; an instruction is [op, operands, line, column, end column]."""

    name: Text
    program: bool
    arguments: Annotated[list[Text], Field(max_length=16)]
    returns: Text
    registers: list[Text]
    line: Line
    role: Text | None
    file: Long
    instrs: list[tuple[Text, list[Any], Line, Line, Line]]


class Class(_Closed):
    """A class's bytecode."""

    struct: Text
    file: Long
    doc: Long
    source: Long
    types: dict[Text, Text]
    methods: dict[Text, Method]


class Document(_Closed):
    """All classes of a file."""

    format: Literal[1]
    structs: dict[Text, Library | Declaration]
    classes: dict[Text, Class]


def structs_of(field: Any) -> Iterator[Described]:
    """Every description of a struct in a field, outer ones first."""
    todo = [field.of] if isinstance(field, Part | Array | PerCpu | PerNode | PerThread) else []
    while todo:
        one = todo.pop()
        if isinstance(one, Described):
            yield one
            todo += (one.parts or {}).values()


def pointed(field: Any) -> str | None:
    """The struct that a field, or each of its elements, points to."""
    inner = field.of if isinstance(field, Array | PerCpu | PerNode | PerThread) else field
    return inner.to if isinstance(inner, Pointer) else None
