"""Where two curves cross: the value of a setting at which one lock begins to cost more.

Two locks of the library run under the same load, at some values of one of its settings. Between two
values the logarithm of the ratio is taken as straight, so the crossing need not be at one of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from lockgrader.check import Check
from lockgrader.finding import Finding, found, near, veiled
from lockgrader.lab import LabError, Measure
from lockgrader.lab.closed import Text
from lockgrader.sandbox import Profile
from lockui.numbers import significant

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Crossing"]


class Crossing(Check):
    """A number in the answers: the setting at which a lock costs as much as another.

    Arguments:
        answer: its name. load: of both locks; its ``lock`` is the one.
        against: the other lock, of the library. setting: of the load's workload.
        values: of the setting, rising, between which the curves cross once.
        offset, scale: the answer is ``offset + scale * setting``, as 100 - x for a share of writes.
        tolerance, fade: as for an answer.
    """

    kind: Literal["crossing"]
    answer: Text
    load: Measure
    against: Text
    setting: Text
    values: Annotated[tuple[int, ...], Field(min_length=2)]
    offset: float = 0.0
    scale: float = 1.0
    tolerance: Annotated[float, Field(ge=0, le=10)] = 0.1
    fade: Annotated[float, Field(ge=0, le=10)] = 0.0

    @property
    def asks(self) -> tuple[str, ...]:
        """The setting."""
        return (self.answer,)

    @property
    def engines(self) -> bool:
        """It simulates both locks."""
        return True

    @property
    def measures(self) -> bool:
        """It shows whether the setting is too big."""
        return True

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Compare the answer with the crossing.

        Raises:
            LabError: the curves do not cross once between the values.
        """
        given = submitted.number(self.answer)
        right = self._crossing()
        return veiled(found([near(self.answer, given, right, self.tolerance, self.fade)]))

    def right(self, solution: Submitted) -> Mapping[str, float | list[float]]:
        """The crossing, as the grader finds it.

        Raises:
            LabError: the curves do not cross once between the values.
        """
        return {self.answer: [self._crossing()]}

    def _crossing(self) -> float:
        ratios = [math.log(self._ratio(value)) for value in self.values]
        pairs = zip(itertools.pairwise(self.values), itertools.pairwise(ratios), strict=True)
        at = [
            low + (high - low) * before / (before - after)
            for (low, high), (before, after) in pairs
            if before * after < 0
        ]
        if len(at) != 1:
            shown = ", ".join(
                f"{v}: {significant(math.exp(r))}" for v, r in zip(self.values, ratios, strict=True)
            )
            says = f"{self.load.lock} and {self.against} must cross once, not {len(at)} times"
            raise LabError(f"{self.name}: {says} ({self.setting}: ratio; {shown})")
        return self.offset + self.scale * at[0]

    def _ratio(self, value: int) -> float:
        from lockgrader.measuring.runs import reference

        settings = {**self.load.settings, self.setting: value}
        one = self.load.model_copy(update={"settings": settings})
        other = one.model_copy(update={"lock": self.against})
        return reference(one) / reference(other)
