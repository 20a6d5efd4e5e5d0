"""Measure this machine's memory costs and write them as a profile for the simulator."""

from __future__ import annotations

import platform
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typing_extensions import TypedDict

from locknative.calibration.readings import Regime
from locknative.cli.options import Trials
from locksim.cli.show_machine import MachineAnswer, document
from lockui import tables
from lockui.command import Detail, command
from lockui.console import progress, say, warn
from lockui.errors import saving
from lockui.extras import demand
from lockui.portable import usable_cpus
from lockui.report import Chart

if TYPE_CHECKING:
    from rich.console import Console

    from locknative.calibration import Calibration
    from locknative.calibration.expected import Pairs
    from lockui.plots import Plot

app = typer.Typer(add_completion=False)

PROFILE = Path("machine.toml")


class CellEntry(TypedDict):
    """A reading, as it was measured and as the profile has it."""

    kernel: str
    cpus: list[int]
    read: bool
    think: int
    option: int
    measured_ns: float
    simulated_ns: float


class ExpectedEntry(TypedDict):
    """The error that predictions are expected to have, where a loop has no private work.

    ``error`` is a mean of absolute relative errors, as a fraction, with its 95 % interval.
    ``left_out`` are readings that were predicted by a fit to the others, ``checked`` loops of
    locks that no fit has seen.
    """

    error: float
    low: float
    high: float
    left_out: list[CellEntry]
    checked: list[CellEntry]


class ServedEntry(TypedDict):
    """The rule by which a line is served next, its error, and that of each other rule."""

    rule: Any
    passes: Any
    error: float
    others: dict[str, float]


class FitEntry(TypedDict):
    """A fit: its error is the root mean square of the logarithms of simulated over measured."""

    costs: list[str]
    error: float
    cells: list[CellEntry]


class CalibrateAnswer(TypedDict):
    """The profile, the fits behind it, and the probes that are missing."""

    file: str
    machine: MachineAnswer
    regime: Regime
    expected: ExpectedEntry | None
    warnings: list[str]
    missing: list[str]
    served_next: ServedEntry | None
    fits: list[FitEntry]


