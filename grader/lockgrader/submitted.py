"""A submission after the sandbox, as checks take it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lockgrader.finding import Finding, Operation, Settled

if TYPE_CHECKING:
    from lockgrader.c import Compiled
    from lockgrader.check import Check
    from lockgrader.read.record import Locked
    from lockgrader.read.scenarios import Scenario
    from locksim.compiler.ir import ClassCode
    from locksim.lang.struct import Struct


@dataclass(frozen=True)
class Submitted:
    """A submission after the sandbox: validated data.

    Arguments:
        codes: class name → bytecode. broken: class name → why it does not compile.
        refused: class name → why the lab refuses it: an operation and its place, or a given method
            that is another one.
        proven: class name → the operations that proofs have reached so far; only for classes that
            the lab proves.
        answers: name → numbers. texts: name → words. wrong: name → why it is neither.
        locked: answer → its prediction before the first measurement. At home the gate adds to it.
        files: further files as they came, by name. scenarios: the student's own tests.
        c: the objects of the C part, or None.
    """

    codes: dict[str, ClassCode] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    proven: dict[str, frozenset[Operation]] = field(default_factory=dict)
    answers: dict[str, list[float]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    locked: dict[str, Locked] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()
    c: Compiled | None = None

    def struct(self, name: str) -> type[Struct]:
        """A class of the submission.

        Raises:
            Settled: it is not there, does not compile, or is refused.
        """
        if name in self.codes:
            return self.codes[name].struct
        if name in self.refused:
            raise Settled(Finding("forbidden_operation", message=self.refused[name]))
        if name in self.broken:
            raise Settled(Finding("student_error", message=self.broken[name]))
        there = ", ".join(self.codes) or "none"
        says = f"there is no class {name} (there are: {there})"
        raise Settled(Finding("fail", message=says, tag="missing"))

    def lock(self, name: str) -> type[Struct]:
        """A class of the submission of a kind that has clients, such as a lock or a cache.

        Raises:
            Settled: it is missing, as for :meth:`struct`, or has another base.
        """
        from locksim.kinds.checking import bases_with, checked_bases

        cls = self.struct(name)
        if not issubclass(cls, checked_bases()):
            says = f"{name} must be a {bases_with('clients')}: keep the base class of the starter"
            raise Settled(Finding("fail", message=f"{says} file", tag="kind"))
        return cls

    def numbers(self, name: str) -> list[float]:
        """An answer in numbers.

        Raises:
            Settled: it is not there, or not of the required form.
        """
        if name not in self.answers:
            raise Settled(self._missing(name))
        return self.answers[name]

    def number(self, name: str) -> float:
        """An answer of one number.

        Raises:
            Settled: it is missing, as for :meth:`numbers`, or is not one.
        """
        given = self.numbers(name)
        if len(given) != 1:
            says = f"'{name}' must be one number, not {len(given)}"
            raise Settled(Finding("malformed_output", message=says))
        return given[0]

    def text(self, name: str) -> str:
        """An answer in words.

        Raises:
            Settled: it is not there, or not of the required form.
        """
        if name not in self.texts:
            raise Settled(self._missing(name))
        return self.texts[name]

    def _missing(self, name: str) -> Finding:
        if name in self.wrong:
            return Finding("malformed_output", message=self.wrong[name])
        return Finding("no_output", message=f"there is no answer '{name}'", tag="missing")

    @property
    def table(self) -> dict[type[Struct], ClassCode]:
        """The bytecode in the form that engines and checker take."""
        return {code.struct: code for code in self.codes.values()}

    def after(self, check: Check, finding: Finding) -> Submitted:
        """The same after a check: a proof has reached operations, which measurements may run."""
        name = check.proven_class
        if not name:
            return self
        reached = self.proven.get(name, frozenset()) | finding.reached
        return replace(self, proven={**self.proven, name: reached})


def proofs(checks: Iterable[Check]) -> dict[str, frozenset[Operation]]:
    """The classes that some checks prove, before the first proof: nothing is reached yet."""
    return {check.proven_class: frozenset() for check in checks if check.proven_class}
