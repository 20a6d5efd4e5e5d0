"""Demands on what methods of a class do, asked in every interleaving of a client of the lab's.

A class can keep every promise of its kind by another algorithm than the one that the handout asks
for: a sequence lock whose readers take the writers' lock is right. What tells them apart is what
calls do. A demand names methods, and says that a call of theirs writes nothing, or waits for no
other thread (:mod:`locksim.checker.search.conduct`). Source code is not compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from lockgrader.finding import Finding, fault
from lockgrader.lab import LabError
from lockgrader.lab.closed import Closed, Text
from lockgrader.measuring.uses import moments

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted
    from locksim.lang.struct import Struct, Workload

__all__ = ["Demand", "demanded"]

MOMENTS = 3
"""Drawn numbers of uses before."""
STATES = 200_000
"""States of the client of a demand; those of our labs have some hundreds."""


class Demand(Closed):
    """What methods of the class may not do, whatever the threads of a client do.

    Arguments:
        says: the demand in words, for the message.
        writes_nothing: methods in which a thread writes no word, and neither sleeps nor wakes,
            allocates or frees.
        waits_for_none: methods out of which a thread comes alone, even if the others stop for ever,
            at any of their steps.
        lets_in: the same, if the others stop outside of calls of these methods, so between an
            "enter" and a "leave".
        client, text: name and source of a workload in the language; its assertions must hold, too.
        holds: its part in which the class stands. threads: how many.
        uses, seed: where uses is above 0, the client has a param ``uses``: how often its setup uses
            the class before. It is asked for 0 and for numbers up to this one, drawn by the seed.
    """

    says: Text
    writes_nothing: tuple[Text, ...] = ()
    waits_for_none: tuple[Text, ...] = ()
    lets_in: tuple[Text, ...] = ()
    client: Text
    text: Text
    holds: Text = "lock"
    threads: Annotated[int, Field(ge=1, le=4)] = 2
    uses: Annotated[int, Field(ge=0, le=10_000)] = 0
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1

    def workload(self, mine: Struct, uses: int) -> Workload:
        """The client with a class of the submission in it.

        Arguments:
            mine: the class. uses: how often the client's setup uses it.

        Raises:
            LabError: the client has no such part, or no such param.
        """
        from locksim.compiler import compile_source
        from locksim.lang.struct import Workload

        kind = compile_source(self.text, f"<{self.client}>")[self.client].struct
        if self.holds not in kind.FIELDS or not issubclass(kind, Workload):
            raise LabError(f"{self.client} must be a Workload with a part '{self.holds}'")
        if self.uses and "uses" not in kind.FIELDS:
            raise LabError(
                f"{self.client} has no param 'uses', and the check sets 'uses': "
                "add 'uses = param(0)' to the class, or remove 'uses' from the check"
            )
        return kind(**{self.holds: mine}, **({"uses": uses} if self.uses else {}))


def demanded(
    demands: Sequence[Demand], name: str, submitted: Submitted, finding: Finding
) -> Finding:
    """A finding that earns points only if a class meets all demands.

    Arguments:
        demands: of the check. name: of the class. finding: of the check without them.

    Raises:
        LabError: a client of a demand is wrong. Exception: an internal error of the grader.
    """
    for demand in demands if finding.share else ():
        try:
            wrong = _unmet(demand, name, submitted)
        except Exception as error:
            wrong = fault(error)
        if wrong is not None:
            return replace(wrong, reached=finding.reached)
    return finding


def _unmet(demand: Demand, name: str, submitted: Submitted) -> Finding | None:
    """What a class does that it may not do; None if nothing."""
    from lockgrader.measuring.proofs import budget, unfinished, violated
    from locksim.checker.check import check_workload
    from locksim.checker.client import Conduct

    struct = submitted.struct(name)

    def of_class(methods: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{struct.__name__}.{method}" for method in methods)

    conduct = Conduct(
        writes_nothing=of_class(demand.writes_nothing),
        waits_for_none=of_class(demand.waits_for_none),
        lets_in=of_class(demand.lets_in),
    )
    for uses in (0, *(moments(demand.uses, MOMENTS, demand.seed) if demand.uses else ())):
        verdict = check_workload(
            demand.workload(struct(), uses),
            threads=demand.threads,
            budget=budget(STATES),
            conduct=conduct,
        )
        if not verdict.is_proof():
            break
    else:
        return None
    asked = demand.says + (f" (after {uses:,} uses)" if uses else "")
    if verdict.verdict == "unfinished":
        return unfinished(verdict, asked)
    example = verdict.counterexample
    says, shown = f"{name}: {asked}", None
    if example is not None:
        says, shown = violated(says, example), example.to_json()
    return Finding("fail", 0.0, says, tag="demand", counterexample=shown)
