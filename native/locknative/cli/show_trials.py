"""Show a measurement that was kept in a file.

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
(:func:`locknative.benchmark.meter.meter_rows`). ``--report`` adds
``"report": {"format", "text"}`` and ``--plot`` adds ``"plots"``, the paths of the files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, cast

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli.meter import print_meter
from lockui import tables
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say
from lockui.errors import UsageError
from lockui.report import Chart

if TYPE_CHECKING:
    from rich.console import Console

    from locknative.benchmark.measurement import Measurement
    from lockui.plots import Plot

__all__ = ["Report", "TrialsAnswer", "chart", "check_report", "document"]

REPORTS = ("lockmeter", "lock_stat", "perf")
_ONLY_LATENCY = "only the latency loop meters locks: measure with --loop latency"

Report = Annotated[str | None, Detail(values=among(REPORTS))]

app = typer.Typer(add_completion=False)


class TrialsAnswer(TypedDict):
    """A measurement: its cells, and the lock meter of those that the latency loop measured."""

    began: str
    seconds: float
    seed: int
    precision: float
    duration_ms: int
    warmup_ms: int
    complete: bool
    clean: bool
    warnings: list[str]
    clock: dict[str, Any]
    provenance: dict[str, Any]
    cells: list[dict[str, Any]]
    meter: list[dict[str, Any]]
    report: NotRequired[dict[str, str]]


@command(app)
def show_trials(
    file: Annotated[Path, typer.Argument(help="a file that 'locklab native bench --out' wrote")],
    report: Report = None,
) -> Chart[TrialsAnswer]:
    """Show a measurement from its file."""
    from locknative.benchmark import storage

    check_report(report)
    return chart(storage.load(file), report)


def document(measurement: Measurement) -> TrialsAnswer:
    """Return what ``--json`` prints."""
    from locknative.benchmark.meter import meter_rows

    whole = measurement.model_dump(mode="json", exclude={"cells", "trials", "topology", "format"})
    own = {
        "clean": measurement.clean,
        "warnings": list(measurement.warnings),
        "cells": measurement.rows(),
        "meter": meter_rows(measurement),
    }
    return cast("TrialsAnswer", whole | own)


def check_report(report: str | None, *, loop: str = "latency") -> None:
    """Refuse a report that is not known, or that the loop cannot fill.

    Raises:
        UsageError: it is one of these.
    """
    if report is not None and report not in REPORTS:
        raise UsageError(f"--report must be {' or '.join(REPORTS)} (got {report})")
    if report is not None and loop != "latency":
        raise UsageError(f"--report {report}: {_ONLY_LATENCY}")


def chart(measurement: Measurement, report: str | None) -> Chart[TrialsAnswer]:
    """Return a measurement as an answer.

    Arguments:
        report: the format in which to print it, too.

    Raises:
        UsageError: the measurement has no lock meter to report.
    """
    text = None if report is None else _report(measurement, report)
    answer = document(measurement)
    if report is not None and text is not None:
        answer["report"] = {"format": report, "text": text}

    def show(view: Console) -> None:
        _print(view, measurement)
        if text is not None:
            say(f"\n{text}", view)

    def picture() -> Plot:
        from locknative.benchmark.plots import plot_of_measurement

        return plot_of_measurement(measurement)

    return Chart(answer, show, picture=picture)


def _report(measurement: Measurement, name: str) -> str:
    """Return the lock meter in a report's format, a table a cell."""
    from locknative.benchmark.meter import lock_tables
    from locksim.study.reports.formats import WRITERS

    found = lock_tables(measurement)
    if not found:
        raise UsageError(f"--report: {_ONLY_LATENCY}")
    return "\n".join(map(WRITERS[name], found))


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
