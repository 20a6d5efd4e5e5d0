"""The checks that a change of files can touch; the findings of all others stay.

A file belongs to a part of the submission. Within the file in the language each definition stands
for itself and for those whose names it uses, and within ``answers.json`` each answer does. A check
is touched by a definition or an answer that it names. Where that cannot be told, as in a file that
does not parse, the check is touched: running one too many costs time, one too few would be wrong.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from lockgrader.check import Check
from lockgrader.finding import Finding
from lockgrader.lab import Lab
from lockgrader.read.submission import Submission

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
    names = before.files.keys() | after.files.keys()
    changed = [n for n in names if before.files.get(n) != after.files.get(n)]
    changes = [_Change(lab, n, before.files.get(n, b""), after.files.get(n, b"")) for n in changed]
    left = {}
    for check in checks:
        finding = found.get(check.name)
        if finding is not None and not any(one.touches(check, finding) for one in changes):
            left[check.name] = finding
    return left


class _Change:
    """What has changed in a file.

    Arguments:
        lab: whose. file: its name. before, after: its content.
    """

    def __init__(self, lab: Lab, file: str, before: bytes, after: bytes) -> None:
        self.file = file
        self.part = {lab.locks: "locks", lab.c: "c", lab.tests: "tests"}.get(file, "data")
        self.changed: Collection[str] | None = None
        self.moved: Collection[str] | None = None
        if self.part == "locks":
            self.changed = _changed(_definitions(before), _definitions(after))
            self.moved = _changed(_definitions(before, lines=True), _definitions(after, lines=True))
        elif lab.answers and Path(file).stem == Path(lab.answers).stem:
            self.part = "answers"
            self.changed = self.moved = _changed(_answers(before), _answers(after))

    def touches(self, check: Check, finding: Finding) -> bool:
        """Whether a check can find something else, or has named lines that have moved."""
        words = _words(check.model_dump_json())
        if self.part == "data":
            return check.part == "data" or _words(self.file) <= words
        names = self.changed if finding.verdict == "pass" else self.moved
        if names is None:
            of_class = check.engines or bool(check.measured_classes)
            return check.part == self.part or (self.part == "locks" and of_class)
        return not words.isdisjoint(names)


def _changed(
    before: Mapping[str, str] | None, after: Mapping[str, str] | None
) -> Collection[str] | None:
    """The names whose meaning is another one; None if any may be."""
    if before is None or after is None or before.get(_OTHER) != after.get(_OTHER):
        return None
    return {n for n in before.keys() | after.keys() if before.get(n) != after.get(n)}


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
