"""A submission after the sandbox, as checks take it."""

from __future__ import annotations

from dataclasses import dataclass, field

from lockgrader.c import Compiled
from lockgrader.finding import Finding
from lockgrader.read.record import Locked
from lockgrader.read.scenarios import Scenario
from locksim.compiler.ir import ClassCode
from locksim.lang.struct import Struct

__all__ = ["Submitted", "without"]


@dataclass(frozen=True)
class Submitted:
    """A submission after the sandbox: validated data.

    Arguments:
        codes: class name → bytecode. broken: class name → why it does not compile.
        answers: name → numbers. texts: name → words. wrong: name → why it is neither.
        locked: answer → its prediction before the first measurement. At home the gate adds to it.
        files: further files as they came, by name. scenarios: the student's own tests.
        c: the objects of the C part, or None.
    """

    codes: dict[str, ClassCode] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    answers: dict[str, list[float]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    locked: dict[str, Locked] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()
    c: Compiled | None = None

    @property
    def table(self) -> dict[type[Struct], ClassCode]:
        """The bytecode in the form that engines and checker take."""
        return {code.struct: code for code in self.codes.values()}


def without(name: str, submitted: Submitted) -> Finding:
    """The finding of a check whose class is not there, or does not compile."""
    if name in submitted.broken:
        return Finding("student_error", 0.0, submitted.broken[name])
    there = ", ".join(submitted.codes) or "none"
    return Finding("fail", 0.0, f"there is no class {name} (there are: {there})", tag="missing")
