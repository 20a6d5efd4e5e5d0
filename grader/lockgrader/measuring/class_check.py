"""The base of the kinds of check that prove or measure a class of the submission."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lockgrader.check import Check, Part
from lockgrader.finding import Finding
from lockgrader.lab.closed import Text
from lockgrader.measuring.demands import Demand, demanded

if TYPE_CHECKING:
    from lockgrader.sandbox import Profile
    from lockgrader.submitted import Submitted


class ClassCheck(Check):
    """What such kinds have in common.

    Arguments:
        lock: the class: a lock, a decision cache, or what else the kind can judge.
        demands: on what its methods do, beside what the kind judges.

    Attributes:
        reaches: whether its proof notes the operations that it has reached.
    """

    part: ClassVar[Part] = "locks"
    reaches: ClassVar[bool] = False

    lock: Text
    demands: tuple[Demand, ...] = ()

    def judge(self, submitted: Submitted, profile: Profile = "namespaces") -> Finding:
        """What the kind finds; without points where a demand is not met."""
        finding = super().judge(submitted, profile)
        return demanded(self.demands, self.lock, submitted, finding)

    @property
    def subject(self) -> str:
        """The class."""
        return self.lock

    @property
    def proven_class(self) -> str:
        """The class, where operations are noted."""
        return self.lock if self.reaches else ""


class MeasuredClassCheck(ClassCheck):
    """A kind that shows how fast a class is."""

    @property
    def measured_classes(self) -> tuple[str, ...]:
        """The class."""
        return (self.lock,)

    @property
    def measures(self) -> bool:
        """It shows the value."""
        return True
