"""How a struct is used before a proof: the runs, of which all that can be drawn is drawn.

The moments are drawn from a seed, one in each of equal parts of a logarithmic scale: a few uses,
some, and as many as a measurement has.

Two further runs are larger than a measurement, so that a threshold beyond it is found too. In the
*crowd* 64 CPUs come at once, and one thread of the proof is on the last of them. In the *long
run* four CPUs, spread over the machine, come 32,768 to 65,536 times to a lock, and 8,192 to
16,384 times to any other struct, several times what any measurement asks of one CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, cast

from pydantic import Field

from lockgrader.lab.placed import Placed

if TYPE_CHECKING:
    from locksim.lang.struct import Workload
    from locksim.study.use import Use

__all__ = [
    "CROWD",
    "LONG",
    "LONG_OTHER",
    "RUNS",
    "Memory",
    "Run",
    "Used",
    "covered",
    "moments",
    "runs",
]

LONGEST_PS = 10**12
CROWD, CROWD_THINK_PS = 64, 10_000
LARGE = "ideal-64"
"""The machine of the crowd where the lab's is smaller."""
FEW, LONG_THINK_PS = 4, 200_000
"""How many CPUs come to the long run."""
LONG, LONG_OTHER = 1 << 15, 1 << 13
"""Half of their uses, at most: of a lock, and of another struct, whose uses take longer."""
RUNS = 2
"""The crowd and the long run; the moments come between them."""
_MOMENTS = 1 << 21
"""The stream of the moments' draws, beside those of the threads."""

Memory = Literal["sc", "tso", "c11"]
"""A memory model of the checker."""


class Used(Placed):
    """Proofs from memory that many CPUs have used.

    Arguments:
        machine: a profile. cpus: how many use the struct first; the threads of the proof are on
            CPUs drawn from these.
        uses: of all CPUs together in the longest of the runs, about as many as a measurement has.
        moments: runs, each longer than the one before. seed: of their lengths, loads and CPUs.
    """

    cpus: Annotated[int, Field(ge=2, le=256)] = 32
    uses: Annotated[int, Field(ge=10, le=100_000)] = 2_500
    moments: Annotated[int, Field(ge=1, le=10)] = 3
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1


def moments(uses: int, number: int, seed: int) -> list[int]:
    """How often something is used before each of some proofs: one drawn number in each part.

    Arguments:
        uses: in the longest of the runs. number: of runs. seed: of the draws.
    """
    from locksim.lang.randomness import draw

    found = []
    for k in range(number):
        low, high = (uses ** (j / number) for j in (k, k + 1))
        found.append(int(low + (high - low) * (draw(seed, _MOMENTS, k) % 1001) / 1000))
    return found


@dataclass(frozen=True)
class Run:
    """How the struct is used before a proof.

    Arguments:
        machine, cpus: of the run. uses: of all of them together, about. rounds: of a CPU at most.
        on: the CPUs of the proof's threads. seed: of the run. number: of the load.
        step: only every so many CPUs come. think_ps: between two uses; 0: the load's own.
        index: in the order of the runs. weak: whether the proofs may have a weak memory model.
    """

    machine: str
    cpus: int
    uses: int
    rounds: int
    on: tuple[int, ...]
    seed: int
    number: int
    step: int = 1
    think_ps: int = 0
    index: int = 0
    weak: bool = False

    @property
    def crowd(self) -> str:
        """Who uses the struct."""
        come = f"every {self.step}th of the " if self.step > 1 else ""
        return f"{come}{self.cpus} CPUs of {self.machine}"

    def under(self, memory: str) -> str:
        """After which uses, on which CPUs, under which memory model."""
        *others, last = map(str, self.on)
        where = f"threads on CPUs {', '.join(others)} and" if others else "a thread on CPU"
        return (
            f"after some {self.uses:,} uses by {self.crowd}, with {where} {last} ({memory.upper()})"
        )

    def ended(self, load: Workload, part: str, *, watch: bool) -> Use:
        """What the run leaves.

        Arguments:
            load: with the parameters step, offset and think_ps. part: of it, for the proof.
            watch: whether to note which operations each CPU runs.

        Raises:
            SimulationError: a fault, a deadlock, or threads that do not return.
        """
        from locksim.kinds.kind import resized
        from locksim.lang.struct import Workload
        from locksim.study.use import use

        sizes = {"step": self.step, "offset": self.on[0] % self.step}
        sizes |= {"think_ps": self.think_ps} if self.think_ps else {}
        return use(
            cast(Workload, resized(load, **sizes)),
            part=part,
            machine=self.machine,
            cpus=self.cpus,
            on=self.on,
            seed=self.seed,
            longest_ps=LONGEST_PS,
            watch=watch,
        )


def runs(used: Used, threads: int, long: int) -> list[Run]:
    """The crowd, the moments, and the long run.

    Arguments:
        used: how many CPUs and uses. threads: of the proofs.
        long: half of the uses of the long run, at most.
    """
    from locksim import machine as machines
    from locksim.lang.randomness import draw
    from locksim.study.use import drawn_cpus

    seed = used.seed + used.moments
    large = machines.load(used.machine).n_cpus >= CROWD
    machine, crowd = (used.machine if large else LARGE), CROWD
    on = (*drawn_cpus(seed, threads - 1, crowd - 1), crowd - 1)
    found = [Run(machine, crowd, 2 * crowd, 4, on, seed, 0, think_ps=CROWD_THINK_PS, weak=True)]
    for number, uses in enumerate(moments(used.uses, used.moments, used.seed)):
        seed = used.seed + number
        on = drawn_cpus(seed, threads, used.cpus)
        rounds = max(1, 2 * uses // used.cpus)
        found.append(Run(used.machine, used.cpus, uses, rounds, on, seed, number))
    seed = used.seed + used.moments + 1
    step = max(1, crowd // FEW)
    offset, uses = draw(seed, _MOMENTS, 0) % step, long + draw(seed, _MOMENTS, 1) % long
    on = tuple(offset + step * k for k in drawn_cpus(seed, threads, crowd // step))
    rounds = 2 * uses // FEW
    found.append(Run(machine, crowd, uses, rounds, on, seed, 1, step, LONG_THINK_PS, weak=True))
    return [replace(run, index=k) for k, run in enumerate(found)]


def covered(seen: Sequence[Run]) -> str:
    """The uses and CPUs of some runs, in words."""
    uses = sorted(run.uses for run in seen)
    cpus = sorted(run.cpus // run.step for run in seen)
    return f"after {uses[0]:,} to {uses[-1]:,} uses by {cpus[0]} to {cpus[-1]} CPUs"
