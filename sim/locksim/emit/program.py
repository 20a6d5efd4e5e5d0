"""The whole file: which structs and methods belong to it, in which order, and what opens it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from locksim.compiler.diagnostics import CompileError
from locksim.compiler.disassemble import source_lines
from locksim.compiler.frontend import compile_class
from locksim.compiler.ir import ClassCode, Instr, MethodCode
from locksim.emit.method import Called, lower
from locksim.emit.names import fresh, plain, snake
from locksim.emit.printer import Printer, base_name, comment, declared
from locksim.emit.shapes import Shapes
from locksim.emit.structure import structured
from locksim.emit.terms import INT, number
from locksim.lang.fields import array, param, part, pointer, word
from locksim.lang.struct import Struct

SELF, THREAD = "self", "thread"


class EmitError(CompileError):
    """A program that C in a header cannot express: the message shows the place and why."""


@dataclass(frozen=True)
class Function:
    """A method in C.

    Arguments:
        name: of the function. thread: whether its second argument is the thread that calls.
        arguments: types of the others after self. returns: of the result, "" for none.
    """

    name: str
    thread: bool
    arguments: tuple[str, ...] = ()
    returns: str = ""


@dataclass(frozen=True)
class Emitted:
    """A lock in C.

    Arguments:
        text: the header. struct: the lock's type. methods: its functions by the names of the
            methods. init: the function that sets it up.
    """

    text: str
    struct: str
    methods: dict[str, Function]
    init: Function


def emit(code: ClassCode, spec: Struct | None = None) -> Emitted:
    """Print a class as a header of C11.

    Arguments:
        code: the class's bytecode. spec: the description to print; the class with its defaults if
            it is None.

    Raises:
        EmitError: the program asks for what a header cannot give.
    """
    return _File(code, spec if spec is not None else code.struct()).emitted()


@dataclass
class _File:
    """The file in the making (a :class:`~locksim.emit.method.Program`)."""

    code: ClassCode
    spec: Struct
    shapes: Shapes = field(default_factory=Shapes)
    written: dict[object, Called] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    macros: dict[str, int] = field(default_factory=dict)
    swaps: dict[str, str] = field(default_factory=dict)
    inits: dict[object, Function] = field(default_factory=dict)

    def emitted(self) -> Emitted:
        tag = self.shapes.tag(self.spec)
        methods = {}
        for name in self.code.methods:
            if name != "setup":
                made = self.called(self.spec, name)
                methods[name] = Function(made.name, made.thread, made.arguments, made.returns)
        init = self._init(self.spec)
        text = "\n\n".join(
            [self._head(tag), *self.shapes.definitions(), *self._swaps(), *self.texts]
        )
        guard = f"{snake(tag).upper()}_EMITTED_H"
        text = text.replace("@GUARD@", guard)
        return Emitted(f"{text}\n\n#endif\n", f"struct {tag}", methods, init)

    # What methods ask for

    def called(self, spec: Struct, name: str) -> Called:
        """A method's function; it is written if it is not there yet."""
        key = (spec.key(), name)
        if key not in self.written:
            code = self._code(spec)
            if name not in code.methods:
                raise EmitError(
                    *("no-method", code.file, 1, 1, 2),
                    f"{code.name} has no method {name!r}",
                    "put a lock in its place that has one",
                )
            method = code.methods[name]
            lowered = lower(self, spec, code, method)
            owner, _, own = name.rpartition(".")
            said = "_".join([*filter(None, [snake(owner)]), plain(own).rstrip("_")])
            called = Called(
                fresh(f"{self.shapes.tag(spec)}_{said}", self.shapes.taken),
                tuple(kind for _, kind in lowered.arguments),
                lowered.returns,
                lowered.uses_thread,
            )
            self.written[key] = called
            given = [declared(self.shapes.address(spec), SELF)]
            given += [f"struct locklab_thread *{THREAD}"] if called.thread else []
            given += [declared(kind, said) for said, kind in lowered.arguments]
            lines = source_lines(code, name)
            printer = Printer(base_name(method.file), lines, method.line, lowered.types)
            body = printer.body(structured(lowered.blocks))
            unused = [SELF, *(said for said, _ in lowered.arguments)]
            body = [*_unused(unused, body), *body]
            self.texts.append(_function(called.name, called.returns, given, body))
        return self.written[key]

    def parameter(self, spec: Struct, name: str) -> str:
        """The macro of a parameter."""
        macro = f"{self.shapes.tag(spec)}_{plain(name)}".upper()
        self.macros[macro] = spec._params[name]
        return macro

    def compare_swap(self, kind: str) -> str:
        """The function that compares and swaps words of a type."""
        if kind == INT:
            return "locklab_compare_swap"
        if kind not in self.swaps:
            tag = kind.removeprefix("struct ").removesuffix(" *")
            self.swaps[kind] = fresh(f"{tag}_compare_swap", self.shapes.taken)
        return self.swaps[kind]

    def refuse(self, code: ClassCode, method: MethodCode, instr: Instr, why: str) -> None:
        """Say what cannot be written in C.

        Raises:
            EmitError: always.
        """
        lines = source_lines(code, method.name)
        text = lines[instr.line - 1] if 0 < instr.line <= len(lines) else ""
        raise EmitError(
            "not-in-c",
            method.file,
            instr.line,
            instr.column + 1,
            instr.end_column + 1,
            f"this cannot be written as a C header: {why}",
            "leave it out of the lock; the simulator runs it as it is",
            text,
        )

    def _code(self, spec: Struct) -> ClassCode:
        cls = type(spec)
        return self.code if cls is self.code.struct else compile_class(cls)

    # Setting up

    def _init(self, spec: Struct) -> Function:
        """The function that gives a struct's words their first values and runs its set-up."""
        key = spec.key()
        if key in self.inits:
            return self.inits[key]
        inner = [self._init(s) for s in spec._parts.values()]
        setup = self.called(spec, "setup") if "setup" in self._code(spec).methods else None
        per_cpu = any(isinstance(f, array) and f.per == "cpu" for f in type(spec).FIELDS.values())
        thread = per_cpu or any(f.thread for f in inner) or (setup is not None and setup.thread)
        name = fresh(f"{self.shapes.tag(spec)}_init", self.shapes.taken)
        body = [line for f in type(spec).FIELDS for line in self._first(spec, f)]
        if setup is not None:
            body.append(f"    {setup.name}({SELF}{', ' + THREAD if setup.thread else ''});")
        given = [declared(self.shapes.address(spec), SELF)]
        given += [f"struct locklab_thread *{THREAD}"] if thread else []
        body = [*_unused([SELF], body), *body]
        self.texts.append(_function(name, "", given, body))
        self.inits[key] = Function(name, thread)
        return self.inits[key]

    def _first(self, spec: Struct, name: str) -> Iterable[str]:
        """The lines that set a field up."""
        declared_field, said = type(spec).FIELDS[name], plain(name)
        match declared_field:
            case param():
                return []
            case word():
                return [f"    {self._set(declared_field, f'{SELF}->{said}')}"]
            case part():
                return [f"    {self._set_part(spec, name, f'{SELF}->{said}')}"]
            case array() as found:
                own = ".own" if self.shapes.wrapped(spec, name) else ""
                place = f"{SELF}->{said}[i]{own}"
                of = found.of
                one = (
                    self._set(of, place)
                    if isinstance(of, word)
                    else self._set_part(spec, name, place)
                )
                n = f"{THREAD}->n_cpus" if found.per == "cpu" else self.shapes.count(spec, name)
                return [f"    for ({INT} i = 0; i < {n}; i += 1)", f"        {one}"]
        raise TypeError(f"there is no such field as {declared_field!r}")

    def _set(self, of: word, place: str) -> str:
        first = "NULL" if isinstance(of, pointer) else number(of.init).text
        return f"atomic_init(&{place}, {first});"

    def _set_part(self, spec: Struct, name: str, place: str) -> str:
        init = self._init(spec._parts[name])
        return f"{init.name}(&{place}{', ' + THREAD if init.thread else ''});"

    # The rest of the text

    def _head(self, tag: str) -> str:
        said = self.code.doc or self.code.name
        made = f"Made from {base_name(self.code.file)} by LockLab; change that, not this."
        includes = [
            *("#include <assert.h>", "#include <stdatomic.h>", "#include <stddef.h>"),
            *("#include <stdint.h>", "#include <stdlib.h>", "", '#include "locklab/language.h"'),
        ]
        guard = f"{tag.upper()}_EMITTED_H"
        macros = [f"#define {name} {number(n).text}" for name, n in self.macros.items()]
        lines = [
            "/* SPDX-License-Identifier: MIT */",
            *comment(f"{said}\n\n{made}"),
            *(f"#ifndef {guard}", f"#define {guard}", ""),
            *includes,
            *([""] if macros else []),
            *macros,
        ]
        return "\n".join(lines)

    def _swaps(self) -> list[str]:
        lines = [f"LOCKLAB_COMPARE_SWAP({name}, {kind});" for kind, name in self.swaps.items()]
        return ["\n".join(lines)] if lines else []


def _function(name: str, returns: str, given: list[str], body: list[str]) -> str:
    kind = returns or "void"
    head = declared(f"static inline {kind}", f"{name}(")
    text = f"{head}{', '.join(given)})"
    if len(text) > 100:
        text = f"{head}{(',' + chr(10) + ' ' * len(head)).join(given)})"
    return "\n".join([text, "{", *body, "}"])


def _unused(names: list[str], body: list[str]) -> list[str]:
    """Lines that say that an argument is left alone on purpose."""
    words = set(re.findall(r"\w+", "\n".join(re.sub(r"/\*.*?\*/", "", line) for line in body)))
    return [f"    (void){name};" for name in names if name not in words]
