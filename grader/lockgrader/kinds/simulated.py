"""Simulated: values and shapes of curves, in simulated time only."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal

from lockgrader.finding import Finding, found
from lockgrader.measuring.class_check import MeasuredClassCheck
from lockgrader.measuring.curve import Compared
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Simulated"]


class Simulated(MeasuredClassCheck, Compared):
    """A value in simulated time, or the shape of a curve over numbers of CPUs.

    The fields are those of :class:`~lockgrader.measuring.curve.Compared`; ``lock`` is a class of
    the submission.
    """

    kind: Literal["simulated"]

    @property
    def random_seed(self) -> int | None:
        """The seed of the first run."""
        return self.seed

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Measure the lock, and compare the values with the band."""
        from lockgrader.measuring.curve import curve_of, rows_of
        from lockgrader.measuring.runs import measured, yardstick

        values = [measured(self, self.lock, n, submitted) for n in self.cpus]
        other = []
        if self.against:
            other = [yardstick(self, self.against, n) for n in self.cpus]
        made = found(rows_of(self, values, other))
        return dataclasses.replace(made, curve=curve_of(self, values, other))
