"""An answer in words, for the instructor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from lockgrader.check import Check
from lockgrader.finding import KEPT, Finding
from lockgrader.lab.closed import Text
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Written"]

FEWEST_WORDS = 3
"""Fewer are not an answer in words."""


class Written(Check):
    """An answer in words, collected for the instructor, who gives the points for it.

    Arguments:
        answer: its name. by_hand: the points that the instructor can give; 0 for an answer that is
            only read. They are part of every student's total, marked or not.
        most_words: a longer answer is read up to there; 0 for any length.
    """

    hinted: ClassVar[bool] = False
    kind: Literal["written"]
    answer: Text
    points: Annotated[float, Field(ge=0, le=0)] = 0.0
    by_hand: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] = 0.0
    most_words: Annotated[int, Field(ge=0)] = 0

    @property
    def most_by_hand(self) -> float:
        """As the lab says."""
        return self.by_hand

    @property
    def asks_words(self) -> tuple[str, ...]:
        """The answer."""
        return (self.answer,)

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Keep it; only an answer without words is not one."""
        answered = submitted.text(self.answer)
        words = len(answered.split())
        if words < FEWEST_WORDS:
            says = f"'{self.answer}' has fewer than {FEWEST_WORDS} words: write a sentence"
            return Finding("no_output", 0.0, says, tag="missing", answer=answered)
        says = KEPT
        if 0 < self.most_words < words:
            says = f"{says}, who reads {self.most_words} of its {words} words: shorten it"
        return Finding("pass", 1.0, says, answer=answered)
