"""``locklab native bench`` and ``show``: measure kernels on real cores, and show the result again.

``--json`` prints one object::

    {"began", "seconds", "seed", "precision", "duration_ms", "warmup_ms", "complete", "clean",
     "warnings": [text], "clock", "provenance",
     "cells": [{"kernel", "loop", "threads", "placement", "cpus", "hold_ns", "think_ns", "hold",
                "think", "write_share", "option", "trials", "rejected", "ns_per_operation",
                "ns_low", "ns_high", "ns_mean", "per_second", "per_second_low", "per_second_high",
                "jain", "deviation", "slowest_over_fastest", "warnings"}],
     "meter": [{"lock", "cell", "side", "util", "con", "hold_ns", "hold_max_ns", "wait_ns",
                "wait_max_ns", "cpu_share", "total", "nowait", "spin", "per_second", "readers_max",
                "busy_ns", "busy_max_ns", "rejected", "con_ww", "wait_ww_ns", "wait_ww_max_ns",
                "hold_p50_ns", "hold_p90_ns", "hold_p99_ns", "hold_p999_ns",
                "wait_p50_ns", "wait_p90_ns", "wait_p99_ns", "wait_p999_ns",
                "violations", "samples", "clock_ns", "wait", "hold"}]}

Values are medians over the accepted trials; low and high are the 95 % interval, null with fewer
than six. ``meter`` has rows for the latency loop
(:func:`locknative.benchmark.meter.meter_rows`). ``--out`` keeps every trial. ``--report`` adds
``"report": {"format", "text"}`` and ``--plot`` adds ``"plots"``, the paths of the files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from locknative.cli import values
from locknative.cli.options import Json
from locksim.cli.meter import print_meter
from locksim.cli.options import PLACEMENTS, Latex, Plots, check_latex, read_placement, say_plots
from lockui import tables
from lockui.arguments import bounded, whole_numbers
from lockui.completion import among
from lockui.console import console, progress, say
from lockui.document import print_json
from lockui.errors import UsageError, interrupted, reported
from lockui.plots import check_files, save_each

if TYPE_CHECKING:
    from rich.console import Console

    from locknative.benchmark.measurement import Measurement

REPORTS = ("lockmeter",)
_ONLY_LATENCY = "only the latency loop meters locks: measure with --loop latency"
Report = Annotated[
    str | None,
    typer.Option(
        help=f"also print a report in this format: {', '.join(REPORTS)}",
        autocompletion=among(REPORTS),
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("bench")(bench)
    app.command("show")(show)


@reported()
def bench(
    kernels: Annotated[
        list[str],
        typer.Argument(
            help="names from 'locklab native list'; FILE.py:CLASS, or emitted:NAME for a lock of "
            "the library, is printed as C and compiled",
            autocompletion=among(values.kernels("lock", "structure", "workload")),
        ),
    ],
    threads: Annotated[str, typer.Option(help="numbers of threads: 1,2,4")] = "1,2",
    loop: Annotated[
        str,
        typer.Option(
            help="latency, or throughput (bare pairs)",
            autocompletion=among(("latency", "throughput")),
        ),
    ] = "latency",
    hold_ns: Annotated[str, typer.Option(help="time inside a section, in ns: 0,100")] = "0",
    think_ns: Annotated[str, typer.Option(help="time between two sections, in ns: 0,400")] = "0",
    write_share: Annotated[
        str, typer.Option(help="fraction of sections that write, of locks with a read side: 1,0.1")
    ] = "1",
    placement: Annotated[
        str,
        typer.Option(
            help="compact, scatter, free (not pinned), or CPU numbers: 0,4",
            autocompletion=among((*PLACEMENTS, "free")),
        ),
    ] = "compact",
    option: Annotated[
        int,
        typer.Option(help="a number for a structure or workload; its source says what it means"),
    ] = 0,
    duration_ms: Annotated[int, typer.Option(help="measured time of a trial")] = 100,
    warmup_ms: Annotated[int, typer.Option(help="time before it, on the same state")] = 20,
    precision: Annotated[
        float, typer.Option(help="relative half width of the 95 % interval that ends a cell")
    ] = 0.02,
    trials: Annotated[int, typer.Option(help="at most this many trials of a cell")] = 40,
    seconds: Annotated[float, typer.Option(help="at most this time for all cells")] = 120.0,
    seed: Annotated[
        int | None,
        typer.Option(help="of the order of trials and the threads' dice (default: random)"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="keep all trials in this file (.json or .parquet)")
    ] = None,
    report: Report = None,
    plots: Plots = None,
    latex: Latex = False,
    as_json: Json = False,
) -> None:
    """Measure kernels on real cores, one process a trial, in random order.

    Exit code 1: no thread could enter a lock any more. 2: bad input, or this machine cannot do it.
    """
    from locknative.benchmark import runner, storage

    _check(report, plots or [], loop=loop)
    check_latex(latex, as_json)
    if out is not None:
        storage.check_path(out)
    with progress("bench") as report_progress:
        measurement = runner.bench(
            kernels,
            whole_numbers(threads, "--threads"),
            loop=loop,  # type: ignore[arg-type]  # checked there
            hold_ns=_numbers(hold_ns, "--hold-ns"),
            think_ns=_numbers(think_ns, "--think-ns"),
            write_share=_numbers(write_share, "--write-share"),
            placement=placement if placement == "free" else read_placement(placement),
            option=bounded(option, "--option", 0, 2**32 - 1),
            duration_ms=duration_ms,
            warmup_ms=warmup_ms,
            stopping=runner.Stopping(precision, trials, seconds),
            seed=seed,
            progress=report_progress,
        )
    if out is not None:
        storage.save(measurement, out)
    _answer(measurement, report, plots or [], latex=latex, as_json=as_json)
    if not measurement.complete:
        raise interrupted("these are the finished trials")


@reported()
def show(
    file: Annotated[Path, typer.Argument(help="a file that 'bench --out' wrote")],
    report: Report = None,
    plots: Plots = None,
    latex: Latex = False,
    as_json: Json = False,
) -> None:
    """Show a measurement from its file."""
    from locknative.benchmark import storage

    _check(report, plots or [])
    check_latex(latex, as_json)
    _answer(storage.load(file), report, plots or [], latex=latex, as_json=as_json)


def document(measurement: Measurement) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    from locknative.benchmark.meter import meter_rows

    whole = measurement.model_dump(mode="json", exclude={"cells", "trials", "topology", "format"})
    return {
        **whole,
        "clean": measurement.clean,
        "warnings": list(measurement.warnings),
        "cells": measurement.rows(),
        "meter": meter_rows(measurement),
    }


def _check(report: str | None, plots: list[Path], *, loop: str = "latency") -> None:
    check_files(plots)
    if report is not None and report not in REPORTS:
        raise UsageError(f"--report must be {' or '.join(REPORTS)} (got {report})")
    if report is not None and loop != "latency":
        raise UsageError(f"--report {report}: {_ONLY_LATENCY}")


def _answer(
    measurement: Measurement,
    report: str | None,
    plots: list[Path],
    *,
    latex: bool,
    as_json: bool,
) -> None:
    text = None if report is None else _report(measurement)
    if plots:
        from locknative.benchmark.plots import plot_of_measurement

        save_each(plot_of_measurement(measurement), plots)
    if as_json:
        added: dict[str, Any] = {} if text is None else {"report": {"format": report, "text": text}}
        added |= {"plots": plots} if plots else {}
        print_json({**document(measurement), **added})
        return
    output = console(latex=latex)
    _print(output, measurement)
    if plots:
        say_plots(plots, output)
    if text is not None:
        say(f"\n{text}", output)


def _report(measurement: Measurement) -> str:
    """Return the lock meter in lockmeter's format, a table a cell."""
    from locknative.benchmark.meter import lock_tables
    from locksim.study.reports import lockmeter

    found = lock_tables(measurement)
    if not found:
        raise UsageError(f"--report: {_ONLY_LATENCY}")
    return "\n".join(map(lockmeter.text, found))


