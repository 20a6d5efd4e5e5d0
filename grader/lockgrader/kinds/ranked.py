"""A leader board in simulated time: a class on machines and loads that students do not know.

The score of a pair is the throughput of the *slowest* CPU, over that of a reference lock. So a lock
that starves a CPU wins nothing. Or, by ``measure``, it is the throughput of all CPUs. The score of
the check is the geometric mean over all pairs. Each simulation is checked for mutual exclusion, as
in every measurement.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from lockgrader.checks.simulated import NotCountedError, own_measure, reference
from lockgrader.checks.submitted import Submitted, without
from lockgrader.finding import Finding, found, row
from lockgrader.lab import Band, Measure, OtherCheck
from lockgrader.lab.closed import Text
from lockgrader.lab.placed import Placed

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


class Ranked(OtherCheck):
    """A class's score beside a lock of the library. Put it into ``hidden/checks.toml``.

    Arguments:
        lock: a class of the submission. against: a lock of the library, whose score is 1.
        pairs: machines and loads. band: scores that earn all points.
        measure: "slowest" (the throughput of the slowest CPU) or "throughput" (of all).
        operations, replications: as for a measure.
    """

    part: ClassVar[Literal["locks", "answers"]] = "locks"
    engines: ClassVar[bool] = True
    measures: ClassVar[bool] = True
    kind: Literal["ranked"]
    lock: Text
    against: Text
    pairs: Annotated[tuple[Pair, ...], Field(min_length=1, max_length=20)]
    band: Band
    measure: Literal["slowest", "throughput"] = "slowest"
    operations: Annotated[int, Field(ge=1, le=10_000)] = 60
    replications: Annotated[int, Field(ge=1, le=20)] = 2

    def judge(self, submitted: Submitted) -> Finding:
        """Simulate every pair."""
        if self.lock not in submitted.codes:
            return without(self.lock, submitted)
        scores = []
        for pair in self.pairs:
            load = pair.model_dump() | {
                "measure": self.measure,
                "operations": self.operations,
                "replications": self.replications,
            }
            try:
                asked = Measure.model_validate({**load, "lock": self.lock, "own": True})
                speed = own_measure(asked, submitted)
                other = reference(Measure.model_validate({**load, "lock": self.against}))
            except NotCountedError as error:
                says = str(error).replace(pair.machine, Path(pair.machine).stem)
                return Finding("fail", 0.0, says, tag=error.tag)
            scores.append(speed / other if other else 0.0)
        score = math.prod(scores) ** (1 / len(scores))
        made = found([row(f"score beside {self.against}", score, self.band)])
        each = ", ".join(f"{s:.3g}" for s in scores)
        message = f"score {score:.3g} ({self.against} has 1); by pair: {each}"
        return dataclasses.replace(made, message=message, score=score)
