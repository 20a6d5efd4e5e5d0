"""A predicted interval, scored against what is measured later."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from lockgrader.finding import Finding
from lockgrader.interval import impossible
from lockgrader.lab import Band, Measure
from lockgrader.measuring.numeric import SCORED, ExpectedCheck, expected, interval_score
from lockgrader.read.record import RECORD
from lockgrader.result import Row
from lockgrader.sandbox import Profile
from lockui.numbers import significant

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Prediction"]

MADE = ("pass", "partial", "fail")
"""Verdicts of a prediction that was made."""


class Prediction(ExpectedCheck):
    """An interval that was predicted, scored by its width and by how far it misses.

    The prediction that was locked before the first measurement is scored, and a later change earns
    nothing more. Without a record of what was locked, only ``made`` can be earned.

    Arguments:
        answer: two numbers, the ends of a 90 % interval. expected: the result.
        range: what a result can be, such as ``{ low = 0 }``; by default what the measure can be.
        worst: interval score, as a fraction of the result, that earns nothing for accuracy.
        made: share of the points for having predicted; the rest is for accuracy.
    """

    hinted: ClassVar[bool] = False
    kind: Literal["prediction"]
    range: Band | None = None
    worst: Annotated[float, Field(gt=0, le=100)] = 2.0
    made: Annotated[float, Field(ge=0, le=1)] = 0.4

    @property
    def measures(self) -> bool:
        """Its finding shows the result."""
        return True

    @property
    def predictions(self) -> tuple[str, ...]:
        """The interval."""
        return self.asks

    def impossible(self, name: str, given: Sequence[float]) -> str:
        """Why a prediction cannot be right."""
        possible = self.expected.possible if isinstance(self.expected, Measure) else Band()
        return impossible(name, given, self.range or possible)

    @property
    def alike_within(self) -> float | None:
        """The results must differ."""
        return 0.0

    def opens(self, finding: Finding) -> bool:
        """A prediction only has to be made: one that misses its result must not end the lab."""
        return finding.verdict in MADE

    def done(self, verdict: str | None) -> bool:
        """A prediction must be made, not be right."""
        return verdict in MADE

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Score the interval by its width and by how far it misses the result.

        The locked one counts. What was never locked may have been written after the result was
        known.
        """
        given = submitted.numbers(self.answer)
        locked = submitted.locked.get(self.answer)
        changed = ""
        if locked is not None and [*locked.values] != given:
            changed = (
                f"locked {_shown(locked.values)} on {locked.at:%Y-%m-%d %H:%M}, now {_shown(given)}"
            )
            given = [*locked.values]
        if why := self.impossible(self.answer, given):
            return Finding("malformed_output", 0.0, why)
        low, high = given
        right = expected(self.expected, submitted)
        score = interval_score(low, high, right) / abs(right) if right else math.inf
        # A perfect score is an interval of width 0; a tenth of the worst score earns full marks.
        accuracy = min(1.0, max(0.0, 1.0 - score / self.worst) / 0.9)
        share = self.made + (1.0 - self.made) * (accuracy if locked is not None else 0.0)
        inside = low <= right <= high
        line = Row(
            what=SCORED.format(self.answer),
            got=score if math.isfinite(score) else None,
            high=self.worst / 10,
            says="right" if accuracy == 1.0 else "a narrower one earns more" if inside else "off",
            share=accuracy,
        )
        says = "holds the result" if inside else "misses the result"
        if inside and accuracy < 1.0:
            says = f"{says}, and a narrower one would earn more"
        elif not inside:
            says = f"{says}; {self.made:.0%} of the points are for having predicted"
        measured = significant(right, 4)
        message = f"predicted {_shown((low, high))}, measured {measured}: the interval {says}"
        if changed:
            message = f"{message}; the first one counts ({changed})"
        if locked is None:
            message = f"{message}; no {RECORD} shows that it was made before the first measurement"
        return Finding(
            "pass" if share == 1.0 else "partial" if share else "fail",
            share,
            message,
            (line,),
            "" if inside else "too-low" if high < right else "too-high",
            changed=changed,
        )


def _shown(ends: Sequence[float]) -> str:
    return " to ".join(significant(end, 4) for end in ends)
