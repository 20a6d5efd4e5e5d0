"""Checks about what is still the lab's starter: a student who has not begun believes nothing yet.

Only what a check is about counts: of one file with several classes, some can be done.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lockgrader.check import Check
from lockgrader.digests import texts
from lockgrader.lab import STARTER, Lab

if TYPE_CHECKING:
    from locksim.compiler.ir import ClassCode

__all__ = ["names_in", "untouched"]


def untouched(
    lab: Lab, checks: Iterable[Check], codes: Mapping[str, ClassCode], files: Mapping[str, bytes]
) -> frozenset[str]:
    """The names of the checks of which all that they judge is as in the starter.

    None where the starter is not there, as in an older workspace.

    Arguments:
        lab: the lab. checks: of it. codes: the submission's classes. files: its files.
    """
    folder = Path(lab.folder) / STARTER
    same = _same(_classes(folder, lab.locks), codes) if lab.locks and codes else set()
    found = []
    for check in checks:
        if check.part == "locks":
            names = names_in(check) & codes.keys() if codes else set()
            left = bool(names) and names <= same
        else:
            named = {"tests": {lab.tests}, "c": {lab.c}}
            data = names_in(check) & {*lab.data} if check.part == "data" else set()
            names = named.get(check.part, data)
            left = bool(names) and all(_alike(folder / n, files.get(n)) for n in names)
        if left:
            found.append(check.name)
    return frozenset(found)


def _same(begun: Mapping[str, ClassCode], codes: Mapping[str, ClassCode]) -> set[str]:
    """The classes that are as in the starter."""
    from lockgrader.compile.alike import other_classes

    common = {name: code for name, code in begun.items() if name in codes}
    return common.keys() - other_classes(common, codes)


def names_in(check: Check) -> set[str]:
    """All texts of a check: the names of its classes, files and answers are among them."""
    return {*texts(check.model_dump())}


def _classes(folder: Path, name: str) -> dict[str, ClassCode]:
    """The classes of a starter's file."""
    try:
        text = (folder / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    return _compiled(text, name)


@functools.cache
def _compiled(text: str, name: str) -> dict[str, ClassCode]:
    from locksim.compiler import compile_source
    from locksim.compiler.diagnostics import CompileError

    try:
        return compile_source(text, f"<{name}>")
    except CompileError:
        return {}


def _alike(path: Path, given: bytes | None) -> bool:
    """Whether a file is as in the starter, but for line ends and blanks around it."""
    try:
        ours = path.read_bytes()
    except OSError:
        return False
    return given is not None and ours.split() == given.split()
