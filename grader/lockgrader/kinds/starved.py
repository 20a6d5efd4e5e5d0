"""Which side of a reader-writer lock can wait for ever: the checker answers for each of them.

Two threads use the lock for ever: one only reads, one only writes. A side is starved if there is an
endless run in which the other side gets in again and again and this one never does, although both
go on. Correctness is another check's: a lock that violates mutual exclusion starves no thread.

The same is asked once more after each use by many CPUs (:mod:`lockgrader.measuring.uses`): a lock
can be fair on CPUs 0 and 1 only, or for the first uses. The two CPUs then change places, since the
answer is about thread 0. A side that is served there, and need not be, costs nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from lockgrader.finding import Finding
from lockgrader.measuring.class_check import ClassCheck
from lockgrader.measuring.uses import LONG_OTHER, Used, covered, runs
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted
    from locksim.checker.models.prior_use import Used as UsedMemory
    from locksim.checker.replay.counterexample import Counterexample
    from locksim.lang.struct import RWLock

__all__ = ["Starved"]

Side = Literal["readers", "writers"]
_FIRST: tuple[Side, ...] = ("writers", "readers")
"""What thread 0 does in each of the two endless clients; the search names thread 0 if it can."""
THREADS = 2


class Starved(ClassCheck):
    """The sides of a reader-writer lock that can wait for ever.

    Arguments:
        lock: a class of the submission. sides: those that must be starved; the other must not.
        memory, states: as for ``locklab check --property starvation``.
        used: from which memory the same is asked once more.
    """

    kind: Literal["starved"]
    sides: tuple[Side, ...]
    memory: Literal["sc", "tso"] = "sc"
    states: Annotated[int, Field(ge=100, le=20_000_000)] = 1_000_000
    used: Used | None = None

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Ask for each side, and compare; from fresh memory and after each use."""
        from locksim.kinds import kind_of
        from locksim.lang.struct import RWLock

        lock = submitted.struct(self.lock)
        kind = kind_of(lock)
        if kind is None or not issubclass(lock, RWLock):
            return Finding("fail", 0.0, f"{self.lock} must be an RWLock", tag="kind")
        fresh = self._asked(lock)
        todo = runs(self.used, THREADS, LONG_OTHER) if self.used is not None else []
        if fresh.verdict != "pass" or not todo:
            return fresh
        for run in todo:
            load = kind.wearing(lock, run.rounds, run.on, run.number)
            assert load is not None  # reader-writer locks have one
            left = run.ended(load, kind.part, watch=False)
            for on in (run.on, run.on[::-1]):
                where = f" {replace(run, on=on).under(self.memory)}"
                finding = self._asked(lock, replace(left.used, cpus=on), where)
                if finding.verdict == "fail" and not finding.tag.endswith("-served"):
                    return finding
        return replace(fresh, message=f"{fresh.message}; and {covered(todo)}")

    def _asked(
        self, lock: type[RWLock], used: UsedMemory | None = None, where: str = ""
    ) -> Finding:
        """The finding from one memory.

        Arguments:
            lock: the class. used: the memory; None: fresh. where: after which uses, in words.
        """
        from lockgrader.measuring.proofs import budget, unfinished, violated
        from locksim.checker.check import check_clients
        from locksim.checker.question import Question
        from locksim.kinds.checking import endless_clients_of

        starved: dict[Side, Counterexample] = {}
        for side, client in zip(_FIRST, endless_clients_of(lock), strict=True):
            verdict = check_clients(
                [client],
                Question(
                    name=self.lock,
                    threads=THREADS,
                    memory=self.memory,
                    property="starvation",
                    budget=budget(self.states),
                    used=used,
                ),
            )
            example = verdict.counterexample
            if verdict.verdict == "unfinished":
                return unfinished(verdict, where.strip())
            if example is not None and example.found != "starvation":
                says = violated(f"{example.found}{where}", example)
                return Finding("fail", 0.0, says, tag=example.found)
            if example is not None and example.victim == 0:
                starved[side] = example
        return self._compared(starved, where)

    def _compared(self, starved: dict[Side, Counterexample], where: str) -> Finding:
        from lockgrader.measuring.proofs import violated

        found = f"{self.lock} can starve {_listed(starved)}{where}"
        for side in _FIRST:
            if side in self.sides and side not in starved:
                says = f"{found}; {side} always get in, and here they need not"
                return Finding("fail", 0.0, says, tag=f"{side}-served")
            if side in starved and side not in self.sides:
                example = starved[side]
                says = violated(f"{found}; {side} must get in", example)
                shown = example.to_json()
                return Finding("fail", 0.0, says, tag=f"{side}-starved", counterexample=shown)
        return Finding("pass", 1.0, found)


def _listed(starved: dict[Side, Counterexample]) -> str:
    return " and ".join(starved) if starved else "neither readers nor writers"
