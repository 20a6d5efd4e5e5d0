"""A measurement: cells, the trials of each, and what they show together.

A *cell* is one thing to measure: a kernel, a loop, threads on certain CPUs, a mix. A *trial* is one
process that measured it. Trials that were disturbed are kept as rejected, and count in no value. A
cell's value is the median over its accepted trials with its 95 % interval, which assumes nothing
about the distribution of trials (it often has two peaks); the mean stands beside it.

All of it is data that can be written and read again (:mod:`locknative.benchmark.storage`).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from locknative.benchmark import fairness
from locknative.benchmark.histogram import Histogram
from locknative.compilation.executable import Clock
from locknative.host.provenance import Provenance
from locknative.survey.cells import WHOLE, Cell
from locknative.survey.topology import Cpu

if TYPE_CHECKING:
    import pandas as pd

#: Accepted trials below which a cell is not clean: fewer do not show how processes differ.
ENOUGH = 10


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Estimate(_Data):
    """A median with its 95 % interval, and the mean, of ``n`` trials.

    With fewer than six trials there is no such interval: low and high are None.
    """

    median: float
    low: float | None
    high: float | None
    mean: float
    n: int

    @property
    def half_width(self) -> float:
        """Half the interval's width as a fraction of the median; infinite without interval."""
        if self.low is None or self.high is None or not self.median:
            return math.inf
        return (self.high - self.low) / 2 / abs(self.median)


def estimate(values: Sequence[float]) -> Estimate:
    """Return median and mean of at least one value.

    The interval is exact for whatever distribution: two order statistics (Conover, Practical
    Nonparametric Statistics, 1999, chapter 3.2).
    """
    ordered, n = sorted(values), len(values)
    end = _lower_end(n)
    return Estimate(
        median=statistics.median(ordered),
        low=ordered[end - 1] if end else None,
        high=ordered[n - end] if end else None,
        mean=statistics.fmean(values),
        n=n,
    )


def _lower_end(n: int) -> int:
    """Which of n ordered values is the interval's lower end, counted from 1; 0 if none is.

    The chance that fewer of them lie below their source's median is 2.5 % at most.
    """
    end, chances = 0, 1  # in units of 1 / 2**n
    while 40 * chances <= 2**n:
        end += 1
        chances += math.comb(n, end)
    return end


class BenchCell(_Data):
    """A cell as it was asked for: with a placement, in ns and fractions.

    ``cpus`` has one CPU a thread, or none where the scheduler chooses. ``hold_ns`` and
    ``think_ns`` are what was asked for, ``hold`` and ``think`` the iterations of private work that
    take as long. ``write_share`` is a fraction of the sections: 1 for a lock with one side.
    """

    kernel: str
    loop: Literal["throughput", "latency"]
    threads: int
    placement: str
    cpus: tuple[int, ...]
    hold_ns: float = 0.0
    think_ns: float = 0.0
    hold: int = 0
    think: int = 0
    write_share: float = 1.0
    option: int = 0

    @property
    def cell(self) -> Cell:
        """The same cell as a trial repeats it, in the executable's units."""
        return Cell(
            kernel=self.kernel,
            cpus=self.cpus,
            loop=self.loop,
            read=self.loop == "throughput" and self.write_share == 0,
            hold=self.hold,
            think=self.think,
            write_share=round(WHOLE * self.write_share),
            option=self.option,
        )

    @property
    def short_title(self) -> str:
        """Kernel and threads."""
        return f"{self.kernel}, {self.threads} thread{'s' * (self.threads != 1)}"

    @property
    def title(self) -> str:
        """Kernel, threads, and the mix as far as there is one."""
        parts = [self.short_title]
        if self.hold_ns or self.think_ns:
            parts.append(f"hold {self.hold_ns:g} ns, think {self.think_ns:g} ns")
        if self.write_share < 1:
            parts.append(f"{self.write_share:.1%} write")
        return ", ".join(parts)


class Side(_Data):
    """The samples of a thread on one side of a lock (harness/samples.h); times in ticks."""

    count: int
    contended: int
    wait: Histogram
    contended_wait: Histogram
    hold: Histogram


class Tally(_Data):
    """The counts of a thread. The latency loop also has ``write`` and ``read``.

    ``passed`` is that of the torture loop: how often others entered, at most, while the thread
    waited once. ``turn_ns`` is the time of an iteration of private work just before and after the
    trial (:mod:`locknative.survey.speed`).
    """

    count: int
    writes: int
    contended: int
    overlaps: int
    torn: int
    passed: int = 0
    wall_ns: int
    cpu_ns: int
    turn_ns: float = 0.0
    write: Side | None = None
    read: Side | None = None


