"""Structs of the library with one method emptied: it gives a constant, and does nothing.

A kind's test clients must notice each. A method that no client needs could be wrong, and the struct
would be proven.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mutants.mutant import Mutant

from locksim.compiler.method import is_program
from locksim.compiler.sources import MethodSource, method_sources
from locksim.lang import Struct
from locksim.library.registry import Entry


def emptied(entry: Entry) -> Iterator[Mutant]:
    """A struct with each of its programs emptied, inherited ones included.

    A program that returns a number gives 0 and 1 instead, one that returns a pointer gives NULL.
    """
    code = entry.compiled()
    for name, method in method_sources(entry.struct).items():
        if not is_program(method.node):
            continue
        where = f"{method.owner.__name__}.{name}"
        target = code.types.get(code.methods[name].returns.removeprefix("ptr:"))
        if not any(isinstance(node, ast.Return) and node.value for node in ast.walk(method.node)):
            results = {"does nothing": ""}
        elif target is not None:
            results = {"gives NULL": f"return cast({target.__name__}, 0)"}
        else:
            results = {"gives 0": "return 0", "gives 1": "return 1"}
        for change, result in results.items():
            text = _text(entry.struct, method, result, target)
            yield Mutant(entry.name, where, "", change, text, "Emptied")


def _text(
    struct: type[Struct], method: MethodSource, result: str, target: type[Struct] | None
) -> str:
    """A class that is derived from the struct, and has another method."""
    named = {node.id for node in ast.walk(method.node.args) if isinstance(node, ast.Name)}
    classes = [method.lookup(name) for name in sorted(named)]
    used = [c for c in (struct, target, *classes) if isinstance(c, type) and issubclass(c, Struct)]
    return "\n".join(
        (
            "from locksim.lang import *",
            *(f"from {cls.__module__} import {cls.__name__}" for cls in used),
            "",
            f"class Emptied({struct.__name__}):",
            f"    def {method.node.name}({ast.unparse(method.node.args)}):",
            "        yield pause()",
            f"        {result}",
            "",
        )
    )
