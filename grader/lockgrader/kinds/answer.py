"""A number in the answers that must be right."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from lockgrader.finding import Finding, found, near, veiled
from lockgrader.lab import Measure
from lockgrader.measuring.numeric import ExpectedCheck, expected, load_of
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Answer"]


class Answer(ExpectedCheck):
    """A number in the answers.

    Arguments:
        answer: its name. expected: what is right.
        tolerance: as a fraction of the expected value. fade: as in
            :class:`~lockgrader.lab.Band`.
    """

    kind: Literal["answer"]
    tolerance: Annotated[float, Field(ge=0, le=10)] = 0.0
    fade: Annotated[float, Field(ge=0, le=10)] = 0.0

    @property
    def measures(self) -> bool:
        """A wrong count of a measurement shows in which direction it is off."""
        return isinstance(self.expected, Measure)

    @property
    def expects(self) -> object:
        """The expected value; on the student's own lock it would be another measurement."""
        return None if self.measured_classes else self.expected

    @property
    def alike_within(self) -> float | None:
        """Its tolerance."""
        return self.tolerance

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Compare the number with the expected one."""
        given = submitted.number(self.answer)
        right = expected(self.expected, submitted)
        made = veiled(found([near(self.answer, given, right, self.tolerance, self.fade)]))
        if made.verdict == "pass" or not isinstance(self.expected, Measure):
            return made
        return replace(made, message=f"{made.message}; {load_of(self.expected)}")
