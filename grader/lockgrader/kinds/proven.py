"""Proven: the checker has explored every interleaving of a few threads.

It begins with fresh memory; where the lab says so, once more with memory that many CPUs have used
(:mod:`lockgrader.measuring.used`). The finding holds the operations of the submission that the
proof reached, for the measurements that follow (:mod:`lockgrader.measuring.ran`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from lockgrader.finding import Finding
from lockgrader.measuring.class_check import ClassCheck
from lockgrader.measuring.used import Used, after_use
from lockgrader.measuring.waits import Waits, wrong_wait
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted
    from locksim.checker.verdict import Verdict

__all__ = ["Proven"]


class Proven(ClassCheck):
    """The checker explores every interleaving of a few threads.

    Arguments:
        lock: a class of the submission: a lock or a decision cache.
        threads, rounds, memory, property: as for :func:`locksim.checker.check_lock`.
        client: prefix of the names of the standard clients to use; "" for all.
        states: at most, for one client.
        bypass: with the property "bypass": acquisitions by others while a thread waits, at most.
        used: from which memory the same is proven once more; None: from fresh memory only.
        waits: how the lock must wait; None: in any way.
    """

    reaches: ClassVar[bool] = True
    kind: Literal["proven"]
    client: str = ""
    threads: Annotated[int, Field(ge=1, le=8)] = 2
    rounds: Annotated[int, Field(ge=1, le=10)] = 1
    memory: Literal["sc", "tso", "c11"] = "sc"
    property: str = "all"
    states: Annotated[int, Field(ge=100, le=20_000_000)] = 1_000_000
    bypass: Annotated[int, Field(ge=0, le=100)] | None = None
    used: Used | None = None
    waits: Waits | None = None

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Prove the lock, or show a shortest counterexample."""
        from lockgrader.measuring.proofs import budget
        from lockgrader.measuring.ran import operations
        from locksim.checker import check_lock

        lock = submitted.lock(self.lock)
        limits = budget(self.states)
        verdict = check_lock(
            lock,
            threads=self.threads,
            rounds=self.rounds,
            memory=self.memory,
            property=self.property,
            budget=limits,
            name=self.lock,
            client=self.client,
        )
        finding = self._judged(verdict)
        code = submitted.codes[self.lock]
        reached = operations(verdict.ran, code.file)
        if finding.verdict == "pass" and self.used is not None:
            wrong, reached = after_use(
                self.used,
                code,
                limits,
                reached,
                name=self.lock,
                client=self.client,
                memory=self.memory,
            )
            finding = wrong or finding
        if finding.verdict == "pass" and self.waits is not None:
            says, tag = wrong_wait(self.lock, lock(), self.waits)
            finding = Finding("fail", 0.0, says, tag=tag) if says else finding
        return replace(finding, reached=reached)

    def replay(self, file: str, memory: str) -> list[str]:
        """The same proof, as a page to play with."""
        command = ["locklab", "check", f"{file}:{self.lock}", "--threads", str(self.threads)]
        command += ["--rounds", str(self.rounds)] if self.rounds != 1 else []
        command += ["--client", self.client] if self.client else []
        return [*command, "--memory", memory, "--play", f"{self.lock.lower()}.html"]

    def _judged(self, verdict: Verdict) -> Finding:
        """The finding of a verdict on a lock with fresh memory."""
        from lockgrader.measuring.proofs import unfinished, violated

        rounds = "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
        asked = f"{self.threads} threads, {rounds}, {self.memory.upper()}"
        if verdict.verdict == "proven":
            most = verdict.bypass
            if self.bypass is not None and most is not None and most > self.bypass:
                says = f"while a thread waits, others can acquire the lock {most} times"
                return Finding("fail", 0.0, f"{says}; at most {self.bypass} is right", tag="bypass")
            states = f"{verdict.states:,} states, every interleaving"
            return Finding("pass", 1.0, f"proven for {asked}: {states}")
        if verdict.verdict == "unfinished":
            return unfinished(verdict, asked)
        example = verdict.counterexample
        if example is None:
            return Finding("fail", 0.0, f"{verdict.found} ({asked})", tag=verdict.found)
        if example.memory != self.memory:
            other = "" if example.found == verdict.found else f"{example.found} "
            asked += f"; {other}already with {example.memory.upper()}, shown here"
        shown = violated(f"{verdict.found} ({asked})", example)
        # The belief is about what is shown: with a stronger memory another property may fail.
        return Finding("fail", 0.0, shown, tag=example.found, counterexample=example.to_json())
