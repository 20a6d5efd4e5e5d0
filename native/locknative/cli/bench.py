"""Measure C kernels on real cores, one process a trial.

``--json`` prints the object of ``locklab show trials --json``; ``--out`` keeps every trial.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from locknative.cli import values
from locknative.cli.options import whole_ms
from locknative.cli.show_trials import Report, TrialsAnswer, chart, check_report
from locksim.cli.options import PLACEMENTS, read_placement
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress
from lockui.errors import interrupted
from lockui.quantities import MS, NS, PERCENT, SECOND, Numbers, Share, Shares, Time, Times
from lockui.report import Chart

if TYPE_CHECKING:
    from locknative.benchmark.measurement import Measurement

ONE_AND_TWO = Numbers([1, 2])
NO_TIME, ONLY_WRITERS = Times([Time(0)]), Shares([Share(0)])
TRIAL, ALL_CELLS, NARROW = Time(100 * MS), Time(120 * SECOND), Share(2 * PERCENT)
WARMUP = 5
"""A trial warms up for this part of its measured time, on the same state."""

app = typer.Typer(add_completion=False)


@command(app)
def bench(
    kernels: Annotated[
        list[str],
        typer.Argument(
            help="names from 'locklab show kernel'; FILE.py:CLASS, or emitted:NAME for a lock of "
            "the library, is printed as C and compiled",
            autocompletion=among(values.kernels("lock", "structure", "workload")),
        ),
    ],
    threads: Annotated[Numbers, Detail("or several", default="1,2")] = ONE_AND_TWO,
    hold: Annotated[Times, Detail("or several: 0ns,100ns")] = NO_TIME,
    think: Annotated[Times, Detail("or several: 0ns,400ns")] = NO_TIME,
    reads: Annotated[Shares, Detail("of a lock with a read side; or several: 0%,90%")] = (
        ONLY_WRITERS
    ),
    loop: Annotated[str, Detail(values=among(("latency", "throughput")))] = "latency",
    placement: Annotated[
        str, Detail("or free: not pinned", among((*PLACEMENTS, "free")))
    ] = "compact",
    set_: Annotated[int, Detail("a number")] = 0,
    duration: Time = TRIAL,
    trials: Annotated[int, Detail("at most")] = 40,
    precision: Share = NARROW,
    max_time: Annotated[Time, Detail("for all cells")] = ALL_CELLS,
    seed: Annotated[int | None, Detail("trials' order, threads' dice", default="random")] = None,
    out: Annotated[Path | None, Detail("keeps all trials: .json or .parquet")] = None,
    report: Report = None,
) -> Chart[TrialsAnswer]:
    """Measure kernels on real cores, one process a trial, in random order.

    Exit code 1: no thread could enter a lock any more. 2: bad input, or this machine cannot do it.
    """
    from locknative.benchmark import runner, storage

    check_report(report, loop=loop)
    if out is not None:
        storage.check_path(out)
    duration_ms = whole_ms(duration)
    with progress("bench") as report_progress:
        measurement = runner.bench(
            kernels,
            list(threads),
            loop=loop,  # type: ignore[arg-type]  # checked there
            hold_ns=[time / NS for time in hold],
            think_ns=[time / NS for time in think],
            write_share=[1 - share / (100 * PERCENT) for share in reads],
            placement=placement if placement == "free" else read_placement(placement),
            option=bounded(set_, "--set", 0, 2**32 - 1),
            duration_ms=duration_ms,
            warmup_ms=max(1, duration_ms // WARMUP),
            stopping=runner.Stopping(precision.fraction, trials, max_time.seconds),
            seed=seed,
            progress=report_progress,
        )
    if out is not None:
        storage.save(measurement, out)
    return replace(chart(measurement, report), after=partial(_check_end, measurement))


def _check_end(measurement: Measurement) -> None:
    """End the command as Ctrl-C does, if that ended the measurement."""
    if not measurement.complete:
        raise interrupted("these are the finished trials")
