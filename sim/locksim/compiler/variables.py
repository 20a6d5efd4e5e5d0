"""The variables of a method: the register that holds each one, and its type."""

from __future__ import annotations

import ast

from locksim.compiler.diagnostics import Source
from locksim.compiler.values import INT, Type, describe, join


class Variables:
    """Owns the names, registers and types of a method's arguments and local variables.

    Types are collected while the method is compiled: an assignment joins a new type to the old one.

    Arguments:
        node: the method. source: its file. arguments: name and type of each after self.
    """

    def __init__(self, node: ast.FunctionDef, source: Source, arguments: dict[str, Type]) -> None:
        self.source, self.arguments = source, arguments
        self.types: dict[str, Type | None] = {
            **arguments,
            **dict.fromkeys(_locals(node, arguments)),
        }
        self.names = ["self", *self.types]
        self.registers = {name: f"r{i}" for i, name in enumerate(self.names)}

    def __contains__(self, name: str) -> bool:
        return name in self.types

    def type_of(self, name: str) -> Type:
        """A variable's type; a number as long as nothing is known."""
        return self.types[name] or INT

    def unify(self, name: str, new: Type, node: ast.AST) -> None:
        """Note that a variable is given a value of a type.

        Raises:
            CompileError: it was given a value of another type elsewhere.
        """
        old = self.types[name]
        joined = new if old is None else join(old, new)
        if joined is None:
            self.source.fail("two-types", node, name=name, new=describe(new), old=describe(old))
        self.types[name] = joined

    def read_in(self, node: ast.AST) -> set[str | None]:
        """The registers of all names in a piece of the method."""
        return {self.registers.get(n.id) for n in ast.walk(node) if isinstance(n, ast.Name)}


def _locals(node: ast.FunctionDef, arguments: dict[str, Type]) -> list[str]:
    """The variables of a method in the order in which they are first assigned."""
    stored = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    stored.sort(key=lambda n: (n.lineno, n.col_offset))
    return [n for n in dict.fromkeys(s.id for s in stored) if n not in arguments and n != "self"]
