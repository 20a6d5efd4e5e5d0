"""A reproduction on the terminal: one screen with the cells and the summary; on demand the rest.

Every cell carries its role. A cell that set a parameter, or that a fit used, proves nothing, so
the summary counts only predicted cells. The parameters, the analytic models and the notes are
longer than the result; they stand on the page of ``--out FILE.html``, and here only if they are
asked for. Sources are numbered and listed once below the parameters, because many values share one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from locksim.cli.bands import percent
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


def print_reproduction(output: Console, result: Reproduction, *, parameters: bool = False) -> None:
    """Print a reproduction.

    Arguments:
        output: the console.
        result: the result of an experiment's ``reproduce``.
        parameters: whether to print every parameter with value, unit, role and source, the analytic
            models and the notes, too.
    """
    output.print(f"[bold]{escape(result.experiment)}[/bold]  {escape(result.title)}")
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_row("source", escape(result.source))
    facts.add_row("machine", escape(result.machine))
    output.print(facts)
    _print_cells(output, result.cells)
    if result.banded:
        _print_bands(output, result)
    if parameters:
        print_parameters(output, result.parameters)
        if "models" in result.extra:
            _print_models(output, result.extra["models"])
    output.print()
    for line in summary_lines(result, notes=parameters):
        output.print(line, markup=False)


def print_factors(output: Console, results: Sequence[Reproduction]) -> None:
    """Print the factor of the simulator and of each formula, a line for each experiment."""
    from locksim.papers import factors

    view = table()
    add(view, "factor, geometric mean", fold=True)
    for head in ("points", *factors.HEADS.values()):
        add(view, head, right=True)
    for unseen in (False, True):
        if unseen:
            view.add_section()
        for result in results:
            found = {f.model: f for f in factors.of(result, unseen=unseen)}
            if found:
                name = f"{result.experiment}{', unseen by fits' * unseen}"
                means = (f"{found[m].mean:.2f}" if m in found else DASH for m in factors.HEADS)
                view.add_row(escape(name), str(found["simulator"].points), *means)
    print_table(output, view)
    output.print(
        "\n  max(p/m, m/p) of a prediction p and a measured value m; which points count:"
        "\n  datasets/README.md. unseen by fits: points that no fitted law has seen.",
        markup=False,
    )


def print_parameters(output: Console, parameters: Sequence[Parameter]) -> None:
    """Print parameters with value, unit, role and the number of their source, then the sources.

    Arguments:
        output: the console.
        parameters: the parameters, in the order to print them.
    """
    numbers = {source: i for i, source in enumerate(dict.fromkeys(p.source for p in parameters), 1)}
    view = table()
    add(view, "parameter", fold=True)
    add(view, "value", right=True)
    add(view, "unit")
    known = any(p.low is not None for p in parameters)
    if known:
        add(view, "interval or range", right=True)
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
    """Print the published table beside its simulation, a line for each cell below its row's name.

    A column without information is left out: corrected values that equal the printed ones,
    intervals of a single replication, a unit that all cells share.
    """
    units = _decimals_of_units(cells)
    columns: dict[str, Callable[[Cell], str]] = {
        "": attrgetter("column"),
        "published": lambda c: c.published or DASH,
        "corrected": lambda c: fixed(c.corrected, units[c.unit]),
        "simulated": lambda c: fixed(c.simulated, units[c.unit]),
        "± 95 %": lambda c: _interval(c, units[c.unit]),
        "band, %": lambda c: percent(c.simulated, *((c.band.low, c.band.high) if c.band else ())),
        "unit": attrgetter("unit"),
        "role": attrgetter("role"),
        "error": lambda c: DASH if c.error is None else f"{c.error:+.1%}",
        "note": attrgetter("note"),
    }
    left_out = {
        "corrected": all(map(_as_printed, cells)),
        "± 95 %": not any(shows(columns["± 95 %"](c)) for c in cells),
        "band, %": not any(c.band for c in cells),
        "unit": len(units) == 1,
        "note": not any(c.note for c in cells),
    }
    columns = {name: text for name, text in columns.items() if not left_out.get(name)}
    print_groups(
        output,
        tuple(columns),
        ((c.row, [text(c) for text in columns.values()]) for c in cells),
        right=("published", "corrected", "simulated", "± 95 %", "band, %", "error"),
    )
    legend = [f"Values in {next(iter(units))}."] if left_out["unit"] else []
    if not left_out["corrected"]:
        legend.append("published: as printed; corrected: without misprints.")
    if left_out["± 95 %"]:
        several = any(math.isfinite(c.low) for c in cells)
        below = "95 % intervals: below last digit."
        legend.append(below if several else "One run per cell: no interval.")
    output.print()
    if legend:
        output.print(f"  {' '.join(legend)}", markup=False)
    roles = "input: a parameter was set from it; fitted: a fit used it; predicted: neither."
    output.print(f"  {roles}", markup=False)


def _print_bands(output: Console, result: Reproduction) -> None:
    """Say what the bands hold, and what moves each predicted cell, if that is known."""
    output.print(
        f"  band: {result.banded}, without\n  the error of the model: the measured value is beside "
        "it (locklab help uncertainty).",
        markup=False,
    )
    known = [(c, c.band) for c in result.cells if c.band and c.role == "predicted"]
    if any(len(band.effects) > 1 for _, band in known):
        output.print()
        for cell, band in known:
            output.print(f"  {cell.row}, {cell.column}: {', '.join(band.phrases())}", markup=False)


def _decimals_of_units(cells: list[Cell]) -> dict[str, int | None]:
    """Return how many decimals the values in each unit need."""
    values: dict[str, list[float]] = {}
    for c in cells:
        values.setdefault(c.unit, []).extend((c.corrected or 0, c.simulated))
    return {unit: decimals(of) for unit, of in values.items()}


def _as_printed(cell: Cell) -> bool:
    """Return whether the corrected value is the printed number, or both are missing."""
    try:
        return cell.corrected == float((cell.published or "").removesuffix("%"))
    except ValueError:
        return cell.corrected is None


def _print_models(output: Console, models: Mapping[str, Any]) -> None:
    """Print the errors of the analytic models, and the cells where each fails."""
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
        "\n  analytic models with the simulation's own times, against the measured values;\n"
        f"  fails: an error above {models['fails_above']:.0%}. simulated: mean error in the same "
        "cells.",
        markup=False,
    )


def summary_lines(result: Reproduction, *, notes: bool) -> list[str]:
    """Return the lines below the tables, the reproduction's notes included or not."""
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
    # Results besides the table; a slope is that of log2 over log2.
    for key, value in result.extra.items():
        if key.endswith("_slope") and isinstance(value, float):
            name = key.removesuffix("_slope").replace("_", " ")
            lines.append(f"{name}: {2**value:.2f} times per doubling (slope {value:.2f})")
    if summary["fitted"] > summary["predicted"]:
        lines.append("more fitted parameters than predicted cells: not a reproduction")
    if notes:
        lines += result.notes
    if not result.complete:
        lines.append("interrupted: the cells above are complete")
    return lines


def _interval(cell: Cell, places: int | None) -> str:
    """Return the 95 % interval: half its width, or both sides if they differ."""
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
    """Return a parameter's value: without an exponent if it has few digits."""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.6g}"
