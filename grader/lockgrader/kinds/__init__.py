"""The kinds of checks, one file each; the folder is the list.

A kind is a subclass of :class:`~lockgrader.check.Check`: the fields that a lab writes, ``decide``,
which decides what a submission earns, and what else the grader has to know of it.
``docs/LABS.md`` shows each by an example.
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


@functools.cache
def all_kinds() -> tuple[type[Check], ...]:
    """Each file's kind, in the order of the files' names."""
    names = [f"{__name__}.{file.name}" for file in pkgutil.iter_modules(__path__)]
    modules = map(importlib.import_module, names)
    return tuple(
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Check)
        and value.__module__ == module.__name__
    )


@functools.cache
def adapter() -> TypeAdapter[Check]:
    """A reader of checks: ``kind`` says which it is."""
    union: Any = functools.reduce(operator.or_, all_kinds())
    return TypeAdapter(Annotated[union, Field(discriminator="kind")])
