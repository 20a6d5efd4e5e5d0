"""Where the compiler finds a method's syntax tree and the meaning of the names in it.

A live class (imported, or typed into a notebook) is read back from its file; a parsed class
registers its trees here. Either way a method is a tree, the text it came from, and a way to look a
name up.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import inspect
import linecache
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from locksim.compiler.diagnostics import Source, Span
from locksim.compiler.nesting import too_deep
from locksim.lang import struct as language
from locksim.lang.struct import Struct

T = TypeVar("T")

KINDS = tuple(sorted(language.KINDS, key=lambda kind: -len(kind.__mro__)))
"""What a class can be derived from, those that are derived from others first."""

BASES: tuple[type, ...] = (*KINDS, object)
"""Classes of the language itself; their Python methods are not programs."""


MAX_DEPTH = 100
"""Levels of nesting that a file may have."""


RESERVED = frozenset(n for n in vars(Struct) if not n.startswith("__") and not n.isupper())
"""Attributes of Struct itself that a class must not have; a field or a method would break it."""


class _Missing:
    """What looking up an unknown name gives."""


MISSING = _Missing()


@dataclass(frozen=True)
class MethodSource:
    """A method before it is compiled.

    Arguments:
        node: its syntax tree. source: the file. owner: the class that defines it.
        lookup: gives what a global name means there, or ``MISSING``. names: what there is to look
            up.
        role: key of ``METERS`` if the owner's METERED names it.
    """

    name: str
    node: ast.FunctionDef
    source: Source
    owner: type[Struct]
    lookup: Callable[[str], object]
    names: Callable[[], list[str]]
    role: str | None


class ClassTable(Generic[T]):
    """A table from classes to values that lie in the classes themselves, and go when they go.

    A grader makes classes for every submission, so a dictionary would grow for ever. A weak one
    would too: a class's bytecode refers to the class, and so keeps the key that it is stored under.

    Arguments:
        name: of the table; no two may have the same.
    """

    def __init__(self, name: str) -> None:
        self._attribute = f"__locksim_{name}__"

    def __contains__(self, cls: type) -> bool:
        return self._attribute in vars(cls)

    def get(self, cls: type) -> T | None:
        """A class's own value, None if it has none. Nothing is inherited."""
        return vars(cls).get(self._attribute)

    def __setitem__(self, cls: type, value: T) -> None:
        setattr(cls, self._attribute, value)


PARSED: ClassTable[dict[str, MethodSource]] = ClassTable("parsed")
"""Own methods of the classes that exist only as parsed text."""
FILES: ClassTable[Source] = ClassTable("file")
"""The files of those classes."""


def method_sources(cls: type[Struct]) -> dict[str, MethodSource]:
    """The methods of a class, inherited ones included, by name.

    Raises:
        CompileError: the source is not there, or a method is not a plain one.
    """
    found: dict[str, MethodSource] = {}
    for owner in reversed(_owners(cls)):
        for name, source in _own(owner).items():
            if source is None:
                found.pop(name, None)
            else:
                found[name] = source
    return found


def method_above(cls: type[Struct], owner: type[Struct], name: str) -> MethodSource | None:
    """What ``super().name`` means in a method of ``owner`` that runs on a ``cls``.

    Its name is qualified, as in ``TicketLock.acquire``: the class has a method of the plain name
    too.

    Raises:
        CompileError: as for :func:`method_sources`.
    """
    owners = _owners(cls)
    for k, above in enumerate(owners[owners.index(owner) + 1 :], start=owners.index(owner) + 1):
        source = _own(above).get(name)
        if source is not None:
            same = sum(below.__name__ == above.__name__ for below in owners[:k])
            number = f"_{same + 1}" if same else ""
            return replace(source, name=f"{above.__name__}{number}.{name}")
    return None


def file_of(cls: type[Struct], name: str) -> Source | None:
    """The file of that name among those that a class's methods are written in."""
    methods = (method for owner in _owners(cls) for method in _own(owner).values())
    return next((m.source for m in methods if m is not None and m.source.file == name), None)


def _owners(cls: type[Struct]) -> list[type[Struct]]:
    """A class and its bases, as Python looks a method up, without those of the language."""
    return [owner for owner in cls.__mro__ if owner not in BASES]


def _own(owner: type[Struct]) -> dict[str, MethodSource | None]:
    """A class's own attributes: its methods, and None for what hides an inherited method."""
    parsed = PARSED.get(owner)
    if parsed is not None:
        return {**parsed}
    functions = {name: _function(value) for name, value in vars(owner).items()}
    return {
        name: None if function is None else _live(owner, name, function)
        for name, function in functions.items()
        if function is not None or not name.startswith("__")
    }


