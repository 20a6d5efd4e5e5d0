"""The base of the kinds that prove: from fresh memory, and from memory that was used."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, model_validator

from lockgrader.measuring.class_check import ClassCheck
from lockgrader.measuring.uses import Memory, Used

if TYPE_CHECKING:
    from lockgrader.finding import Finding
    from lockgrader.measuring.used import Wearing

_WANTED = (
    "it begins with fresh memory only: a number of few bits, or another program after some uses, "
    'is not found; write used = { machine = "$machine", seed = "$moments" }, or fresh = "the '
    'reason"'
)


class ProofCheck(ClassCheck):
    """The base of the kinds that prove.

    Arguments:
        memory, states: as for a proof; the states are those of one client.
        used: from which memory the same is proven once more. fresh: why from fresh memory only.
    """

    memory: Memory = "sc"
    states: Annotated[int, Field(ge=100, le=20_000_000)] = 1_000_000
    used: Used | None = None
    fresh: str = ""

    @model_validator(mode="after")
    def _one_memory(self) -> Self:
        if self.used is not None and self.fresh:
            raise ValueError(
                "give 'used' or 'fresh', not both ('fresh' is the reason why 'used' is missing)"
            )
        return self

    @property
    def memory_gap(self) -> str | None:
        """The memory from which nothing is proven, without a reason."""
        return "" if self.used is not None or self.fresh else _WANTED

    def proven_after_use(self, finding: Finding, wearing: Wearing) -> Finding:
        """The finding of a proof from fresh memory, or that of the proofs which follow it.

        Arguments:
            finding: with the operations that the proof has reached. wearing: how the class is used.
        """
        from lockgrader.measuring.proofs import budget
        from lockgrader.measuring.used import after_use

        if finding.verdict != "pass" or self.used is None:
            return finding
        shown = after_use(self.used, wearing, budget(self.states), finding.reached)
        says = f"{finding.message}; and {shown.covered}" if shown.covered else finding.message
        return replace(shown.wrong or replace(finding, message=says), reached=shown.reached)
