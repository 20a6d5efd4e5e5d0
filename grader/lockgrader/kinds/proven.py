"""Proven: the checker has explored every interleaving of a few threads.

It begins with fresh memory, and once more with memory that many CPUs have used
(:mod:`lockgrader.measuring.used`). Before a larger proof comes a short one: two threads and two
rounds show most mistakes, at less cost and in fewer steps. The finding holds the operations of the
submission that the proof reached, for the measurements that follow
(:mod:`lockgrader.measuring.ran`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from lockgrader.finding import Finding
from lockgrader.measuring.proof_check import ProofCheck
from lockgrader.measuring.used import Wearing
from lockgrader.measuring.uses import LONG, LONG_OTHER
from lockgrader.measuring.waits import Waits, wrong_wait
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.measuring.uses import Run
    from lockgrader.submitted import Submitted
    from locksim.checker.client import Client
    from locksim.checker.verdict import Verdict
    from locksim.kinds import StructKind
    from locksim.lang.struct import Struct, Workload
    from locksim.study.use import Use

__all__ = ["Proven"]

SHORT_THREADS, SHORT_ROUNDS = 2, 2
"""Of the proof that comes first."""


class Proven(ProofCheck):
    """The checker explores every interleaving of a few threads.

    Arguments:
        lock: a class of the submission: a lock or a decision cache.
        threads, rounds, memory, property: as for :func:`locksim.checker.check_lock`.
        client: prefix of the names of the standard clients to use; "" for all.
        states: at most, for one client.
        bypass: with the property "bypass": acquisitions by others while a thread waits, at most.
        used, fresh: as for :class:`~lockgrader.measuring.proof_check.ProofCheck`.
        waits: how the lock must wait; None: in any way.
    """

    reaches: ClassVar[bool] = True
    kind: Literal["proven"]
    client: str = ""
    threads: Annotated[int, Field(ge=1, le=8)] = 2
    rounds: Annotated[int, Field(ge=1, le=10)] = 1
    property: str = "all"
    bypass: Annotated[int, Field(ge=0, le=100)] | None = None
    waits: Waits | None = None

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Prove the lock, or show a shortest counterexample."""
        from lockgrader.measuring.ran import operations
        from locksim.kinds import kind_of
        from locksim.lang.struct import Lock

        lock = submitted.lock(self.lock)
        code, kind = submitted.codes[self.lock], kind_of(lock)
        finding = Finding("grader_error")
        for threads, rounds in self._stages():
            verdict = self._verdict(lock, threads, rounds)
            finding = self._judged(verdict, threads, rounds)
            finding = replace(finding, reached=operations(verdict.ran, code.file))
            if finding.verdict != "pass":
                return finding
        if kind is not None:
            wearing = _KindWearing(
                kind=kind,
                struct=lock,
                client=self.client,
                name=self.lock,
                file=code.file,
                part=kind.part,
                memory=self.memory,
                property="starvation" if self.property == "starvation" else "all",
                long=LONG if issubclass(lock, Lock) else LONG_OTHER,
            )
            finding = self.proven_after_use(finding, wearing)
        if finding.verdict == "pass" and self.waits is not None:
            says, tag = wrong_wait(self.lock, lock(), self.waits)
            wrong = Finding("fail", 0.0, says, tag=tag, reached=finding.reached)
            finding = wrong if says else finding
        return finding

    def replay(self, file: str, memory: str, threads: int) -> list[str]:
        """The same proof, as a page to play with."""
        rounds = dict(self._stages()).get(threads, self.rounds)
        command = ["locklab", "play", "schedule", f"{file}:{self.lock}", "--threads", str(threads)]
        command += ["--rounds", str(rounds)] if rounds != 1 else []
        command += ["--only", self.client] if self.client else []
        return [*command, "--memory", memory, "--out", f"{self.lock.lower()}.html"]

    def _stages(self) -> list[tuple[int, int]]:
        """Threads and rounds of the proofs: a short one before a larger one.

        More threads cost more than rounds. So two threads come twice before three come once: they
        meet what their first use has left.
        """
        asked = self.threads, self.rounds
        short = SHORT_THREADS, SHORT_ROUNDS
        if self.threads <= SHORT_THREADS:
            short = self.threads, min(self.rounds, SHORT_ROUNDS)
        return [asked] if short == asked else [short, asked]

    def _verdict(self, lock: type[Struct], threads: int, rounds: int) -> Verdict:
        from lockgrader.measuring.proofs import budget
        from locksim.checker import check_lock

        return check_lock(
            lock,
            threads=threads,
            rounds=rounds,
            memory=self.memory,
            property=self.property,
            budget=budget(self.states),
            name=self.lock,
            client=self.client,
        )

    def _judged(self, verdict: Verdict, threads: int, rounds: int) -> Finding:
        """The finding of a verdict on a lock with fresh memory."""
        from lockgrader.measuring.proofs import limits_of, unfinished, violated

        several = "1 round" if rounds == 1 else f"{rounds} rounds"
        asked = f"{threads} threads, {several}, {self.memory.upper()}"
        if verdict.is_proof():
            most = verdict.bypass
            if self.bypass is not None and most is not None and most > self.bypass:
                says = f"while a thread waits, others can acquire the lock {most} times"
                return Finding("fail", 0.0, f"{says}; at most {self.bypass} is right", tag="bypass")
            states = f"{verdict.states:,} states, every interleaving"
            return Finding(
                "pass", 1.0, f"{verdict.verdict} for {asked}: {states}{limits_of(verdict)}"
            )
        if verdict.verdict == "unfinished":
            return unfinished(verdict, asked)
        example = verdict.counterexample
        if example is None:
            return Finding("fail", 0.0, f"{verdict.found} ({asked})", tag=verdict.found)
        if example.memory != self.memory:
            other = "" if example.found == verdict.found else f"{example.found} "
            asked += f"; {other}already with {example.memory.upper()}, shown here"
        shown = violated(f"{verdict.found} ({asked})", example)
        if example.steps and example.steps[-1].operation == "start":
            thread = example.steps[-1].thread
            shown += f"\nthread {thread} comes in without any operation on shared memory"
        # The belief is about what is shown: with a stronger memory another property may fail.
        return Finding("fail", 0.0, shown, tag=example.found, counterexample=example.to_json())


@dataclass(kw_only=True)
class _KindWearing(Wearing):
    """A struct with the load and the clients of its kind.

    Arguments:
        kind: the struct's. struct: its class. client: prefix of the clients' names.
        name, file, part, memory, long, property, threads, by_cpu: as for
            :class:`~lockgrader.measuring.used.Wearing`.
    """

    kind: StructKind
    struct: type[Struct]
    client: str
    name: str
    file: str
    part: str
    memory: str
    long: int
    property: str
    threads: int = 2
    by_cpu: bool = True

    def load(self, run: Run) -> Workload | None:
        """That of the kind."""
        return self.kind.wearing(self.struct, run.rounds, run.on, run.number)

    def miscounted(self, left: Use) -> str:
        """Critical sections that have lost what another one counted."""
        sections = left.words.get("visits", left.acquired)
        counted = left.words.get("count", sections)
        lost = f"{sections:,} critical sections counted a word up to {counted:,}"
        return "" if counted == sections else lost

    def clients(self, run: Run) -> Sequence[Client]:
        """Those of the kind, equal for all runs."""
        return self._clients

    @functools.cached_property
    def _clients(self) -> list[Client]:
        from locksim.checker.client import chosen

        if self.property == "starvation":
            return self.kind.endless_clients(self.struct)
        return chosen(self.kind.worn_clients(self.struct, self.threads), self.client)
