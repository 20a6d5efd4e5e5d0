"""Mutants that lint makes by itself from a lab's solution, so that no author has to think of them.

A student who has not understood a class often hands in something that looks like it. So each part
of a solution is replaced by something simpler, and the checks of that part must notice:

- a class by each sibling with the same methods (``MCS := Ticket``);
- a word by a small one, of which a program sees three bits (``Seq.sequence := & 7``). A word that
  never holds more is left out;
- a param by a value that the checks use (``Split.ways := 8``);
- a function by what is right in the first call of a check (``capacity := capacity``).

One that keeps every point shows a check that asks too little, or it is the same program for all
that matters. Then ``[[equivalent]]`` in ``mutants.toml`` gives its ``name`` and the ``reason``.

What a class is made of is read from the Python source, and nothing is executed.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockgrader.author.mutants import MUTANTS, Files, files_of
from lockgrader.check import Check
from lockgrader.judging.untouched import names_in
from lockgrader.lab import Lab, LabError

MASK = 7
"""What is left of a small word."""
_WRITES = {"store": 0, "swap": 0, "fetch_or": 0, "compare_swap": 1}
"""Operation → which of its arguments the word holds afterwards."""
_READS = {"load", "swap", "compare_swap", "fetch_add", "fetch_or", "fetch_and", "fetch_xor"}


@dataclass(frozen=True)
class Made:
    """A mutant that was made.

    Arguments:
        name: of the part, ``:=``, and what stands in its place. files: name → text, which replace
            those of the solution. checks: names of those of which one must take points.
    """

    name: str
    files: Files
    checks: tuple[str, ...]


def made(lab: Lab, checks: Iterable[Check]) -> list[Made]:
    """The mutants of a lab's solution, in the order of its files.

    Arguments:
        lab: the lab. checks: of a student.
    """
    ours, asked = files_of(lab, "solution"), list(checks)
    found: list[Made] = []
    if lab.locks in ours:
        source = _Source(ours[lab.locks])
        for name in source.classes:
            of = _judges(source, name, [c for c in asked if c.part == "locks"])
            several = [*_siblings(source, name), *_words(source, name), *_params(source, name, of)]
            names = tuple(check.name for check in of)
            found += [Made(what, {lab.locks: text}, names) for what, text in several if names]
    for check in asked:
        if (heart := check.by_heart) is not None and heart.file in ours:
            text = _constant(ours[heart.file], heart.function, heart.value)
            found.append(
                Made(f"{heart.function} := {check.name}", {heart.file: text}, (check.name,))
            )
    return found


def equivalents(lab: Lab) -> dict[str, str]:
    """Made mutants that are no other program: name → reason.

    Raises:
        LabError: one has no name or no reason.
    """
    path = Path(lab.folder) / MUTANTS
    listed = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    try:
        return {one["name"]: str(one["reason"]) for one in listed}
    except KeyError as error:
        raise LabError(f"{path}: an [[equivalent]] lacks {error}") from error


class _Source:
    """A file in the language: its classes by name, and its whole numbers by name."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        body = self.tree.body
        self.classes = {n.name: n for n in body if isinstance(n, ast.ClassDef)}
        self.numbers = {
            target.id: value
            for n in body
            if isinstance(n, ast.Assign)
            for target in n.targets
            if isinstance(target, ast.Name) and (value := _number(n.value, {})) is not None
        }

    def chain(self, name: str) -> list[ast.ClassDef]:
        """A class of the file behind those of the file from which it inherits."""
        one = self.classes[name]
        bases = [b.id for b in one.bases if isinstance(b, ast.Name) and b.id in self.classes]
        return [*(self.chain(bases[0]) if bases else []), one]

    def members(self, name: str) -> dict[str, ast.stmt]:
        """The methods and fields of a class by name, inherited ones of the file included."""
        every = (node for one in self.chain(name) for node in one.body)
        return {key: node for node in every if (key := _key(node))}

    def users(self, name: str) -> set[str]:
        """The classes that name a class, or one that names it, and itself."""
        found = {name}
        while True:
            more = {n for n, one in self.classes.items() if found & _names(one)} | found
            if more == found:
                return found
            found = more

    def text(self, name: str, other: ast.ClassDef, like: str = "") -> str:
        """The file with another class in the place of one.

        Arguments:
            name: of the one. other: the other. like: a class behind which it must stand, since it
                needs what stands before that; "" for none.
        """
        body = [other if n is self.classes[name] else n for n in self.tree.body]
        if like and body.index(self.classes[like]) > body.index(other):
            body.remove(other)
            body.insert(body.index(self.classes[like]), other)
        return ast.unparse(ast.Module(body, [])) + "\n"


def _judges(source: _Source, name: str, checks: list[Check]) -> list[Check]:
    """The checks of a class; where none names it, those of the classes that use it."""
    own = [check for check in checks if name in names_in(check)]
    return own or [check for check in checks if source.users(name) & names_in(check)]


