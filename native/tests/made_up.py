"""Invented measurements, for tests of what is computed from them."""

from __future__ import annotations

from locknative import Provenance
from locknative.executable import Clock
from locknative.histogram import Histogram
from locknative.measurement import BenchCell, Measurement, Side, Tally, Trial
from locknative.survey.judge import disturbances
from locknative.survey.speed import SpeedCheck
from locknative.survey.topology import Cpu

CLOCK = Clock(name="rdtscp", ticks_per_ns=2.0, cost_ns=10.0, turn_ns=0.5, sample_every=61)

QUIET = Provenance(
    cpu_model="a CPU",
    kernel="6.1",
    virtualised=False,
    smt=False,
    governors=("performance", "performance"),
    pinned=(0, 1),
    compiler="GNU 12.2.0",
    flags="-O2",
    steal_before=7,
    steal_after=7,
)

CELL = BenchCell(kernel="tas", loop="latency", threads=2, placement="compact", cpus=(0, 1))
NOTHING = Histogram()


def side(count: int, contended: int, hold: int, wait: int) -> Side:
    """One sample of each: a hold, and a wait that was contended; times in ticks."""
    one = Histogram(total=wait, longest=wait, counts=((wait, 1, 1),))
    held = Histogram(total=hold, longest=hold, counts=((hold, 1, 1),))
    return Side(count=count, contended=contended, wait=one, contended_wait=one, hold=held)


def tally(count: int, cpu_ns: int = 1_000_000, wall_ns: int = 1_000_000) -> Tally:
    """A thread that wrote only: a quarter waited, hold 100 ns and wait 510 ns with the clock."""
    return Tally(
        count=count,
        writes=count,
        contended=count // 4,
        overlaps=0,
        torn=0,
        wall_ns=wall_ns,
        cpu_ns=cpu_ns,
        write=side(count, count // 4, hold=200, wait=1020),
        read=Side(count=0, contended=0, wait=NOTHING, contended_wait=NOTHING, hold=NOTHING),
    )


def trial(number: int, count: int = 1000, *, cell: int = 0, cpu_ns: int = 1_000_000) -> Trial:
    """Two threads with ``count`` and a third of it; rejected if the CPU time says so."""
    tallies = (tally(count, cpu_ns), tally(count // 3))
    return Trial(
        cell=cell,
        number=number,
        seed=number,
        began="2026-01-01T00:00:00",
        runnable=0,
        steal_ticks=0,
        clock=CLOCK,
        tallies=tallies,
        rejected=disturbances([each.model_dump() for each in tallies], 0, SpeedCheck()),
    )


def measurement(trials: list[Trial], cells: tuple[BenchCell, ...] = (CELL,)) -> Measurement:
    """A measurement of these trials on a quiet machine."""
    return Measurement(
        began="2026-01-01T00:00:00",
        seconds=1.0,
        seed=1,
        precision=0.02,
        duration_ms=1,
        warmup_ms=0,
        cells=cells,
        trials=tuple(trials),
        clock=CLOCK,
        topology=(Cpu(0, 0, 0, 0, 0), Cpu(1, 1, 0, 0, 0)),
        provenance=QUIET,
        complete=True,
    )
