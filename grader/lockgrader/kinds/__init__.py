"""The kinds of checks, one file each; the folder is the list.

A kind is a subclass of :class:`~lockgrader.check.Check`: the fields that a lab writes, ``decide``,
which decides what a submission earns, and what else the grader has to know of it.
``docs/teach/labs.md`` shows each by an example.
"""

from __future__ import annotations

import functools
import importlib
import operator
import pkgutil
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from lockgrader.check import Check

__all__ = ["adapter", "all_kinds"]


_FILES = {"tests": "own_tests"}
"""The file of a kind where it has another name: files named ``tests`` are tests."""


def all_kinds() -> tuple[type[Check], ...]:
    """Each file's kind, in the order of the files' names."""
    return tuple(kind for file in _files() for kind in _in_file(file))


@functools.cache
def adapter(names: frozenset[str] = frozenset()) -> TypeAdapter[Check]:
    """A reader of checks: ``kind`` says which it is.

    Arguments:
        names: of the kinds that it reads, so that no others are loaded; by default, and where one
            is unknown, all.
    """
    files = [_FILES.get(name, name) for name in sorted(names)]
    known = bool(names) and set(files) <= set(_files())
    kinds = [kind for file in (files if known else _files()) for kind in _in_file(file)]
    if len(kinds) == 1:
        return TypeAdapter(kinds[0])
    union: Any = functools.reduce(operator.or_, kinds)
    return TypeAdapter(Annotated[union, Field(discriminator="kind")])


def _files() -> list[str]:
    return [file.name for file in pkgutil.iter_modules(__path__)]


def _in_file(name: str) -> list[type[Check]]:
    """The kinds of a file."""
    module = importlib.import_module(f"{__name__}.{name}")
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Check)
        and value.__module__ == module.__name__
    ]
