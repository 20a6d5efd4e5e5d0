"""A sentence about a change that nobody has made yet, in numbers: a band, and the effect.

The right sentence is that of a twin (``locklab report twin``). A band may be wider than the twin's,
since its author can know of more that is open, but not narrower, and not so wide that it says
nothing. The student can hand in a report of their own in place of the lab's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationError

from lockgrader.check import Check
from lockgrader.finding import Finding, Settled, found
from lockgrader.lab.closed import Text
from lockgrader.lab.report import Report
from lockgrader.result import Row
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted
    from locksim.study.twin.prediction import Prediction

__all__ = ["Sentence"]

EFFECTS = ("faster", "slower", "no effect", "may have no effect")
"""The words of :attr:`locksim.study.twin.prediction.Prediction.effect`; an answer counts from 1."""
RIGHT = "right"
WHY = {
    "not around the result": "so it is not a band of it",
    "too narrow": "a part of what is not known is missing; which draws does it leave out?",
    "too wide": "it says less than what is known",
    "not the word": "look at where the whole band lies: within 3 % of 1, beyond, or both",
}
"""What is wrong with a sentence, and the message behind it."""
NO_SENTENCE = ("not around the result", "too wide")
"""Bands of which any word says nothing about the change."""
ROUNDING = 0.0051
"""The command prints two digits behind the point."""
WIDER = 0.02
"""By so much, and once the twin's band, each end may lie farther out."""
OWN = ("own_cpus", "own_window_s")
"""The answers about a report of the student's own."""


class Sentence(Check):
    """A band of throughput over today's, and the effect in words.

    Arguments:
        answer: the name of the band, two numbers. effect: that of the effect, a number from 1 on:
            faster, slower, no effect, may have no effect.
        expected: the change of a twin.
        own: a file in which the student can hand in another report; "": none. Then ``own_cpus`` and
            ``own_window_s`` are answers, too.
    """

    kind: Literal["sentence"]
    answer: Text
    effect: Text
    expected: Report
    own: str = ""

    @property
    def asks(self) -> tuple[str, ...]:
        """The band and the effect, and what a report of one's own does not say."""
        return (self.answer, self.effect, *(OWN if self.own else ()))

    @property
    def engines(self) -> bool:
        """It simulates a twin."""
        return True

    @property
    def measures(self) -> bool:
        """It shows what a change would do."""
        return True

    def right(self, solution: Submitted) -> Mapping[str, float | list[float]]:
        """The twin's band and effect."""
        made = self.expected.prediction()
        return {
            self.answer: [made.factor.low, made.factor.high],
            self.effect: float(1 + EFFECTS.index(made.effect)),
        }

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Compare the band and the effect with the twin's."""
        given, effect = submitted.numbers(self.answer), submitted.number(self.effect)
        if len(given) != 2 or not given[0] < given[1]:
            says = f"'{self.answer}' must be a band, [low, high]: nobody has made this change yet"
            raise Settled(Finding("fail", message=says, tag="point"))
        text = submitted.files.get(self.own, b"").decode("utf-8", "replace").strip()
        made = (self._own(submitted) if text else self.expected).prediction(text)
        banded = _banded(given, made)
        words = {made.effect}
        if banded == RIGHT:  # a wider band can make an effect doubtful, or none of it
            words = _words(*given)
        told = RIGHT if effect in {1 + EFFECTS.index(word) for word in words} else "not the word"
        if banded in NO_SENTENCE:
            told = "a word about another band"
        rows = [
            Row(what=self.answer, got=None, says=banded, share=float(banded == RIGHT)),
            Row(what=self.effect, got=effect, says=told, share=float(told == RIGHT)),
        ]
        wrong = next((row for row in rows if row.says != RIGHT), None)
        return found(rows, f"{wrong.what}: {wrong.says}, {WHY[wrong.says]}" if wrong else "")

    def _own(self, submitted: Submitted) -> Report:
        """The same change of the load in the student's own report.

        Raises:
            Settled: an answer about it is missing, or is not possible on this machine.
        """
        cpus, window_s = (submitted.number(name) for name in OWN)
        told = {"cpus": int(cpus), "window_s": window_s}
        try:
            return Report.model_validate(self.expected.model_dump() | told)
        except ValidationError as error:
            says = f"{self.own}, with {' and '.join(OWN)}: {error.errors()[0]['msg']}"
            raise Settled(Finding("malformed_output", message=says)) from None


def _words(low: float, high: float) -> set[str]:
    """The words for a band: as it stands, and with its ends as they are printed."""
    from locksim.study.twin.prediction import effect_of

    return {effect_of(low, high), effect_of(round(low, 2), round(high, 2))}


def _banded(given: Sequence[float], made: Prediction) -> str:
    """What is wrong with a band, as ``WHY`` has it; or ``RIGHT``."""
    low, high = made.factor.low, made.factor.high
    room = high - low + WIDER
    if not given[0] <= made.factor.value + ROUNDING or not given[1] >= made.factor.value - ROUNDING:
        return "not around the result"
    if given[0] > low + ROUNDING or given[1] < high - ROUNDING:
        return "too narrow"
    if given[0] < low - room or given[1] > high + room:
        return "too wide"
    return RIGHT