def _siblings(source: _Source, name: str) -> Iterator[tuple[str, str]]:
    """The file with the class as each other one with the same methods."""
    methods = _methods(source, name)
    for other in source.classes:
        if other != name and methods and methods == _methods(source, other):
            chain = source.chain(other)
            copied = ast.ClassDef(
                name, chain[0].bases, [], [*source.members(other).values()], [], **_NO_TYPES
            )
            if name not in _names(copied):  # not one that is built from it
                yield f"{name} := {other}", source.text(name, copied, other)


def _words(source: _Source, name: str) -> Iterator[tuple[str, str]]:
    """The file with each word of the class of three bits."""
    for node in source.classes[name].body:
        if _calls(node) in ("word", "array") and (field := _key(node)):
            seen = _Reads(name, field, source.numbers)
            tree = seen.visit(ast.parse(ast.unparse(source.tree)))
            if seen.large and seen.masked:
                yield f"{name}.{field} := & {MASK}", ast.unparse(tree) + "\n"


def _params(source: _Source, name: str, checks: list[Check]) -> Iterator[tuple[str, str]]:
    """The file with each param as a number that the checks use, or its default."""
    for node in source.classes[name].body:
        if _calls(node) == "param" and (field := _key(node)):
            default = _number(node.value.args[0], source.numbers)  # type: ignore[attr-defined]
            used = {number for c in checks for number in _settings(c.model_dump(), field)}
            for value in sorted({*used, *([] if default is None else [default])}):
                put = _Put(field, value)
                other = put.visit(ast.parse(ast.unparse(source.classes[name])).body[0])
                if put.placed:
                    yield f"{name}.{field} := {value}", source.text(name, other)


def _constant(text: str, function: str, value: Any) -> str:
    """A Python file in which a function returns the same whatever it gets."""
    return f"{text}\n\ndef {function}(*values, **named):\n    return {value!r}\n"


class _Reads(ast.NodeTransformer):
    """Masks what is read of a field: ``self.FIELD`` in its class, ``other.FIELD`` in the others.

    Attributes:
        large: whether the field may hold more than the mask leaves. masked: how many reads.
    """

    def __init__(self, name: str, field: str, numbers: dict[str, int]) -> None:
        self._name, self._field, self._numbers = name, field, numbers
        self._inside = False
        self.large, self.masked = False, 0

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._inside = node.name == self._name
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Yield) and self._operation(node.value):
            self.generic_visit(node.value)  # nobody uses what it reads
            return node
        return self.generic_visit(node)

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        self.generic_visit(node)
        if self._operation(node) not in _READS:
            return node
        self.masked += 1
        return ast.BinOp(node, ast.BitAnd(), ast.Constant(MASK))

    def _operation(self, node: ast.Yield) -> str:
        """The operation on the field that is performed, or "". Notes what it writes."""
        match node.value:
            case ast.Call(func=ast.Attribute(value=place, attr=operation), args=given):
                while isinstance(place, ast.Subscript):
                    place = place.value
                if not isinstance(place, ast.Attribute) or place.attr != self._field:
                    return ""
                own = isinstance(place.value, ast.Name) and place.value.id == "self"
                if own != self._inside:
                    return ""
                at = _WRITES.get(operation)
                written = _number(given[at], self._numbers) if at is not None else None
                small = operation == "load" or (written is not None and 0 <= written <= MASK)
                self.large = self.large or not small
                return operation
        return ""


class _Put(ast.NodeTransformer):
    """Puts a number in the place of ``self.PARAM``."""

    def __init__(self, param: str, value: int) -> None:
        self._param, self._value = param, value
        self.placed = 0

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if (
            node.attr == self._param
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
        ):
            self.placed += 1
            return ast.Constant(self._value)
        return self.generic_visit(node)


_NO_TYPES: dict[str, Any] = {"type_params": []} if "type_params" in ast.ClassDef._fields else {}
"""Python 3.12 has one field more."""


def _methods(source: _Source, name: str) -> set[str]:
    every = source.members(name)
    return {key for key, node in every.items() if isinstance(node, ast.FunctionDef)} - {"setup"}


def _key(node: ast.stmt) -> str:
    """The name that a statement of a class gives to a method or a field, or ""."""
    match node:
        case ast.FunctionDef():
            return node.name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def _calls(node: ast.stmt) -> str:
    """What the value of a field is made by, such as ``word``; "" for anything else."""
    match node:
        case ast.Assign(value=ast.Call(func=ast.Name(id=name))):
            return name
    return ""


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _number(node: ast.expr, numbers: dict[str, int]) -> int | None:
    """A whole number that stands there, or that a name of the file has."""
    if isinstance(node, ast.Name):
        return numbers.get(node.id)
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, int) else None


def _settings(document: Any, param: str) -> Iterator[int]:
    """The numbers that a check gives to a param, alone or in a list."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key == param:
                several = value if isinstance(value, list | tuple) else [value]
                yield from (one for one in several if isinstance(one, int))
            yield from _settings(value, param)
    elif isinstance(document, list | tuple):
        for one in document:
            yield from _settings(one, param)
