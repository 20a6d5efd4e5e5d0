"""The part of a submission that a check depends on: while it stays, so do finding and points.

A file belongs to a part of the submission. Within the file in the language each definition stands
for itself and for those whose names it uses, and within ``answers.json`` each answer does. A check
depends on a definition or an answer that it names. Where that cannot be told, as in a file that
does not parse, it depends on the whole file: running one check too many costs time, one too few
would be wrong.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from lockgrader.check import Check
from lockgrader.finding import Finding
from lockgrader.lab import Lab
from lockgrader.read.submission import Submission

__all__ = ["dependence", "untouched"]

_OTHER = ""
"""Stands for all that is no definition, such as ``from module import *``."""


def untouched(
    lab: Lab,
    checks: Iterable[Check],
    found: Mapping[str, Finding],
    before: Submission,
    after: Submission,
) -> dict[str, Finding]:
    """The findings that hold for other files, too.

    Arguments:
        lab, checks: of the workspace. found: check → its finding for the files before.
        before, after: the files.
    """
    left = {}
    for check in checks:
        finding = found.get(check.name)
        lines = finding is not None and finding.verdict != "pass"  # it has named some
        if finding is not None and (
            dependence(lab, check, before, lines=lines)
            == dependence(lab, check, after, lines=lines)
        ):
            left[check.name] = finding
    return left


def dependence(lab: Lab, check: Check, files: Submission, *, lines: bool = False) -> str:
    """A digest of what a check depends on.

    Arguments:
        lab, check: of the workspace. files: the student's. lines: whether the places in the source
            count, too.
    """
    words = _words(check.model_dump_json())
    parts = {lab.locks: "locks", lab.c: "c", lab.tests: "tests"}
    seen: list[object] = []
    for file, data in sorted(files.files.items()):
        part = parts.get(file, "data")
        if lab.answers and Path(file).stem == Path(lab.answers).stem:
            part = "answers"
        whole = check.part == part
        names: Mapping[str, str] | None = None
        if part == "locks":
            whole = whole or check.engines or bool(check.measured_classes)
            names = _definitions(data, lines=lines)
        elif part == "answers":
            names = _answers(data)
        elif part == "data":
            whole = whole or _words(file) <= words
        kept = words | ({_OTHER} if whole else set())
        if names is None:
            seen += [file, data] if whole else []
        else:
            seen += [(file, name, names[name]) for name in sorted(names.keys() & kept)]
    return hashlib.sha256(repr(seen).encode()).hexdigest()


@functools.lru_cache(maxsize=8)
def _definitions(data: bytes, *, lines: bool = False) -> dict[str, str] | None:
    """Name → the definition with all that it uses; None if the file cannot be read.

    Arguments:
        data: the file. lines: whether the places in the source count, too.
    """
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    own: dict[str, str] = {_OTHER: ""}
    for node in tree.body:
        for name, text in _defined(node, lines):
            own[name] = own.get(name, "") + text
    uses = {name: _words(text) & own.keys() - {name} for name, text in own.items()}
    return {name: "".join(own[one] for one in sorted(_reached(name, uses))) for name in own}


def _defined(node: ast.stmt, lines: bool) -> list[tuple[str, str]]:
    """The names that a statement at the top of a file defines, each with its definition."""
    text = ast.dump(node, include_attributes=lines)
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return [(name, text)]
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return [(name, text)]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            module = getattr(node, "module", None)
            bound = [(one, one.asname or one.name.partition(".")[0]) for one in names]
            return [
                (_OTHER if name == "*" else name, f"{module} {ast.dump(one)}")
                for one, name in bound
            ]
        case ast.Expr(value=ast.Constant()):
            return []
    return [(_OTHER, text)]


def _reached(name: str, uses: Mapping[str, Collection[str]]) -> set[str]:
    found, ahead = {name}, [name]
    while ahead:
        new = set(uses[ahead.pop()]) - found
        found |= new
        ahead += new
    return found


@functools.lru_cache(maxsize=8)
def _answers(data: bytes) -> dict[str, str] | None:
    """Answer → its value as text; None if the file is no object of JSON."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    return {name: json.dumps(value) for name, value in document.items()}


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))
