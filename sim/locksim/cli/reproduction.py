"""A reproduction as people read it: the cells, the parameters, and the summary.

Every cell carries its role, because a cell that a parameter was set from, or that a fit has seen,
proves nothing; the summary therefore counts predicted cells only. Sources are numbered and listed
once, below the parameters: many figures share one, and beside the figures there is no room.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lockui.console import console
from lockui.tables import (
    DASH,
    add,
    decimals,
    fixed,
    print_groups,
    print_table,
    shows,
    table,
)

if TYPE_CHECKING:
    from locksim.machine import Parameter
    from locksim.papers.experiment import Cell, Reproduction

__all__ = ["print_parameters", "print_reproduction", "summary_lines", "value_text"]


def print_reproduction(result: Reproduction, *, parameters: bool = True) -> None:
    """Print a reproduction on stdout.

    Args:
        result: what an experiment's ``reproduce`` gave.
        parameters: whether to list every parameter with value, unit, role and source.
    """
    output = console()
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
    """Print the published table beside its simulation, a line a cell, below the row's name.

    A column that says nothing is left out: a reading that is what was printed, an interval that one
    replication does not have, a unit that all share.
    """
    units = {
        unit: decimals(v for c in cells if c.unit == unit for v in (c.understood or 0, c.simulated))
        for unit in dict.fromkeys(c.unit for c in cells)
    }
    columns: dict[str, Callable[[Cell], str]] = {
        "": lambda c: c.column,
        "published": lambda c: c.published or DASH,
        "understood": lambda c: fixed(c.understood, units[c.unit]),
        "simulated": lambda c: fixed(c.simulated, units[c.unit]),
        "± 95 %": lambda c: _interval(c, units[c.unit]),
        "unit": lambda c: c.unit,
        "role": lambda c: c.role,
        "error": lambda c: DASH if c.error is None else f"{c.error:+.1%}",
        "note": lambda c: c.note,
    }
    reread = any(not _as_printed(c) for c in cells)
    if not reread:
        del columns["understood"]
    once = not any(math.isfinite(c.low) for c in cells)
    exact = not any(shows(columns["± 95 %"](c)) for c in cells)
    if exact:
        del columns["± 95 %"]
    if len(units) == 1:
        del columns["unit"]
    if not any(c.note for c in cells):
        del columns["note"]
    print_groups(
        output,
        tuple(columns),
        ((c.row, [figure(c) for figure in columns.values()]) for c in cells),
        right=("published", "understood", "simulated", "± 95 %", "error"),
    )
    said = [f"Figures in {next(iter(units))}."] if len(units) == 1 else []
    said.append("published: as printed; understood: misprints mended." if reread else "")
    if exact:
        reason = "One run a cell: no interval." if once else "95 % intervals: below the last digit."
        said.append(reason)
    output.print()
    for line in (
        " ".join(filter(None, said)),
        "input: a parameter was set from it; fitted: a fit saw it; predicted: neither.",
    ):
        if line:
            output.print(f"  {line}", markup=False)


def _as_printed(cell: Cell) -> bool:
    """Whether a cell is understood as the number that was printed, or as nothing."""
    try:
        return cell.understood == float((cell.published or "").removesuffix("%"))
    except ValueError:
        return cell.understood is None


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
    fitted, predicted = (
        f"{summary[role]} {role} {things}" + "s" * (summary[role] != 1)
        for role, things in (("fitted", "parameter"), ("predicted", "cell"))
    )
    lines = [f"{fitted}, {predicted}"]
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


def _interval(cell: Cell, places: int | None) -> str:
    """Return the 95 % interval: half its width, or its two sides where they differ."""
    if not math.isfinite(cell.low):
        return DASH
    below = fixed(abs(cell.simulated - cell.low), places)
    above = fixed(abs(cell.high - cell.simulated), places)
    return f"±{above}" if above == below else f"-{below} +{above}"


def _between(p: Parameter) -> str:
    if p.low is None or p.high is None:
        return DASH
    return f"{p.low:.4g} … {p.high:.4g}"


def value_text(value: float | str) -> str:
    """Return a parameter's value: never an exponent where the figure has few digits."""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.6g}"
