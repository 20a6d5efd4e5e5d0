"""A measure in simulated time, and the load under which it is taken, as a lab writes them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lockgrader.lab.band import Band
from lockgrader.lab.closed import Text
from lockgrader.lab.placed import Placed

SHARES = ("fairness", "util", "con", "cpu_share")
"""Measures that are fractions of a whole."""


SLOWEST, LOCK_NS = 10, 100_000
"""A lock takes at most ``LOCK_NS`` and ten times the work of one CPU: a rate below is in another
unit."""


class Measured(Placed):
    """A measure in simulated time, and its load.

    Arguments:
        lock: which lock or cache. machine: a profile.
        measure: for one unit of work; "growth" is the number of objects allocated and not freed,
            "slowest" the throughput of the slowest CPU.
            Or a column of lockmeter's: "util" and "con" (fractions), "hold_ns", "wait_ns",
            "wait_max_ns", "cpu_share" (of all CPUs' time, spent waiting), "readers" (most at once).
        meter: the metered lock of a column, by the end of its name; "" for all together.
        workload: one of the library: "critical_section", one for access vector caches, "paths" for
            directory caches, or "label_lookups" for label caches, where a miss costs ``hold_ns``.
        settings: the workload's own parameters; a time in ps can be given in ns, as ``other_ns``.
        words, hold_ns, think_ns: of "critical_section": data words written inside, time inside,
            time between two.
        operations: of each CPU. replications: with different random streams. seed: of the first.
        progress: units of work of the slowest CPU, at least, as a share of the mean of all; a
            submission's own class must reach it, here or in a longer run whose transfers vary.
        hits: of a decision cache: lookups that find what it has to know, at least, as a share.
    """

    lock: Text
    measure: Literal[
        "transfers",
        "time_ns",
        "throughput",
        "fairness",
        "slowest",
        "growth",
        "util",
        "con",
        "hold_ns",
        "wait_ns",
        "wait_max_ns",
        "cpu_share",
        "readers",
    ]
    meter: str = ""
    workload: str = "critical_section"
    settings: dict[str, int] = Field(default_factory=dict)
    words: Annotated[int, Field(ge=0, le=64)] = 1
    hold_ns: Annotated[int, Field(ge=0, le=10**6)] = 0
    think_ns: Annotated[int, Field(ge=0, le=10**6)] = 1000
    operations: Annotated[int, Field(ge=1, le=10_000)] = 60
    replications: Annotated[int, Field(ge=1, le=20)] = 2
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1
    progress: Annotated[float, Field(ge=0, le=1)] = 0.25
    hits: Annotated[float, Field(ge=0, le=1)] = 0.75

    @property
    def possible(self) -> Band:
        """What its number can be, whatever is measured."""
        if self.measure in SHARES:
            return Band(low=0.0, high=1.0)
        if self.measure == "throughput":
            return Band(low=1e9 / (SLOWEST * self.own_ns + LOCK_NS))
        if self.measure == "time_ns":
            return Band(low=self.own_ns / 2)
        return Band() if self.measure == "growth" else Band(low=0.0)

    @property
    def own_ns(self) -> int:
        """The time between two uses of the lock, and that inside where it is the workload's."""
        if self.workload == "critical_section":
            return self.hold_ns + self.think_ns
        return sum(self.settings.get(name, 0) for name in ("think_ns", "other_ns"))


class Measure(Measured):
    """A number that the grader finds by a simulation.

    Arguments:
        lock: of the library; with ``own``, a class of the submission. own: whether it is the
            student's own lock, so that an honest count is right for whatever lock they wrote.
        options: parameters of a library's lock, such as ``store_used``.
        cpus: number of CPUs.
    """

    own: bool = False

    cpus: Annotated[int, Field(ge=1, le=1024)]
    options: dict[str, int] = Field(default_factory=dict)

    def __hash__(self) -> int:
        """Equal ones are simulated once; their settings are dicts, which have no hash."""
        return hash(self.model_dump_json())
