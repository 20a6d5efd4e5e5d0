"""A submission after the sandbox, as checks take it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from lockgrader.c import Compiled
from lockgrader.finding import Finding, Operation
from lockgrader.lab import Answer, Check, Measure, OtherCheck, Prediction, Proven, Simulated
from lockgrader.read.record import Locked
from lockgrader.read.scenarios import Scenario
from locksim.compiler.ir import ClassCode
from locksim.lang.struct import Struct

__all__ = ["Submitted", "opens", "proofs", "with_needs", "without"]

ENOUGH = 0.5
"""Share of the points of a check that opens those that need it."""


@dataclass(frozen=True)
class Submitted:
    """A submission after the sandbox: validated data.

    Arguments:
        codes: class name → bytecode. broken: class name → why it does not compile.
        refused: class name → the operation that the lab refuses, and where it is used.
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

    @property
    def table(self) -> dict[type[Struct], ClassCode]:
        """The bytecode in the form that engines and checker take."""
        return {code.struct: code for code in self.codes.values()}

    def after(self, check: Check, finding: Finding) -> Submitted:
        """The same after a check: a proof has reached operations, which measurements may run."""
        if not isinstance(check, Proven):
            return self
        reached = self.proven.get(check.lock, frozenset()) | finding.reached
        return replace(self, proven={**self.proven, check.lock: reached})


def proofs(checks: Iterable[Check]) -> dict[str, frozenset[Operation]]:
    """The classes that some checks prove, before the first proof: nothing is reached yet."""
    return {check.lock: frozenset() for check in checks if isinstance(check, Proven)}


def opens(check: Check, finding: Finding) -> bool:
    """Whether the checks that need this one may run.

    Half of the points are enough, and a prediction only has to be made: one that misses its result
    must not end the lab.
    """
    if isinstance(check, Prediction):
        return finding.verdict in ("pass", "partial", "fail")
    return finding.verdict == "pass" or finding.share >= ENOUGH


def with_needs(names: Collection[str], checks: Sequence[Check]) -> set[str]:
    """Checks, and all that must run before them: what they need, and proofs before a measurement.

    Arguments:
        names: of some of the checks. checks: of the lab, in their order.
    """
    found = set(names)
    for number, check in reversed([*enumerate(checks)]):  # it comes after those that it needs
        if check.name in found:
            found |= {*check.needs} | _proofs_before(check, checks[:number])
    return found


def _proofs_before(check: Check, before: Sequence[Check]) -> set[str]:
    """The proofs of what a check measures: it compares itself with what they have reached."""
    if isinstance(check, Answer | Prediction):
        value = check.expected
        lock = value.lock if isinstance(value, Measure) and value.own else ""
    else:
        lock = getattr(check, "lock", "") if isinstance(check, Simulated | OtherCheck) else ""
    return {c.name for c in before if isinstance(c, Proven) and c.lock == lock}


def without(name: str, submitted: Submitted) -> Finding:
    """The finding of a check whose class is not there, does not compile, or is refused."""
    if name in submitted.refused:
        return Finding("forbidden_operation", 0.0, submitted.refused[name])
    if name in submitted.broken:
        return Finding("student_error", 0.0, submitted.broken[name])
    there = ", ".join(submitted.codes) or "none"
    return Finding("fail", 0.0, f"there is no class {name} (there are: {there})", tag="missing")
