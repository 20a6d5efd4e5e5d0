"""Which variables of a method have a value for certain."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_State = frozenset[str] | None
"""The variables that have a value for certain; None where control does not reach."""


@dataclass
class Assigned:
    """Definite assignment.

    Arguments:
        names: the method's variables, arguments included.
        unbound: called with a name that is read where it may have no value.
    """

    names: frozenset[str]
    unbound: Callable[[ast.Name], None]
    breaks: list[list[frozenset[str]]] = field(default_factory=list)

    def block(self, statements: Sequence[ast.stmt], state: _State) -> _State:
        """The state after statements."""
        for node in statements:
            if state is None:
                return None
            state = self.statement(node, state)
        return state

    def statement(self, node: ast.stmt, state: frozenset[str]) -> _State:
        """The state after one statement."""
        match node:
            case ast.If():
                self._read(node.test, state)
                return _meet(self.block(node.body, state), self.block(node.orelse, state))
            case ast.While():
                return self._while(node, state)
            case ast.For():
                self._read(node.iter, state)
                self.breaks.append([])
                self.block(node.body, state | _stored(node.target))
                self.breaks.pop()
                return state
            case ast.Break():
                self.breaks[-1].append(state)
                return None
            case ast.Continue():
                return None
            case ast.Return():
                self._read(node, state)
                return None
            case ast.AugAssign():
                self._read(node.value, state)
                if isinstance(node.target, ast.Name):
                    self._check(node.target, state)
                return state
        self._read(node, state)
        return state | _stored(node)

    def _while(self, node: ast.While, state: frozenset[str]) -> _State:
        self._read(node.test, state)
        self.breaks.append([])
        self.block(node.body, state)
        breaks = self.breaks.pop()
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        after: _State = None if endless else state
        for other in breaks:
            after = _meet(after, other)
        return after

    def _read(self, node: ast.AST, state: frozenset[str]) -> None:
        names = [
            n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        ]
        for name in sorted(names, key=lambda n: (n.lineno, n.col_offset)):
            self._check(name, state)

    def _check(self, node: ast.Name, state: frozenset[str]) -> None:
        if node.id in self.names and node.id not in state:
            self.unbound(node)


def _meet(a: _State, b: _State) -> _State:
    if a is None or b is None:
        return b if a is None else a
    return a & b


def _stored(node: ast.AST) -> frozenset[str]:
    return frozenset(
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
