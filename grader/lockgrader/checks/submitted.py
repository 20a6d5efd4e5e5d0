"""A submission after the sandbox, as checks take it."""

from __future__ import annotations

from dataclasses import dataclass, field

from lockgrader.c import Compiled
from lockgrader.read.scenarios import Scenario
from locksim.compiler.ir import ClassCode
from locksim.lang.struct import Struct

__all__ = ["Submitted"]


@dataclass(frozen=True)
class Submitted:
    """A submission after the sandbox: validated data.

    Arguments:
        codes: class name → bytecode. answers: name → numbers. texts: name → words.
        scenarios: the student's own tests.
        c: the objects of the C part, or None.
    """

    codes: dict[str, ClassCode] = field(default_factory=dict)
    answers: dict[str, list[float]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()
    c: Compiled | None = None

    @property
    def table(self) -> dict[type[Struct], ClassCode]:
        """The bytecode in the form that engines and checker take."""
        return {code.struct: code for code in self.codes.values()}
