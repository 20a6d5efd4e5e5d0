"""A class does what its specification does, in every interleaving: linearizability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from lockgrader.finding import Finding
from lockgrader.lab import LabError
from lockgrader.lab.closed import Text
from lockgrader.measuring.class_check import ClassCheck
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Spec"]


class Spec(ClassCheck):
    """The checker compares every history of a class with an atomic specification.

    Arguments:
        lock: a class of the submission. spec: a specification of the library, such as
            ``ReferenceCount``, or ``text`` with a class of that name in the language.
        operations: which operations the threads call, as for ``locklab check --operations``.
        threads, memory, condition, states: as for ``locklab check --spec``.
    """

    kind: Literal["spec"]
    spec: Text
    text: str = ""
    operations: str = ""
    threads: Annotated[int, Field(ge=0, le=4)] = 0
    memory: Literal["sc", "tso", "c11"] = "sc"
    condition: str = "linearizability"
    states: Annotated[int, Field(ge=100, le=20_000_000)] = 1_000_000

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Prove it, or show a shortest history that no order of the operations explains.

        Raises:
            LabError: there is no such condition.
        """
        from lockgrader.measuring.proofs import budget, unfinished, violated
        from locksim.checker.spec import CONDITIONS, check_spec
        from locksim.compiler import compile_source
        from locksim.library.registry import specification

        if self.condition not in CONDITIONS:
            raise LabError(f"{self.name}: condition must be one of {', '.join(CONDITIONS)}")
        struct = submitted.struct(self.lock)
        atomic = (
            compile_source(self.text, f"<{self.name}>")[self.spec].struct
            if self.text
            else specification(self.spec)
        )
        verdict = check_spec(
            struct,
            atomic,
            threads=self.threads,
            operations=self.operations,
            condition=self.condition,
            memory=self.memory,
            budget=budget(self.states),
            name=self.lock,
            spec=self.spec,
        )
        asked = f"{self.condition}, {self.spec}, {self.memory.upper()}"
        if verdict.verdict == "proven":
            return Finding("pass", 1.0, f"proven ({asked}): {verdict.states:,} states")
        if verdict.verdict == "unfinished":
            return unfinished(verdict)
        example = verdict.counterexample
        shown = f"{verdict.found} ({self.spec}, {self.memory.upper()})"
        if example is None:
            return Finding("fail", 0.0, shown, tag=verdict.found)
        shown = violated(shown, example)
        return Finding("fail", 0.0, shown, tag=verdict.found, counterexample=example.to_json())
