"""The student's own tests: how many of the lab's mutants they find, without a false alarm."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field

from lockgrader.check import Check, Part
from lockgrader.finding import Finding, Settled, found, row
from lockgrader.lab import Band, Lab, LabError, MutantSource
from lockgrader.lab.closed import Text
from lockgrader.lab.document import MUTANTS
from lockgrader.read.artefact import MalformedError
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.read.scenarios import Scenario
    from lockgrader.submitted import Submitted
    from locksim.checker.verdict import Verdict
    from locksim.lang.struct import Struct

__all__ = ["OwnTests"]


class OwnTests(Check):
    """The student's own tests, scenarios for the checker (:mod:`lockgrader.read.scenarios`).

    Arguments:
        lock: the class under test. states: at most, for one scenario on one lock.
        mutants: True runs them on the solution, which none may accuse, and on the lab's mutants;
            the share found counts. False runs them on the submission's own class.
        solution, sources: filled in by the lab: the solution's text, and the mutants.
    """

    part: ClassVar[Part] = "tests"
    kind: Literal["tests"]
    lock: Text
    states: Annotated[int, Field(ge=100, le=1_000_000)] = 30_000
    mutants: bool = False
    solution: str = Field(default="", exclude=True, repr=False)
    sources: tuple[MutantSource, ...] = Field(default=(), exclude=True, repr=False)

    @property
    def engines(self) -> bool:
        """It explores each scenario."""
        return True

    def completed(self, lab: Lab, where: str) -> Self:
        """With the solution and the mutants.

        Raises:
            LabError: the lab has none.
        """
        if not self.mutants:
            return self
        if not lab.sources:
            raise LabError(f"{where}: there is no {MUTANTS} with mutants to find")
        return self.model_copy(update={"solution": lab.solution, "sources": lab.sources})

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Try the scenarios on the solution, which none may accuse, then on each mutant.

        A check without mutants tries them on the submission's own class.
        """
        if not submitted.scenarios:
            return Finding("no_output", message="tests.json contains no scenario", tag="missing")
        try:
            return self._against_mutants(submitted) if self.mutants else self._own(submitted)
        except MalformedError as error:
            return Finding("malformed_output", message=str(error))

    def _against_mutants(self, submitted: Submitted) -> Finding:
        sound = self._sound(submitted.scenarios, self._made(self.solution))
        survivors = []
        for mutant in self.sources:
            subject = self._made(mutant.text)
            if not any(_accuses(s, subject, self.states) for s in sound):
                survivors.append(mutant.name)
        of = len(self.sources)
        summary = f"{of - len(survivors)} of {of} mutants found"
        if survivors:
            summary = f"{summary}; not found: {', '.join(survivors)}"
        if len(sound) < len(submitted.scenarios):
            left = [s.name for s in submitted.scenarios if s not in sound]
            summary = f"{summary}; left out because too large to explore: {', '.join(left)}"
        return found([row("mutants that the tests find", of - len(survivors), _all(of))], summary)

    def _own(self, submitted: Submitted) -> Finding:
        subject = submitted.struct(self.lock)()
        sound = self._sound(submitted.scenarios, subject)
        line = row("scenarios that end", len(sound), _all(len(submitted.scenarios)))
        return found([line], f"{len(sound)} scenarios; none accuses your own {self.lock}")

    def _sound(self, scenarios: tuple[Scenario, ...], subject: Struct) -> list[Scenario]:
        """The scenarios that the right lock passes.

        Raises:
            Settled: one accuses it.
        """
        from lockgrader.read.scenarios import explore

        sound = []
        for scenario in scenarios:
            verdict = explore(scenario, subject, self.states)
            if verdict.verdict == "violated":
                raise Settled(_false_alarm(scenario, subject, verdict, own=not self.mutants))
            if verdict.is_proof():
                sound.append(scenario)
        return sound

    def _made(self, text: str) -> Struct:
        """The solution or a mutant, from a text of the lab's own."""
        from locksim.compiler import compile_source

        return compile_source(text, "<mutant>")[self.lock].struct()


def _false_alarm(scenario: Scenario, subject: Struct, verdict: Verdict, *, own: bool) -> Finding:
    from lockgrader.measuring.proofs import violated
    from lockgrader.read.scenarios import in_steps

    example = verdict.counterexample
    assert example is not None
    whom = "your own class" if own else "a right solution"
    accuses = f"'{scenario.name}' accuses {whom} ({verdict.found})"
    says = in_steps(scenario, subject, example.message)
    # The steps of the solution stay secret; only steps of the student's own class are shown.
    message = violated(accuses, replace(example, message=says)) if own else f"{accuses}: {says}"
    return Finding(
        "fail",
        message=message,
        tag="false-alarm",
        counterexample=example.to_json() if own else None,
    )


def _accuses(scenario: Scenario, subject: Struct, states: int) -> bool:
    from lockgrader.read.scenarios import explore

    return explore(scenario, subject, states).verdict == "violated"


def _all(number: int) -> Band:
    return Band(low=number, fade=1.0)
