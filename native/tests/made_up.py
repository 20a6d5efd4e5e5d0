"""Invented measurements, for tests of what is computed from them."""

from __future__ import annotations

import random
from collections.abc import Container
from datetime import UTC, datetime, timedelta

from locknative import Provenance
from locknative.benchmark.histogram import Histogram
from locknative.benchmark.measurement import BenchCell, Measurement, Side, Tally, Trial
from locknative.compilation.executable import Clock
from locknative.survey.judge import disturbances
from locknative.survey.speed import SpeedCheck
from locknative.survey.topology import Cpu
from locknative.survey.trials import rounds

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


def consistent(
    kernels: tuple[str, ...] = ("ticket", "mcs"),
    seed: int = 5,
    each: int = 6,
    disturbed: Container[int] = (4,),
) -> Measurement:
    """A measurement of which every part follows from the others, as ``bench`` writes it.

    Each section has 500 ns of private work, of which two threads do 8,000 and 4,000 in 10 ms. In
    the disturbed trials a thread had its CPU for half of the time.

    Args:
        kernels: one for each cell. seed: of the order of the trials. each: trials of a cell.
        disturbed: numbers of trials.
    """
    cells = tuple(
        CELL.model_copy(update={"kernel": kernel, "think_ns": 500.0, "think": 1000})
        for kernel in kernels
    )
    began = datetime(2026, 1, 2, tzinfo=UTC)
    numbers = [0] * len(cells)
    speed, trials = SpeedCheck(), list[Trial]()
    dice = random.Random(seed)
    for cell, drawn in rounds(range(len(cells)), lambda index: numbers[index] < each, dice):
        numbers[cell] += 1
        number = len(trials)
        tallies = tuple(
            _sampled(count, cpu_ns=(5_000_000 if number in disturbed else 10_000_000) - number)
            for count in (8000, 4000)
        )
        shown = [one.model_dump() for one in tallies]
        speed.add([one.turn_ns for one in tallies])
        trials.append(
            Trial(
                cell=cell,
                number=number,
                seed=drawn,
                began=(began + (number + 1) * timedelta(milliseconds=20)).isoformat(),
                runnable=0,
                steal_ticks=0,
                clock=CLOCK,
                tallies=tallies,
                rejected=disturbances(shown, 0, speed, 10_000_000),
            )
        )
    return measurement(trials, cells).model_copy(
        update={"began": began.isoformat(), "seed": seed, "duration_ms": 10, "warmup_ms": 1}
    )


def _sampled(count: int, cpu_ns: int) -> Tally:
    """A thread that wrote for 10 ms; one section in ``sample_every`` was timed, 100 ns each."""
    timed = -(-count // CLOCK.sample_every)
    times = Histogram(total=200 * timed, longest=200, counts=((200, 1, timed),))
    write = Side(count=count, contended=count, wait=times, contended_wait=times, hold=times)
    return tally(count, cpu_ns, wall_ns=10_000_000).model_copy(
        update={"write": write, "contended": count, "turn_ns": CLOCK.turn_ns}
    )
