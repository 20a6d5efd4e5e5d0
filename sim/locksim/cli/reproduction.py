"""A reproduction as people read it: the cells, the parameters, and the summary.

Every cell carries its role, because a cell that a parameter was set from, or that a fit has seen,
proves nothing; the summary therefore counts predicted cells only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from locksim.experiments.experiment import Cell, Reproduction

__all__ = ["print_reproduction"]


def print_reproduction(result: Reproduction, *, parameters: bool = True) -> None:
    """Print a reproduction on stdout.

    Args:
        result: what an experiment's ``reproduce`` gave.
        parameters: whether to list every parameter with value, unit, role and source.
    """
    output = Console(highlight=False)
    output.print(f"[bold]{escape(result.experiment)}[/bold]  {escape(result.title)}")
    output.print(f"source: {escape(result.source)}")
    output.print(f"machine: {escape(result.machine)}")
    output.print(_cells(result.cells))
    if parameters:
        output.print(_parameters(result))
    for line in _summary(result):
        output.print(line, markup=False)


def _cells(cells: list[Cell]) -> Table:
    """Return the published table beside its simulation, one row a cell."""
    table = Table(box=box.SIMPLE_HEAD)
    for name in ("row", "column"):
        table.add_column(name, no_wrap=True)
    for name in ("published", "understood", "simulated", "95 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("role", no_wrap=True)
    table.add_column("error", justify="right", no_wrap=True)
    for cell in cells:
        table.add_row(
            escape(cell.row),
            escape(cell.column),
            escape(cell.published or "–"),
            _number(cell.understood, cell.unit),
            _number(cell.simulated, cell.unit),
            f"{_number(cell.low)} … {_number(cell.high)}",
            cell.role,
            "–" if cell.error is None else f"{cell.error:+.1%}",
        )
    return table


def _parameters(result: Reproduction) -> Table:
    """Return every figure that the simulation used."""
    table = Table(title="parameters", box=box.SIMPLE_HEAD)
    table.add_column("name", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("role", no_wrap=True)
    table.add_column("source", overflow="fold")
    for p in result.parameters:
        value = _number(p.value) if isinstance(p.value, int | float) else str(p.value)
        table.add_row(escape(p.name), escape(value), escape(p.unit), p.role, escape(p.source))
    return table


def _summary(result: Reproduction) -> list[str]:
    """Return the lines below the tables."""
    summary = result.summary()
    lines = [f"{summary['fitted']} fitted parameters, {summary['predicted']} predicted cells"]
    if summary["mean_abs_error"] is not None:
        lines.append(
            f"error over the predicted cells: mean {summary['mean_abs_error']:.1%}, "
            f"worst {summary['worst_abs_error']:.1%}"
        )
    if summary["fitted"] > summary["predicted"]:
        lines.append("more fitted parameters than predicted cells: this is no reproduction")
    if not result.complete:
        lines.append("interrupted: these are the cells that were finished")
    return lines


def _number(value: float | None, unit: str = "") -> str:
    """Return a number with at least four significant digits, its unit behind it."""
    if value is None:
        return "–"
    text = f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    return f"{text} {unit}".rstrip()
