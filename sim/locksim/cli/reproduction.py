"""A reproduction as people read it: the cells, the parameters, and the summary.

Every cell carries its role, because a cell that a parameter was set from, or that a fit has seen,
proves nothing; the summary therefore counts predicted cells only. Sources are numbered and listed
once, below the parameters: many figures share one, and beside the figures there is no room.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from locksim.cli.tables import DASH, add, at_least_80, decimals, fixed, print_table, table

if TYPE_CHECKING:
    from locksim.experiments.experiment import Cell, Reproduction
    from locksim.machine import Parameter

__all__ = ["print_parameters", "print_reproduction", "summary_lines", "value_text"]


def print_reproduction(result: Reproduction, *, parameters: bool = True) -> None:
    """Print a reproduction on stdout.

    Args:
        result: what an experiment's ``reproduce`` gave.
        parameters: whether to list every parameter with value, unit, role and source.
    """
    output = at_least_80(Console(highlight=False))
    output.print(f"[bold]{escape(result.experiment)}[/bold]  {escape(result.title)}")
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_row("source", escape(result.source))
    facts.add_row("machine", escape(result.machine))
    output.print(facts)
    _print_cells(output, result.cells)
    if parameters:
        print_parameters(output, result.parameters)
    if "models" in result.extra:
        _print_models(output, result.extra["models"])
    output.print()
    for line in summary_lines(result):
        output.print(line, markup=False)


def print_parameters(output: Console, parameters: Sequence[Parameter]) -> None:
    """Print figures with value, unit, role and the number of their source, then the sources.

    Args:
        output: where to.
        parameters: the figures, in the order to print them.
    """
    numbers = {source: i for i, source in enumerate(dict.fromkeys(p.source for p in parameters), 1)}
    view = table()
    add(view, "parameter", fold=True)
    add(view, "value", right=True)
    add(view, "unit")
    known = any(p.low is not None for p in parameters)
    if known:
        add(view, "95 % interval", right=True)
    add(view, "role")
    add(view, "source", right=True)
    for p in parameters:
        mark = escape(f"[{numbers[p.source]}]")
        between = [_between(p)] if known else []
        view.add_row(
            escape(p.name), escape(value_text(p.value)), escape(p.unit), *between, p.role, mark
        )
    print_table(output, view)
    sources = Table.grid(padding=(0, 1, 0, 0))
    sources.add_column(justify="right", no_wrap=True)
    sources.add_column(overflow="fold")
    for source, i in numbers.items():
        sources.add_row(escape(f"[{i}]"), escape(source))
    print_table(output, sources)


def _print_cells(output: Console, cells: list[Cell]) -> None:
    """Print the published table beside its simulation, one row a cell, rows of a kind together."""
    units = {
        unit: decimals(v for c in cells if c.unit == unit for v in (c.understood or 0, c.simulated))
        for unit in dict.fromkeys(c.unit for c in cells)
    }
    # Student's interval lies evenly round the mean; one that does not is shown by its ends.
    even = all(
        math.isclose(c.high - c.simulated, c.simulated - c.low, rel_tol=1e-6)
        for c in cells
        if math.isfinite(c.low)
    )
    view = table()
    for name in ("row", "column"):
        add(view, name, fold=True)
    add(view, "published", right=True, fold=True)
    for name in ("understood", "simulated", "± 95 %" if even else "95 % interval"):
        add(view, name, right=True)
    if len(units) > 1:
        add(view, "unit")
    add(view, "role")
    add(view, "error", right=True)
    noted = any(c.note for c in cells)
    if noted:
        add(view, "note", fold=True)
    for i, cell in enumerate(cells):
        if i and cells[i - 1].row != cell.row:
            view.add_section()
        places = units[cell.unit]
        view.add_row(
            escape(cell.row),
            escape(cell.column),
            escape(cell.published or DASH),
            fixed(cell.understood, places),
            fixed(cell.simulated, places),
            _interval(cell, places, even),
            *([escape(cell.unit)] if len(units) > 1 else []),
            cell.role,
            DASH if cell.error is None else f"{cell.error:+.1%}",
            *([escape(cell.note)] if noted else []),
        )
    print_table(output, view)
    unit = f"Figures in {next(iter(units))}. " if len(units) == 1 else ""
    output.print()
    output.print(
        f"  {unit}published: as printed; understood: misprints mended.\n"
        "  input: a parameter was set from it; fitted: a fit saw it; predicted: neither.",
        markup=False,
    )


def _print_models(output: Console, models: Mapping[str, Any]) -> None:
    """Print how far the models by formula are off, and where each fails."""
    view = table()
    for name in ("model", "row"):
        add(view, name, fold=True)
    for name in ("mean error", "worst", "simulated"):
        add(view, name, right=True)
    add(view, "fails at", fold=True)
    for found in models["summary"]:
        view.add_row(
            escape(found["model"]),
            escape(found["row"]),
            f"{found['mean_abs_error']:.0%}",
            f"{found['worst_abs_error']:.0%}",
            f"{found['simulated_mean_abs_error']:.0%}",
            escape(", ".join(found["fails"]) or DASH),
        )
    print_table(output, view)
    output.print(
        "\n  models by formula on the simulation's own times, against what was measured;\n"
        f"  fails: off by more than {models['fails_above']:.0%}. simulated: mean error in the same "
        "cells.",
        markup=False,
    )


def summary_lines(result: Reproduction) -> list[str]:
    """Return the lines below the tables."""
    summary = result.summary()
    lines = [f"{summary['fitted']} fitted parameters, {summary['predicted']} predicted cells"]
    if summary["mean_abs_error"] is not None:
        lines.append(
            f"error over the predicted cells: mean {summary['mean_abs_error']:.1%}, "
            f"worst {summary['worst_abs_error']:.1%}"
        )
    # What an experiment found besides its table; a slope is taken from logarithm to logarithm.
    for key, value in result.extra.items():
        if key.endswith("_slope") and isinstance(value, float):
            name = key.removesuffix("_slope").replace("_", " ")
            lines.append(f"{name}: {2**value:.2f} times for each doubling (slope {value:.2f})")
    if summary["fitted"] > summary["predicted"]:
        lines.append("more fitted parameters than predicted cells: this is no reproduction")
    lines += result.notes
    if not result.complete:
        lines.append("interrupted: these are the cells that were finished")
    return lines


def _interval(cell: Cell, places: int | None, even: bool) -> str:
    """Return the 95 % interval: half its width, or its two ends."""
    if not math.isfinite(cell.low):
        return DASH
    if even:
        return f"±{fixed(cell.high - cell.simulated, places)}"
    return f"{fixed(cell.low, places)} … {fixed(cell.high, places)}"


def _between(p: Parameter) -> str:
    if p.low is None or p.high is None:
        return DASH
    return f"{p.low:.4g} … {p.high:.4g}"


def value_text(value: float | str) -> str:
    """Return a parameter's value: never an exponent where the figure has few digits."""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.6g}"
