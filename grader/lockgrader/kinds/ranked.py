"""A leader board in simulated time: a class on machines and loads that students do not know.

The score of a pair is the throughput of the *slowest* CPU, over that of a reference lock. So a lock
that starves a CPU wins nothing. Or, by ``measure``, it is the throughput of all CPUs. The score of
the check is the geometric mean over all pairs. Each simulation is checked for mutual exclusion, as
in every measurement.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from lockgrader.finding import Finding, found, row
from lockgrader.lab import Band, Measure
from lockgrader.lab.closed import Text
from lockgrader.lab.placed import Placed
from lockgrader.measuring.class_check import MeasuredClassCheck
from lockgrader.sandbox import Profile
from lockui.numbers import significant

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Pair", "Ranked"]


class Pair(Placed):
    """A machine and a load; the fields are those of a measure."""

    cpus: Annotated[int, Field(ge=1, le=1024)]
    workload: str = "critical_section"
    settings: dict[str, int] = Field(default_factory=dict)
    words: Annotated[int, Field(ge=0, le=64)] = 1
    hold_ns: Annotated[int, Field(ge=0, le=10**6)] = 0
    think_ns: Annotated[int, Field(ge=0, le=10**6)] = 1000
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1


class Ranked(MeasuredClassCheck):
    """A class's score beside a lock of the library. Put it into ``hidden/checks.toml``.

    Arguments:
        lock: a class of the submission. against: a lock of the library, whose score is 1.
        pairs: machines and loads. band: scores that earn all points.
        measure: "slowest" (the throughput of the slowest CPU) or "throughput" (of all).
        operations, replications: as for a measure.
    """

    kind: Literal["ranked"]
    against: Text
    pairs: Annotated[tuple[Pair, ...], Field(min_length=1, max_length=20)]
    band: Band
    measure: Literal["slowest", "throughput"] = "slowest"
    operations: Annotated[int, Field(ge=1, le=10_000)] = 60
    replications: Annotated[int, Field(ge=1, le=20)] = 2

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Simulate every pair."""
        from lockgrader.measuring.runs import own_measure, reference

        scores = []
        for pair in self.pairs:
            load = pair.model_dump() | {
                "measure": self.measure,
                "operations": self.operations,
                "replications": self.replications,
            }
            asked = Measure.model_validate({**load, "lock": self.lock, "own": True})
            speed = own_measure(asked, submitted)
            other = reference(Measure.model_validate({**load, "lock": self.against}))
            scores.append(speed / other if other else 0.0)
        score = math.prod(scores) ** (1 / len(scores))
        made = found([row(f"score beside {self.against}", score, self.band)])
        each = ", ".join(significant(s) for s in scores)
        message = f"score {significant(score)} ({self.against} has 1); by pair: {each}"
        return dataclasses.replace(made, message=message, score=score)
