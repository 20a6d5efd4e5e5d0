"""Predict measured loops with a calibrated machine.

A point in ``--json`` has the keys ``kernel``, ``loop``, ``threads``, ``cpus``, ``read``, ``hold``,
``think``, ``write_share``, ``option``, ``measured_ns``, ``low_ns``, ``high_ns``, ``trials``,
``simulated_ns``, ``band_low_ns``, ``band_high_ns``, ``mva_ns``, ``markov_ns``, ``usl_ns``,
``expected`` and ``fitted``; a row of
``errors`` has ``kernel``, ``points`` and the models. Errors are means of absolute relative errors,
as fractions, over points with several CPUs. ``expected`` is the simulator's error to expect.
Factors are max(p/m, m/p) over the same points: the geometric
mean and the worst.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typing_extensions import TypedDict

from locksim.cli.values import machines
from locksim.papers.factors import Factor
from lockui import tables
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say, warn
from lockui.document import records
from lockui.report import Report

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console


app = typer.Typer(add_completion=False)


NO_POINT = (
    "no point to judge: a lock counts on two or more CPUs, if it was also measured on one CPU and\n"
    "  the calibration has not seen it; --all shows every point\n"
    "  help: run 'locklab native survey' for longer, or when the machine is idle"
)


class PredictAnswer(TypedDict):
    """Measured loops with their predictions, and the errors of each model."""

    machine: str
    points: list[dict[str, Any]]
    errors: list[dict[str, Any]]
    factors: list[Factor]


@command(app)
def predict(
    from_: Annotated[Path, Detail("the folder of a survey that measured locks")],
    machine: Annotated[
        str | None,
        Detail(
            "a calibrated profile", default="calibrated from the folder", values=among(machines)
        ),
    ] = None,
    all_: Annotated[bool, Detail("show every point")] = False,
) -> Report[PredictAnswer]:
    """Predict measured loops with a calibrated machine, beside analytic models."""
    from locknative.calibration import predictions
    from locknative.calibration.calibrate import calibrate
    from locknative.calibration.readings import read
    from locksim.machine import load

    with progress("predict") as report:
        readings, _ = read(from_)
        profile = (
            load(machine)
            if machine
            else calibrate(from_, "calibrated", lambda text: report(text, 0)).machine
        )
        table = predictions.predict(readings, profile, report)
    summary = predictions.errors(table)
    return Report(
        PredictAnswer(
            machine=profile.name,
            points=records(table),
            errors=records(summary),
            factors=predictions.factors(table),
        ),
        lambda view: _print(view, table, summary, all_=all_),
        after=lambda: _warn(predictions.other_state(readings, profile)),
    )


def _warn(text: str | None) -> None:
    if text:
        warn(text)


def _print(output: Console, table: pd.DataFrame, summary: pd.DataFrame, *, all_: bool) -> None:
    from locknative.calibration import predictions

    if all_:
        _print_points(output, table)
    if not summary["points"].any():
        say(NO_POINT, output)
        return
    view = tables.table()
    tables.add(view, "mean error over")
    columns = ("simulated", "expected", *predictions.MODELS[1:])
    for name in ("points", *columns):
        tables.add(view, name, right=True)
    for row in records(summary):
        shares = (row[name] for name in columns)
        view.add_row(
            str(row["kernel"]),
            str(row["points"]),
            *(tables.DASH if share is None else f"{share:.0%}" for share in shares),
        )
    tables.print_table(output, view)
    means = ", ".join(f"{f.model} {f.mean:.2f}" for f in predictions.factors(table))
    say(f"\n  geometric mean of max(p/m, m/p): {means}", output)
    say(
        "\n  Points with several CPUs that the calibration has not seen. The analytic models get\n"
        "  the measured time of one CPU alone; the simulator does not. 'expected' is the\n"
        "  simulator's error to expect: from what its calibration has left out, and from the\n"
        "  error of the model. --all shows the band of the model's error: it should hold 80 %."
        + (
            "\n  usl: this machine has too few CPU counts to fit the law to half of them."
            if table["usl_ns"].isna().all()
            else ""
        ),
        output,
    )


def _print_points(output: Console, table: pd.DataFrame) -> None:
    view = tables.table()
    for name in ("kernel", "loop"):
        tables.add(view, name)
    for name in ("CPUs", "hold", "think", "writes", "measured", "interval", "simulated", "band"):
        tables.add(view, name, right=True)
    tables.add(view, "error", right=True)
    tables.add(view, "expected", right=True)
    for row in records(table):
        error = row["simulated_ns"] / row["measured_ns"] - 1
        side = "read" if row["read"] else row["loop"]
        view.add_row(
            row["kernel"],
            side,
            str(row["threads"]),
            str(row["hold"]),
            str(row["think"]),
            f"{row['write_share'] / 65536:.0%}" if row["loop"] == "latency" else "",
            tables.digits(row["measured_ns"]),
            f"{tables.digits(row['low_ns'])} … {tables.digits(row['high_ns'])}",
            tables.digits(row["simulated_ns"]),
            f"{tables.digits(row['band_low_ns'])} … {tables.digits(row['band_high_ns'])}",
            f"{error:+.0%}{' fitted' if row['fitted'] else ''}",
            tables.DASH if row["expected"] is None else f"{row['expected']:.0%}",
        )
    tables.print_table(output, view)
