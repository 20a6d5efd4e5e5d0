"""``locklab native predict``: measured loops beside the predictions of a calibrated machine.

``--json`` prints::

    {"machine", "points": [{"kernel", "loop", "threads", "cpus", "read", "hold", "think",
      "write_share", "option", "measured_ns", "low_ns", "high_ns", "trials", "simulated_ns",
      "mva_ns", "markov_ns", "usl_ns", "expected", "fitted"}],
     "errors": [{"kernel", "points", "simulated", "expected", "mva", "markov", "usl"}],
     "factors": [{"model", "points", "mean", "worst"}]}

Errors are means of absolute relative errors, as fractions, over points with several CPUs.
``expected`` is the simulator's error as the profile expects it; null if it expects none.
Factors are max(p/m, m/p) over the same points: the geometric mean and the worst.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from locknative.cli.options import Json
from lockui import tables
from lockui.console import console, progress, say
from lockui.document import print_json, records
from lockui.errors import reported

if TYPE_CHECKING:
    import pandas as pd


@reported()
def predict(
    from_: Annotated[
        Path, typer.Option("--from", help="The folder of a survey that measured locks.")
    ],
    machine: Annotated[
        Path | None,
        typer.Option(help="A calibrated profile (default: calibrated from the folder)."),
    ] = None,
    points: Annotated[bool, typer.Option("--points", help="Show every point.")] = False,
    as_json: Json = False,
) -> None:
    """Predict measured loops with a calibrated machine, beside analytic models."""
    from locknative.calibration import predictions as predictions
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
    if as_json:
        print_json(
            {
                "machine": profile.name,
                "points": records(table),
                "errors": records(summary),
                "factors": [asdict(one) for one in predictions.factors(table)],
            }
        )
        return
    if points:
        _print_points(table)
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
    tables.print_table(console(), view)
    means = ", ".join(f"{f.model} {f.mean:.2f}" for f in predictions.factors(table))
    say(f"\n  geometric mean of max(p/m, m/p): {means}")
    say(
        "\n  Points with several CPUs that the calibration has not seen. The analytic models get\n"
        "  the measured time of one CPU alone; the simulator does not. 'expected' is the\n"
        "  simulator's error as the profile states it, from what its calibration has left out."
        + (
            "\n  usl: this machine has too few CPU counts to fit the law to half of them."
            if table["usl_ns"].isna().all()
            else ""
        )
    )


def _print_points(table: pd.DataFrame) -> None:
    view = tables.table()
    for name in ("kernel", "loop"):
        tables.add(view, name)
    for name in ("CPUs", "hold", "think", "writes", "measured", "interval", "simulated", "error"):
        tables.add(view, name, right=True)
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
            f"{error:+.0%}{' fitted' if row['fitted'] else ''}",
            tables.DASH if row["expected"] is None else f"{row['expected']:.0%}",
        )
    tables.print_table(console(), view)