def is_method(cls: type, name: str) -> bool:
    """Whether a class has a method of its own or an inherited one, as live code or as a tree."""
    owners = [c for c in cls.__mro__ if c not in BASES]
    return any(name in (PARSED.get(c) or {}) or callable(vars(c).get(name)) for c in owners)


def class_source(cls: type[Struct]) -> Source:
    """The file that a class is defined in (empty text where it has no methods and is not found)."""
    file = FILES.get(cls)
    if file is not None:
        return file
    for owner in cls.__mro__:
        for value in vars(owner).values() if owner not in BASES else ():
            function = _function(value)
            if function is not None:
                return _file(function)[0]
    try:
        return Source(inspect.getfile(cls), "".join(inspect.findsource(cls)[0]))
    except (OSError, TypeError):
        return Source(f"<{cls.__module__}>", "")


LONGEST = 200
"""Characters in which the end of a yield is looked for."""


def parse(text: str, file: str) -> ast.Module:
    """A file's syntax tree.

    Raises:
        CompileError: Python cannot read it.
    """
    source = Source(file, text)
    deep = too_deep(text)
    if deep is not None:
        source.fail("too-deep", deep)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the compiler itself reports doubtful code
            tree = ast.parse(text, file)
            _check_depth(tree, source)
            compile(tree, file, "exec", dont_inherit=True)  # finds a break outside a loop, and such
    except SyntaxError as e:
        line, start = e.lineno or 1, max(0, (e.offset or 1) - 1)
        end = max(start + 1, (e.end_offset or 0) - 1) if e.end_lineno == line else start + 1
        if bare := _bare_yield((e.text or "")[start : start + LONGEST]):
            source.fail("yield-in-parentheses", Span(line, start, start + len(bare)), text=bare)
        source.fail("syntax", Span(line, start, end), detail=e.msg)
    except ValueError as e:
        source.fail("syntax", Span(1, 0, 1), detail=str(e))
    except (RecursionError, MemoryError):
        source.fail("too-deep", Span(1, 0, 1))
    return tree


def _bare_yield(text: str) -> str:
    """The yield with its call that a text begins with, where Python stopped; "" for another."""
    for call in re.finditer(r"\)", text) if re.match(r"yield\b", text) else ():
        with contextlib.suppress(SyntaxError):
            ast.parse(f"({text[: call.end()]})", mode="eval")
            return text[: call.end()]
    return ""


def _check_depth(tree: ast.Module, source: Source) -> None:
    """The compiler follows the nesting of the text on its own stack, which is limited."""
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    for node in level:
        if hasattr(node, "lineno"):
            source.fail("too-deep", node)


def _function(value: object) -> Any:
    """The function behind a class attribute, None for anything else."""
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    elif isinstance(value, property):
        value = value.fget
    return inspect.unwrap(value) if inspect.isfunction(value) else None


def _live(owner: type[Struct], name: str, function: Any) -> MethodSource:
    source, tree = _file(function)
    if name.startswith("__") and name.endswith("__"):
        source.fail("special-method", Span(function.__code__.co_firstlineno, 0, 1), name=name)
    node = _find(tree, function)
    if node is None:
        source.fail("no-source", Span(1, 0, 1), name=f"{owner.__name__}.{name}")
    cells = {}
    for free, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            cells[free] = cell.cell_contents
        except ValueError:  # defined later in the enclosing function, or never
            continue

    def lookup(wanted: str) -> object:
        for names in (cells, function.__globals__, vars(builtins)):
            if wanted in names:
                return names[wanted]
        return MISSING

    return MethodSource(
        name,
        node,
        source,
        owner,
        lookup,
        lambda: [*cells, *function.__globals__],
        owner.METERED.get(name),
    )


def _file(function: Any) -> tuple[Source, ast.Module]:
    file = function.__code__.co_filename
    text = "".join(linecache.getlines(file, function.__globals__))
    source = Source(file, text)
    if not text:
        source.fail("no-source", Span(1, 0, 1), name=function.__qualname__)
    return source, _parsed(text, file)


@functools.lru_cache(maxsize=256)
def _parsed(text: str, file: str) -> ast.Module:
    return parse(text, file)


def _find(tree: ast.Module, function: Any) -> ast.FunctionDef | None:
    first = function.__code__.co_firstlineno
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            line = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if node.name == function.__name__ and line == first:
                return node  # type: ignore[return-value] # an async one is refused with the rest
    return None
