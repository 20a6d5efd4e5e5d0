"""A predicted interval: it must be one, and the result is shown beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from lockgrader.finding import Finding
from lockgrader.interval import WIDEST, Widest, impossible
from lockgrader.lab import Band, Measure
from lockgrader.measuring.numeric import SCORED, ExpectedCheck, expected, interval_score, lock_of
from lockgrader.result import Row
from lockgrader.sandbox import Profile
from lockui.numbers import significant

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Prediction"]


class Prediction(ExpectedCheck):
    """An interval that is predicted before anything is measured.

    A possible interval that says something earns all points, whether it holds the result or not:
    who measures first can always hold it, and the record of what was locked is the student's own
    file. At home no check that shows the result runs before the prediction is locked. Its interval
    score is shown, and a miss gets the belief that may be behind it.

    Arguments:
        answer: two numbers, the ends of a 90 % interval. expected: the result.
        range: what a result can be, such as ``{ low = 0 }``; by default what the measure can be.
        widest: how many times the lower end the upper one may be.
    """

    hinted: ClassVar[bool] = False
    kind: Literal["prediction"]
    range: Band | None = None
    widest: Widest = WIDEST

    @property
    def measures(self) -> bool:
        """Its finding shows the result."""
        return True

    @property
    def predictions(self) -> tuple[str, ...]:
        """The interval."""
        return self.asks

    def impossible(self, name: str, given: Sequence[float]) -> str:
        """Why a prediction cannot be right, or says nothing."""
        possible = self.expected.possible if isinstance(self.expected, Measure) else Band()
        return impossible(name, given, self.range or possible, self.widest)

    @property
    def alike_within(self) -> float | None:
        """The results must differ."""
        return 0.0

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Judge the interval, and show the result beside the first one that is known."""
        given = submitted.numbers(self.answer)
        if why := self.impossible(self.answer, given):
            return Finding("malformed_output", 0.0, why)
        locked = submitted.locked.get(self.answer)
        first, changed = given, ""
        if locked is not None and [*locked.values] != given:
            changed = (
                f"locked {_shown(locked.values)} on {locked.at:%Y-%m-%d %H:%M}, now {_shown(given)}"
            )
            if not self.impossible(self.answer, locked.values):
                first = [*locked.values]
        low, high = first
        right = expected(self.expected, submitted)
        score = interval_score(low, high, right) / abs(right) if right else math.inf
        tag = "too-low" if high < right else "too-high" if low > right else ""
        says = f"misses the result, {tag.replace('-', ' ')}" if tag else "holds the result"
        measured = significant(right, 4)
        if isinstance(self.expected, Measure):
            measured = f"{measured} with {lock_of(self.expected)}"
        message = f"predicted {_shown(first)}, measured {measured}: the interval {says}"
        line = Row(
            what=SCORED.format(self.answer),
            got=score if math.isfinite(score) else None,
            says=says,
            share=1.0,
        )
        if changed:
            message = f"{message} ({changed})"
        return Finding("pass", 1.0, message, (line,), tag, changed=changed)


def _shown(ends: Sequence[float]) -> str:
    return " to ".join(significant(end, 4) for end in ends)
