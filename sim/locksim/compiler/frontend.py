"""From classes to bytecode: the public way into the compiler.

A live class and a parsed file go through one path: fields as objects, methods as syntax trees. The
result is :class:`~locksim.compiler.ir.ClassCode`. A method is compiled when it is first needed,
since a call has to know what its callee returns.
"""

from __future__ import annotations

import ast
import re

from locksim.compiler.declare import declare
from locksim.compiler.diagnostics import CompileError, Source, Span
from locksim.compiler.generators import attach
from locksim.compiler.ir import ClassCode, MethodCode
from locksim.compiler.method import compile_method, is_program
from locksim.compiler.sources import (
    BASES,
    PARSED,
    RESERVED,
    ClassTable,
    MethodSource,
    class_source,
    method_above,
    method_sources,
)
from locksim.compiler.unit import Signature
from locksim.compiler.values import Ptr
from locksim.lang.struct import METERS, Struct
from lockui.suggest import did_you_mean

_CODES: ClassTable[ClassCode] = ClassTable("bytecode")


def compile_class(cls: type[Struct]) -> ClassCode:
    """The bytecode of a struct's methods, its own and the inherited ones. Kept per class.

    Arguments:
        cls: a subclass of Struct whose source can be read (a file, a notebook cell), or one that
            :func:`compile_source` made.

    Raises:
        CompileError: a method is outside the language.
    """
    code = _CODES.get(cls)
    if code is None:
        code = _CODES[cls] = _Classes().code(cls)
        if cls in PARSED:
            enter(code)
    return code


def enter(code: ClassCode) -> None:
    """Make bytecode that of its class, which has no Python source.

    :func:`compile_class` gives it from now on, and the class gets methods that interpret it. The
    bytecode is kept in the class, and is freed with it.

    Raises:
        ValueError: a method's name is none that a struct can have.
    """
    attach(code, compile_class)
    _CODES[code.struct] = code


def compile_source(text: str, filename: str) -> dict[str, ClassCode]:
    """The bytecode of every class in a file's text. The text is parsed, never run.

    The classes get methods that interpret the bytecode, so they can be used wherever live ones can.

    Arguments:
        text: Python source. It may import from ``locksim.lang`` and the library
            (``locksim.library.locks``, ``avc``, ``kernel``, ``schedulers``), define whole numbers,
            and define classes.
        filename: for messages.

    Raises:
        CompileError: the text is outside the language.
    """
    return {name: compile_class(cls) for name, cls in declare(text, filename).items()}


class _Classes:
    """The classes of one compilation: they call one another."""

    def __init__(self) -> None:
        self.units: dict[type[Struct], _Unit] = {}
        self.open: list[tuple[type[Struct], str]] = []

    def unit(self, cls: type[Struct]) -> _Unit:
        if cls not in self.units:
            self.units[cls] = _Unit(self, cls)
        return self.units[cls]

    def code(self, cls: type[Struct]) -> ClassCode:
        unit = self.unit(cls)
        source = class_source(cls)
        _check_names(unit, source)
        for name in [*unit.sources]:
            unit.method(name)  # adds what it calls by super()
        methods = {name: unit.method(name)[0] for name in unit.sources}
        _check_meters(unit)
        doc = (cls.__doc__ or "").strip()
        return ClassCode(cls.__name__, source.file, cls, doc, unit.types, methods, source.text)


class _Unit:
    """A class in the making."""

    def __init__(self, classes: _Classes, cls: type[Struct]) -> None:
        self.classes, self.cls = classes, cls
        self.sources = method_sources(cls)
        self.types: dict[str, type[Struct]] = {}
        self.done: dict[str, tuple[MethodCode, Signature] | CompileError] = {}

    def type_name(self, cls: type[Struct]) -> str:
        """The name of a class in the bytecode; a second class of the same name gets a number."""
        number, name = 1, cls.__name__
        while self.types.setdefault(name, cls) is not cls:
            number += 1
            name = f"{cls.__name__}_{number}"
        return name

    def method(self, name: str) -> tuple[MethodCode, Signature]:
        """A method's bytecode and how it is called."""
        if name not in self.done:
            self.classes.open.append((self.cls, name))
            try:
                self.done[name] = compile_method(self, self.sources[name])
            except CompileError as e:
                self.done[name] = e
            finally:
                self.classes.open.pop()
        found = self.done[name]
        if isinstance(found, CompileError):
            raise found
        return found

    def above(self, caller: MethodSource, name: str) -> str | None:
        """The qualified name of the method that ``super()`` gives a caller; None without one."""
        found = method_above(self.cls, caller.owner, name)
        if found is None:
            return None
        self.sources.setdefault(found.name, found)
        return found.name

    def callee(
        self, pointer: Ptr, call: ast.Call, name: str, caller: MethodSource
    ) -> Signature | None:
        """The signature of a method; None if only the linker can know it."""
        cls, source = pointer.cls, caller.source
        unit = self.classes.unit(cls)
        if name not in unit.sources:
            if cls in BASES:
                return None  # a part declared as Lock: the description says which lock
            hint = did_you_mean(name, unit.sources, f"define it in {cls.__name__}")
            where = call.func if isinstance(call.func, ast.Attribute) else call
            source.fail("unknown-method", where, owner=cls.__name__, name=name, suggestion=hint)
        key = (cls, name)
        if key in self.classes.open:
            chain = [n for _, n in self.classes.open[self.classes.open.index(key) :]]
            source.fail("recursion", call, chain=" calls ".join(f"{n}()" for n in [*chain, name]))
        return unit.method(name)[1]


def _check_names(unit: _Unit, source: Source) -> None:
    for name in [*unit.cls.FIELDS, *unit.sources]:
        if name in RESERVED:
            declared = re.compile(rf"\s+(def\s+)?{name}\b")
            lines = (n for n, text in enumerate(source.lines, start=1) if declared.match(text))
            line = next(lines, 1)
            indent = len(source.line(line)) - len(source.line(line).lstrip())
            source.fail("reserved-name", Span(line, indent, len(source.line(line))), name=name)


def _check_meters(unit: _Unit) -> None:
    for name, method in unit.sources.items():
        role = method.role
        if role is None:
            continue
        if role not in METERS:
            method.source.fail("metered-name", method.node, name=name, role=role)
        if not is_program(method.node):
            method.source.fail("metered-helper", method.node, name=name)
