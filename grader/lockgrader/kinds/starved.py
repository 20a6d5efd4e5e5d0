"""Which side of a reader-writer lock can wait for ever: the checker answers for each of them.

Two threads use the lock for ever: one only reads, one only writes. A side is starved if there is an
endless run in which the other side gets in again and again and this one never does, although both
go on. Correctness is another check's: a lock that violates mutual exclusion starves no thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from lockgrader.finding import Finding
from lockgrader.measuring.class_check import ClassCheck
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted
    from locksim.checker.replay.counterexample import Counterexample

__all__ = ["Starved"]

Side = Literal["readers", "writers"]
_FIRST: tuple[Side, ...] = ("writers", "readers")
"""What thread 0 does in each of the two endless clients; the search names thread 0 if it can."""


class Starved(ClassCheck):
    """The sides of a reader-writer lock that can wait for ever.

    Arguments:
        lock: a class of the submission. sides: those that must be starved; the other must not.
        memory, states: as for ``locklab check --property starvation``.
    """

    kind: Literal["starved"]
    sides: tuple[Side, ...]
    memory: Literal["sc", "tso"] = "sc"
    states: Annotated[int, Field(ge=100, le=20_000_000)] = 1_000_000

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Ask for each side, and compare."""
        from lockgrader.measuring.proofs import budget, unfinished, violated
        from locksim.checker.check import check_clients
        from locksim.checker.question import Question
        from locksim.kinds.checking import endless_clients_of
        from locksim.lang.struct import RWLock

        lock = submitted.struct(self.lock)
        if not issubclass(lock, RWLock):
            return Finding("fail", 0.0, f"{self.lock} must be an RWLock", tag="kind")
        limits = budget(self.states)
        starved: dict[Side, Counterexample] = {}
        for side, client in zip(_FIRST, endless_clients_of(lock), strict=True):
            verdict = check_clients(
                [client],
                Question(
                    name=self.lock,
                    threads=2,
                    memory=self.memory,
                    property="starvation",
                    budget=limits,
                ),
            )
            example = verdict.counterexample
            if verdict.verdict == "unfinished":
                return unfinished(verdict)
            if example is not None and example.found != "starvation":
                says = violated(example.found, example)
                return Finding("fail", 0.0, says, tag=example.found)
            if example is not None and example.victim == 0:
                starved[side] = example
        return self._compared(starved)

    def _compared(self, starved: dict[Side, Counterexample]) -> Finding:
        from lockgrader.measuring.proofs import violated

        found = f"{self.lock} can starve {_listed(starved)}"
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
