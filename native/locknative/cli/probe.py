"""``locklab native probe``: the costs of this machine's memory operations.

``--json`` prints::

    {"regime": {"sentinel_ns", "share", "left_out"},
     "readings": [{"probe", "cpus", "think", "option", "median_ns", "low_ns", "high_ns", "trials",
                   "rejected"}]}

Values are medians over the good trials, each trial a process; low and high are the 95 % interval.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from locknative.cli import values
from locknative.cli.options import Json, Seconds, TrialMs, Trials, plan_of
from lockui import tables
from lockui.completion import among
from lockui.console import console, progress, say
from lockui.document import print_json
from lockui.errors import reported

if TYPE_CHECKING:
    from locknative.survey.cells import Cell


@reported()
def probe(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names of probes from 'locklab native list' (default: all).",
            autocompletion=among(values.kernels("probe")),
        ),
    ] = None,
    seconds: Seconds = 60,
    trials: Trials = 10,
    trial_ms: TrialMs = 20,
    out: Annotated[Path | None, typer.Option(help="Keep the trials in this folder.")] = None,
    as_json: Json = False,
) -> None:
    """Measure the costs of this machine's memory operations, one process a trial."""
    from locknative.calibration.measure import collect_here
    from locknative.calibration.readings import read
    from locknative.errors import unknown
    from locknative.survey import host, topology
    from locknative.survey.cells import probe_cells

    cells = probe_cells(topology.read(), host.llc_kib(), host.memory_kib() // 4)
    known = {cell.kernel for cell in cells}
    for name in names or []:
        if name not in known:
            raise unknown("probe", name, known)
    chosen = [cell for cell in cells if not names or cell.kernel in names]
    plan = plan_of(seconds, trials, trial_ms)
    with tempfile.TemporaryDirectory() as scratch:
        place = out or Path(scratch)
        with progress("probes") as report:
            collect_here(chosen, place, plan, report)
        readings, regime = read(place)
        rejected = _rejected(place)
    rows = []
    for cell in chosen:
        if cell not in readings:
            continue
        low, high = readings[cell].interval_ns
        rows.append(
            {
                "probe": cell.kernel,
                "cpus": list(cell.cpus),
                "think": cell.think,
                "option": cell.option,
                "median_ns": readings[cell].value_ns,
                "low_ns": low,
                "high_ns": high,
                "trials": len(readings[cell].trials),
                "rejected": rejected.get(cell, 0),
            }
        )
    if as_json:
        print_json(
            {
                "regime": {
                    "sentinel_ns": regime.sentinel_ns,
                    "share": regime.share,
                    "left_out": regime.left_out,
                },
                "readings": rows,
            }
        )
        return
    _print(rows)
    if regime.share < 1:
        say(
            "\n  The machine changed during the measurement: handoffs took "
            f"{regime.sentinel_ns:.1f} ns for {regime.share:.0%} of the time;\n  "
            f"{regime.left_out} trials from other times are left out."
        )


def _print(rows: list[dict[str, Any]]) -> None:
    view = tables.table()
    tables.add(view, "probe")
    tables.add(view, "CPUs")
    for name in ("think", "option", "ns", "95 % interval", "trials", "rejected"):
        tables.add(view, name, right=True)
    for row in rows:
        view.add_row(
            row["probe"],
            ",".join(map(str, row["cpus"])),
            str(row["think"] or ""),
            str(row["option"] or ""),
            tables.digits(row["median_ns"]),
            f"{tables.digits(row['low_ns'])} … {tables.digits(row['high_ns'])}",
            str(row["trials"]),
            str(row["rejected"] or ""),
        )
    tables.print_table(console(), view)


def _rejected(place: Path) -> dict[Cell, int]:
    from collections import Counter

    from locknative.survey.cells import Cell
    from locknative.survey.folder import records

    return Counter(Cell.of(r["cell"]) for r in records(place) if r["rejected"] is not None)
