"""A class does what its specification does, in every interleaving: linearizability.

Then it is used in turns by operations that lead the specification back to its first state
(:mod:`locksim.checker.spec.turns`), and the histories begin there once more. There are many of
them, and several runs: each history begins after one of the runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, cast

from pydantic import Field

from lockgrader.finding import Finding
from lockgrader.lab import LabError
from lockgrader.lab.closed import Text
from lockgrader.measuring.proof_check import ProofCheck
from lockgrader.measuring.used import Wearing
from lockgrader.measuring.uses import LONG_OTHER, RUNS
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.measuring.uses import Run
    from lockgrader.submitted import Submitted
    from locksim.checker.client import Client
    from locksim.checker.verdict import Verdict
    from locksim.lang.struct import Workload

__all__ = ["Spec"]


class Spec(ProofCheck):
    """The checker compares every history of a class with an atomic specification.

    Arguments:
        lock: a class of the submission. spec: a specification of the library, such as
            ``ReferenceCount``, or ``text`` with a class of that name in the language.
        operations: which operations the threads call, as for ``locklab check --calls``.
        threads, memory, condition, states: as for ``locklab check --spec``.
        used, fresh: as for :class:`~lockgrader.measuring.proof_check.ProofCheck`.
    """

    kind: Literal["spec"]
    spec: Text
    text: str = ""
    operations: str = ""
    threads: Annotated[int, Field(ge=0, le=4)] = 0
    condition: str = "linearizability"

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Prove it, or show a shortest history that no order of the operations explains.

        Raises:
            LabError: there is no such condition, or the specification cannot be used in turns.
        """
        from lockgrader.measuring.proofs import budget
        from lockgrader.measuring.ran import operations
        from locksim.checker.check import check_clients
        from locksim.checker.errors import CheckError
        from locksim.checker.question import Question
        from locksim.checker.spec import CONDITIONS, clients, thread_count
        from locksim.checker.spec.turns import load
        from locksim.compiler import compile_source
        from locksim.library.registry import specification

        if self.condition not in CONDITIONS:
            raise LabError(f"{self.name}: condition must be one of {', '.join(CONDITIONS)}")
        struct, file = submitted.struct(self.lock), submitted.codes[self.lock].file
        atomic = (
            compile_source(self.text, f"<{self.name}>")[self.spec].struct
            if self.text
            else specification(self.spec)
        )
        todo = clients(struct, atomic, self.threads, self.operations, self.condition)
        threads = thread_count(self.threads, self.operations)
        verdict = check_clients(
            todo,
            Question(
                name=self.lock, threads=threads, memory=self.memory, budget=budget(self.states)
            ),
        )
        finding = replace(self._judged(verdict), reached=operations(verdict.ran, file))
        if finding.verdict != "pass" or self.used is None:
            return finding
        try:
            turns = load(struct, atomic, self.used.seed)
        except CheckError as error:
            raise LabError(f'{self.name}: {error}\nhelp: write fresh = "the reason"') from error
        wearing = _SpecWearing(
            name=self.lock,
            file=file,
            threads=threads,
            memory=self.memory,
            workload=turns,
            histories=todo,
            runs=RUNS + self.used.moments,
        )
        return self.proven_after_use(finding, wearing)

    def _judged(self, verdict: Verdict) -> Finding:
        """The finding of a verdict on a class with fresh memory."""
        from lockgrader.measuring.proofs import limits_of, unfinished, violated

        asked = f"{self.condition}, {self.spec}, {self.memory.upper()}"
        if verdict.is_proof():
            shown = f"{verdict.states:,} states{limits_of(verdict)}"
            return Finding("pass", 1.0, f"{verdict.verdict} ({asked}): {shown}")
        if verdict.verdict == "unfinished":
            return unfinished(verdict)
        example = verdict.counterexample
        shown = f"{verdict.found} ({self.spec}, {self.memory.upper()})"
        if example is None:
            return Finding("fail", 0.0, shown, tag=verdict.found)
        shown = violated(shown, example)
        return Finding("fail", 0.0, shown, tag=verdict.found, counterexample=example.to_json())


@dataclass(frozen=True, kw_only=True)
class _SpecWearing(Wearing):
    """Operations in turns, and the histories after them.

    Arguments:
        workload: the load. histories: the clients. runs: how many there are; each history comes
            after one of them.
        name, file, threads, memory: as for :class:`~lockgrader.measuring.used.Wearing`.
    """

    name: str
    file: str
    threads: int
    memory: str
    workload: Workload
    histories: Sequence[Client]
    runs: int
    part: str = "object"
    long: int = LONG_OTHER

    def load(self, run: Run) -> Workload:
        """As long as the run."""
        from locksim.kinds.kind import resized

        return cast("Workload", resized(self.workload, rounds=run.rounds))

    def clients(self, run: Run) -> Sequence[Client]:
        """Those of the run."""
        return self.histories[run.index :: self.runs]