@command(app)
def calibrate(
    trials: Trials,
    out: Annotated[Path, Detail("the profile")] = PROFILE,
    name: Annotated[str, Detail(default="the host's")] = "",
    from_: Annotated[Path | None, Detail("the folder of a survey; nothing is measured")] = None,
) -> Chart[CalibrateAnswer]:
    """Measure this machine's memory costs and write them as a profile for the simulator.

    The profile is used by its path: ``locklab show machine machine.toml``,
    ``locklab run mcs --machine machine.toml``, ``simulate(..., machine="machine.toml")``.
    """
    from locknative.calibration.calibrate import calibrate as solve
    from locknative.calibration.calibrate import calibration_cells
    from locknative.calibration.measure import collect_here
    from locknative.calibration.profile import toml
    from locknative.errors import NativeError
    from locknative.survey import host, topology

    name = name or _name()
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,63}", name):
        raise NativeError(f"--name {name}: use lower-case letters, digits, '-' and '.', at most 64")
    if out.suffix != ".toml":
        raise NativeError(
            f"--out {out}: the name must end in .toml, so that other commands find it"
        )
    demand("'locklab machine calibrate'", "scipy", package=__package__)
    plan = trials.plan()
    with tempfile.TemporaryDirectory() as scratch, progress("calibrate") as report:
        folder = from_ or Path(scratch)
        if from_ is None:
            cells = calibration_cells(topology.read(), host.llc_kib(), host.memory_kib() // 4)
            collect_here(cells, folder, plan, lambda text, done: report(text, 0.7 * done))
        found = solve(folder, name, lambda text: report(text, 0.8))
    if found.regime.share < 1:
        warn(f"{found.regime.in_words}; the profile is of the first state")
    with saving("--out"):
        out.write_text(toml(found.document), encoding="utf-8")

    def picture() -> Plot:
        from locknative.calibration.plots import plot_of_calibration

        return plot_of_calibration(found)

    return Chart(_document(found, out), lambda view: _print(view, found, out), picture=picture)


def _name() -> str:
    host = re.sub(r"[^a-z0-9.-]+", "-", platform.node().lower()).strip("-.")[:50]
    return f"{host or 'this'}-{usable_cpus()}"


def _document(found: Calibration, out: Path) -> CalibrateAnswer:
    from locknative.calibration.expected import warnings

    return {
        "file": str(out),
        "machine": document(found.machine),
        "regime": found.regime,
        "expected": _expected(found),
        "warnings": warnings(list(found.fits.values())),
        "missing": list(found.missing),
        "served_next": _served_next(found),
        "fits": [
            {
                "costs": list(fit.costs),
                "error": fit.error,
                "cells": _cells(fit.cells),
            }
            for fit in found.fits.values()
        ],
    }


def _served_next(found: Calibration) -> ServedEntry | None:
    if found.rule is None:
        return None
    settings = found.rule.settings
    return {
        "rule": settings["arbitration"],
        "passes": settings.get("arbitration_passes"),
        "error": found.rule.error,
        "others": found.rule.others,
    }


def _expected(found: Calibration) -> ExpectedEntry | None:
    error = found.expected
    if error is None:
        return None
    return {
        "error": error.error,
        "low": error.low,
        "high": error.high,
        "left_out": _cells(error.left_out),
        "checked": _cells(error.checked),
    }


def _cells(pairs: Pairs) -> list[CellEntry]:
    return [
        {
            "kernel": cell.kernel,
            "cpus": list(cell.cpus),
            "read": cell.read,
            "think": cell.think,
            "option": cell.option,
            "measured_ns": measured,
            "simulated_ns": simulated,
        }
        for cell, (measured, simulated) in pairs.items()
    ]


def _print(output: Console, found: Calibration, out: Path) -> None:
    from locknative.calibration.expected import warnings
    from locksim.cli.reproduction import print_parameters

    output.print(f"[bold]{found.machine.name}[/bold]  {found.machine.title}")
    if found.machine.origin is not None:
        output.print(found.machine.origin.note)
    print_parameters(output, found.machine.parameters())
    for fit in found.fits.values():
        _print_pairs(output, "fitted to", "simulated", fit.cells)
        if fit.left_out:
            _print_pairs(output, "left out of the fit", "predicted", fit.left_out)
    if found.rule is not None:
        _print_pairs(
            output,
            "served next",
            " ".join(map(str, found.rule.settings.values())),
            found.rule.cells,
        )
    if found.missing:
        say(f"not measured, so what it would show is assumed: {', '.join(found.missing)}", output)
    for text in warnings(list(found.fits.values())):
        say(f"warning: {text}", output)
    if found.expected is not None:
        _print_pairs(output, "never fitted", "predicted", found.expected.checked)
    origin = found.machine.origin
    known = origin.expected_error if origin else None
    say(f"\nexpected error of predictions: {known or 'unknown, nothing could be left out'}", output)
    say(
        f"\n{out} is written; 'locklab native predict --machine {out}' checks its predictions",
        output,
    )


def _print_pairs(output: Console, title: str, model: str, pairs: Pairs) -> None:
    """Print readings as measured and as a model has them."""
    view = tables.table()
    for column in (title, "CPUs"):
        tables.add(view, column)
    for column in ("think", "option", "measured", model, "error"):
        tables.add(view, column, right=True)
    for cell, (measured, simulated) in pairs.items():
        view.add_row(
            f"{cell.kernel}, readers" if cell.read else cell.kernel,
            ",".join(map(str, cell.cpus)),
            str(cell.think or ""),
            str(cell.option or ""),
            f"{tables.digits(measured)} ns",
            f"{tables.digits(simulated)} ns",
            f"{simulated / measured - 1:+.0%}",
        )
    tables.print_table(output, view)
