"""Plots of reproductions: measured points on simulated lines, greyscale, alternative text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from locksim.experiments.experiment import Cell, Reproduction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLES = [("o", "-"), ("s", "--"), ("^", "-."), ("D", ":"), ("v", "-"), ("P", "--")]


def log_curves(
    result: Reproduction,
    path: Path,
    *,
    x: Callable[[Cell], int],
    x_label: str,
    y_label: str,
    title: str,
) -> str:
    """One curve a row of the table, both axes logarithmic; saves SVG or PNG by the path's ending.

    Returns:
        The alternative text, which is also in the file's metadata.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    sentences = []
    for row, (marker, line) in zip(
        dict.fromkeys(c.row for c in result.cells), _STYLES, strict=False
    ):
        cells = [c for c in result.cells if c.row == row]
        drawn = axes.plot(
            [x(c) for c in cells],
            [c.simulated for c in cells],
            linestyle=line,
            label=f"{row}, simulated",
        )
        measured = [c for c in cells if c.understood is not None]
        axes.plot(
            [x(c) for c in measured],
            [c.understood for c in measured if c.understood is not None],
            linestyle="none",
            marker=marker,
            color=drawn[0].get_color(),
            markeredgecolor="black",
            label=f"{row}, measured",
        )
        first, last = cells[0], cells[-1]
        sentences.append(
            f"{row} goes from {first.simulated:.3g} {first.unit} at {first.column} "
            f"to {last.simulated:.3g} {last.unit} at {last.column}"
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = sorted({x(c) for c in result.cells})
    axes.set_xticks(ticks, [str(t) for t in ticks])
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title, fontsize=11)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=8, ncols=2)
    alt = (
        f"{title}. Lines are simulated, markers measured; {x_label} against {y_label}. "
        + "; ".join(sentences)
        + "."
    )
    _save(figure, path, title, alt)
    return alt


def bars(result: Reproduction, path: Path, *, title: str) -> str:
    """One panel a unit, one bar a cell: simulated, with what was published as a marker on it.

    Returns:
        The alternative text, which is also in the file's metadata.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    units = list(dict.fromkeys(c.unit for c in result.cells))
    groups = [[c for c in result.cells if c.unit == unit] for unit in units]
    most = max(map(len, groups))
    figure, panels = plt.subplots(
        1, len(units), figsize=(4.2 * len(units), 1.2 + 0.24 * most), layout="constrained"
    )
    sentences = []
    for unit, cells, axes in zip(
        units, groups, [panels] if len(units) == 1 else panels, strict=True
    ):
        places = range(len(cells))
        axes.barh(places, [c.simulated for c in cells], color="0.75", label="simulated")
        known = [(i, c.understood) for i, c in enumerate(cells) if c.understood is not None]
        axes.plot(
            [value for _, value in known],
            [i for i, _ in known],
            linestyle="none",
            marker="|",
            markersize=11,
            markeredgewidth=2,
            color="black",
            label="published",
        )
        axes.set_yticks(places, [f"{c.row} {c.column}" for c in cells], fontsize=7)
        axes.invert_yaxis()
        axes.set_xlabel(unit)
        worst = max((c for c in cells if c.error is not None), key=lambda c: abs(c.error or 0))
        sentences.append(
            f"in {unit}, {len(cells)} bars; farthest from its marker is {worst.row} "
            f"{worst.column}, {worst.simulated:.4g} instead of {worst.understood:.4g}"
        )
    figure.suptitle(title, fontsize=11)
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8
    )
    alt = f"{title}. Bars are simulated, markers published: " + "; ".join(sentences) + "."
    _save(figure, path, title, alt)
    return alt


def _save(figure: Figure, path: Path, title: str, alt: str) -> None:
    import matplotlib.pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Title": title, "Description": alt}, dpi=150)
    plt.close(figure)
