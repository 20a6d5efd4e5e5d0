"""Plots of reproductions: measured points on simulated lines, greyscale, alternative text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from locksim.experiments.experiment import Cell, Reproduction

_STYLES = [("o", "-"), ("s", "--"), ("^", "-."), ("D", ":"), ("v", "-"), ("P", "--")]


def against_published(
    result: Reproduction, path: Path, *, cells: list[Cell], label: str, title: str
) -> str:
    """Simulated values over published ones, with the line on which they would be equal.

    One marker for each column of the table; saves SVG or PNG by the path's ending.

    Returns:
        The alternative text, which is also in the file's metadata.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    measured = [(c, c.understood) for c in cells if c.understood is not None]
    figure, axes = plt.subplots(figsize=(5.4, 5.0), layout="constrained")
    top = 1.1 * max([1.0, *(max(c.simulated, value) for c, value in measured)])
    axes.plot([0, top], [0, top], color="black", linewidth=0.8, label="equal")
    columns = dict.fromkeys(c.column for c, _ in measured)
    for column, (marker, _) in zip(columns, _STYLES, strict=False):
        points = [(value, c) for c, value in measured if c.column == column]
        axes.plot(
            [value for value, _ in points],
            [c.simulated for _, c in points],
            linestyle="none",
            marker=marker,
            markeredgecolor="black",
            label=column,
        )
    for c, value in measured:
        axes.annotate(c.row, (value, c.simulated), fontsize=6, xytext=(4, -6),
                      textcoords="offset points")  # fmt: skip
    axes.set_xlabel(f"published, understood: {label}")
    axes.set_ylabel(f"simulated: {label}")
    axes.set_title(title, fontsize=10)
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=8)
    alt = (
        f"{title}: {label}, simulated over published. "
        + "; ".join(
            f"{c.row}, {c.column}: {c.simulated:.1f} for {value:g}" for c, value in measured
        )
        + "."
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Title": title, "Description": alt}, dpi=150)
    plt.close(figure)
    return alt


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
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Title": title, "Description": alt}, dpi=150)
    plt.close(figure)
    return alt
