"""The result of a native run: counts of each thread, times, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from locknative import fairness
from locknative.host.provenance import Provenance
from locknative.survey.judge import LEAST_SHARE
from locknative.survey.trials import SLEEPERS


class Judged:
    """A result with the reasons why it may not be clean."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why this is not a clean measurement, one sentence a reason; empty when it is."""
        raise NotImplementedError

    @property
    def clean(self) -> bool:
        """Whether nothing speaks against this measurement."""
        return not self.warnings


@dataclass(frozen=True)
class Validation:
    """A search for two threads inside one lock. To find none is evidence, not a proof.

    ``counts`` holds each thread's acquisitions, ``writes`` the exclusive ones among them.
    Violations are ``lost_updates`` (of a counter that the lock guards), ``overlaps`` (times that a
    thread met another inside) and ``torn`` (times that it saw half an update).
    """

    lock: str
    threads: int
    iterations: int
    counts: tuple[int, ...]
    writes: tuple[int, ...]
    lost_updates: int
    overlaps: int
    torn: int
    provenance: Provenance

    @classmethod
    def of(
        cls, lock: str, tallies: Sequence[Mapping[str, int]], updates: int, provenance: Provenance
    ) -> Validation:
        """Return the validation of a run; ``updates`` is the counter that the lock guards."""
        writes = tuple(tally["writes"] for tally in tallies)
        counts = tuple(tally["count"] for tally in tallies)
        return cls(
            lock=lock,
            threads=len(tallies),
            iterations=sum(counts),
            counts=counts,
            writes=writes,
            lost_updates=sum(writes) - updates,
            overlaps=sum(tally["overlaps"] for tally in tallies),
            torn=sum(tally["torn"] for tally in tallies),
            provenance=provenance,
        )

    @property
    def correct(self) -> bool:
        """Whether no violation was seen."""
        return self.lost_updates == self.overlaps == self.torn == 0


@dataclass(frozen=True)
class Throughput(Judged):
    """Acquire + release pairs of pinned threads in a fixed time.

    ``counts`` are pairs, ``wall_ns`` and ``cpu_ns`` times, one entry a thread, in the order of
    ``provenance.pinned``. ``empty_loop_ns`` is the time of one iteration of the same loop on the
    same CPUs without a lock. One run is one trial: results of processes differ by 2 to 20 %.
    """

    lock: str
    side: str
    threads: int
    counts: tuple[int, ...]
    wall_ns: tuple[int, ...]
    cpu_ns: tuple[int, ...]
    empty_loop_ns: float
    provenance: Provenance

    @property
    def ns_per_pair(self) -> tuple[float, ...]:
        """Each thread's wall time for a pair, in ns, the loop's own cost included."""
        return tuple(wall / count for wall, count in zip(self.wall_ns, self.counts, strict=True))

    @property
    def pairs_per_second(self) -> float:
        """Pairs a second of all threads together."""
        return sum(1e9 / ns for ns in self.ns_per_pair)

    @property
    def deviation(self) -> float:
        """Coefficient of variation of ``counts``: 0 is perfectly fair, sqrt(threads - 1) worst."""
        return fairness.deviation(self.counts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why this is not a clean measurement, one sentence a reason; empty when it is."""
        found = list(self.provenance.warnings)
        if self.lock != "none" and min(self.ns_per_pair) <= self.empty_loop_ns:
            found.append(
                "a pair took no longer than the empty loop: the difference is below the noise, or "
                "the compiler deleted the pair"
            )
        share = min(cpu / wall for cpu, wall in zip(self.cpu_ns, self.wall_ns, strict=True))
        if share < LEAST_SHARE and self.lock not in SLEEPERS:
            found.append(f"a thread ran for only {share:.1%} of its time: the CPUs were shared")
        return tuple(found)