def _print(output: Console, measurement: Measurement) -> None:
    """Print the cells, the lock meter, the waits, and the warnings."""
    from locknative.benchmark.meter import meter_rows

    machine = measurement.provenance
    output.print(f"[bold]{escape(machine.cpu_model)}[/bold], Linux {escape(machine.kernel)}")
    names = _names(measurement)
    _print_cells(output, measurement, names)
    meter = [{**row, "lock": names[row["cell"]]} for row in meter_rows(measurement)]
    print_meter(output, meter)
    _print_waits(output, meter)
    warnings = measurement.warnings
    if warnings:
        output.print("\n  Not a clean measurement:")
    for warning in warnings:
        output.print(f"  - {warning}", markup=False, soft_wrap=True)


def _names(measurement: Measurement) -> list[str]:
    """Return a name for each cell, without the mix where it is the same for all cells."""
    cells = measurement.cells
    if len({(cell.hold_ns, cell.think_ns, cell.write_share) for cell in cells}) > 1:
        return [cell.title for cell in cells]
    return [cell.short_title for cell in cells]


def _print_cells(output: Console, measurement: Measurement, names: list[str]) -> None:
    view = tables.table()
    tables.add(view, "cell", fold=True)
    for head in ("time / op", "95 % interval", "rate", "fair", "trials"):
        tables.add(view, head, right=True)
    for row, index in zip(measurement.rows(), _measured(measurement), strict=True):
        scale = tables.scale_of(row["ns_per_operation"], "ns")
        interval = tables.DASH
        if row["ns_low"] is not None:
            interval = f"{scale.number(row['ns_low'])} … {scale.text(row['ns_high'])}"
        view.add_row(
            escape(names[index]),
            scale.text(row["ns_per_operation"]),
            interval,
            tables.scale_of(row["per_second"], "1/s").text(row["per_second"]),
            f"{row['slowest_over_fastest']:.2f}",
            f"{row['trials'] - row['rejected']}/{row['trials']}",
        )
    tables.print_table(output, view)
    first = measurement.cells[0]
    if names[0] == first.short_title:
        output.print(f"\n  hold {first.hold_ns:g} ns, think {first.think_ns:g} ns", end="")
        output.print(f", {first.write_share:.1%} write" if first.write_share < 1 else "")
    output.print(
        "\n  Medians over the accepted trials, one process each. time / op: from one\n"
        "  operation to the next on one thread. rate: of all threads. fair: slowest\n"
        "  thread over fastest. trials: accepted of all.",
        markup=False,
    )


def _print_waits(output: Console, meter: list[dict[str, Any]]) -> None:
    """Print the percentiles of the sampled waits."""
    if not meter:
        return
    view = tables.table()
    tables.add(view, "from acquire to entry", fold=True)
    heads = list(meter[0]["wait"])
    for head in heads:
        tables.add(view, head, right=True)
    for row in meter:
        name = row["lock"] + (" (read)" if row["side"] == "read" else "")
        texts = [
            tables.DASH if time is None else tables.scale_of(time, "ns").text(time)
            for time in (row["wait"][head] for head in heads)
        ]
        view.add_row(escape(name), *texts)
    tables.print_table(output, view)
    output.print(
        f"\n  Sampled times contain one reading of the clock, {meter[0]['clock_ns']:.3g} ns;\n"
        "  UTIL and % CPU do not.",
        markup=False,
    )


def _measured(measurement: Measurement) -> list[int]:
    return sorted({trial.cell for trial in measurement.trials})


def _numbers(text: str, option: str) -> list[float]:
    """Read ``0,100,2.5``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{option} must be numbers such as 0,100,2.5 (got {text})") from None
