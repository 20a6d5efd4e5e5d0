"""Options that several subcommands share, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from locknative.survey.collect import Plan
from lockui.arguments import bounded
from lockui.command import Detail
from lockui.errors import UsageError
from lockui.quantities import MS, SECOND, Time

MINUTE, TRIAL = Time(60 * SECOND), Time(20 * MS)


@dataclass(frozen=True)
class Trials:
    """How much to measure on this machine."""

    max_time: Annotated[Time, Detail(rare=False)] = MINUTE
    trials: Annotated[int, Detail("good ones", rare=False)] = 10
    duration: Annotated[Time, Detail("less on a busy machine", rare=False)] = TRIAL

    def plan(self, seed: int = 1) -> Plan:
        """Return how much to measure, as the options say.

        Raises:
            UsageError: a value is out of range.
        """
        if not self.max_time:
            raise UsageError(f"--max-time must be above 0 (got {self.max_time})")
        bounded(self.trials, "--trials", 1, 10_000)
        return Plan(self.max_time.seconds, self.trials, whole_ms(self.duration), seed)


def whole_ms(duration: Time) -> int:
    """Return the time of a trial in ms.

    Raises:
        UsageError: it is not a whole number of ms, or not between 1 ms and an hour.
    """
    if duration % MS or not MS <= duration <= 3600 * SECOND:
        raise UsageError(f"--duration {duration}: write whole milliseconds, from 1ms to 60min")
    return duration // MS