class Trial(_Data):
    """One process.

    ``cell`` is an index, ``number`` the trial's place in the order of all. The rest is as in
    :class:`locknative.survey.trials.Record`.
    """

    cell: int
    number: int
    seed: int
    began: str
    runnable: int | None
    steal_ticks: int
    clock: Clock
    tallies: tuple[Tally, ...]
    rejected: tuple[str, ...]

    @property
    def counts(self) -> list[int]:
        """Each thread's count."""
        return [tally.count for tally in self.tallies]

    @property
    def ns_per_operation(self) -> float:
        """Time from one section to the next on one thread, in ns."""
        return sum(tally.wall_ns for tally in self.tallies) / max(1, sum(self.counts))

    @property
    def per_second(self) -> float:
        """Sections a second of all threads together."""
        return sum(1e9 * tally.count / tally.wall_ns for tally in self.tallies)


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


class Measurement(Judged, _Data):
    """Cells and trials, with all that is needed to judge them or to run them again.

    Trials are in the order in which they ran: rounds of one trial for each cell that still needs
    some, shuffled by ``seed``. A cell ended when the relative half width of its interval was below
    ``precision``. ``complete`` is False after Ctrl-C.
    """

    format: Literal[1] = 1
    began: str
    seconds: float
    seed: int
    precision: float
    duration_ms: int
    warmup_ms: int
    cells: tuple[BenchCell, ...]
    trials: tuple[Trial, ...]
    clock: Clock
    topology: tuple[Cpu, ...]
    provenance: Provenance
    complete: bool

    def of(self, cell: int) -> list[Trial]:
        """Return the trials that a cell's values come from.

        These are the accepted ones. Where there are none, they are all, and
        :meth:`cell_warnings` says so.
        """
        trials = [trial for trial in self.trials if trial.cell == cell]
        return [trial for trial in trials if not trial.rejected] or trials

    def ns_per_operation(self, cell: int) -> Estimate:
        """Time from one section to the next on one thread, in ns."""
        return estimate([trial.ns_per_operation for trial in self.of(cell)])

    def per_second(self, cell: int) -> Estimate:
        """Sections a second of all threads together."""
        return estimate([trial.per_second for trial in self.of(cell)])

    def cell_warnings(self, cell: int) -> tuple[str, ...]:
        """Return why a cell's values are not clean, one sentence for each reason."""
        trials = [trial for trial in self.trials if trial.cell == cell]
        good = [trial for trial in trials if not trial.rejected]
        found = []
        if not good:
            found.append(f"all {len(trials)} trials were disturbed; the values come from them")
        elif len(good) < ENOUGH:
            found.append(f"{len(good)} undisturbed trials of {len(trials)}, fewer than {ENOUGH}")
        width = self.ns_per_operation(cell).half_width
        if len(good) >= ENOUGH and width > self.precision:
            found.append(f"the 95 % interval is ±{width:.1%}, wider than ±{self.precision:.1%}")
        empty = self._empty_loop(cell)
        if empty is not None:
            pair = self.ns_per_operation(cell)
            bound = self.ns_per_operation(empty)
            if pair.median <= (bound.median if bound.high is None else bound.high):
                found.append(
                    "a pair took no longer than the empty loop: the difference is below the noise, "
                    "or the compiler deleted the pair"
                )
        return tuple(found)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why this is not a clean measurement, of the machine and then of each cell."""
        found = list(self.provenance.warnings)
        if not self.complete:
            found.append("the measurement was interrupted")
        measured = {trial.cell for trial in self.trials}
        for index, cell in enumerate(self.cells):
            if index in measured:
                found += [f"{cell.title}: {warning}" for warning in self.cell_warnings(index)]
            else:
                found.append(f"{cell.title}: no trial was made")
        return tuple(found)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each measured cell: the cell, its values, fairness, percentiles."""
        measured = {trial.cell for trial in self.trials}
        return [self._row(index) for index in range(len(self.cells)) if index in measured]

    def summary(self) -> pd.DataFrame:
        """Return the rows of :meth:`rows` as a frame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def _row(self, index: int) -> dict[str, Any]:
        cell, trials = self.cells[index], self.of(index)
        all_trials = [trial for trial in self.trials if trial.cell == index]
        time, rate = self.ns_per_operation(index), self.per_second(index)
        row: dict[str, Any] = {
            **cell.model_dump(exclude={"cpus"}),
            "cpus": list(cell.cpus),
            "trials": len(all_trials),
            "rejected": sum(bool(trial.rejected) for trial in all_trials),
            "ns_per_operation": time.median,
            "ns_low": time.low,
            "ns_high": time.high,
            "ns_mean": time.mean,
            "per_second": rate.median,
            "per_second_low": rate.low,
            "per_second_high": rate.high,
        }
        for name in ("jain", "deviation", "slowest_over_fastest"):
            measure = getattr(fairness, name)
            row[name] = statistics.median(measure(trial.counts) for trial in trials)
        row["warnings"] = list(self.cell_warnings(index))
        return row

    def _empty_loop(self, cell: int) -> int | None:
        """Return the cell of the empty loop that a throughput cell is to be compared with."""
        mine = self.cells[cell]
        if mine.loop != "throughput" or mine.kernel == "none":
            return None
        for index, other in enumerate(self.cells):
            if (other.kernel, other.loop, other.cpus) == ("none", mine.loop, mine.cpus):
                return index if any(trial.cell == index for trial in self.trials) else None
        return None
