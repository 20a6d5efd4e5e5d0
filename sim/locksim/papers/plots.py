"""Plots of reproductions: measured points on simulated lines, greyscale, alternative text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from locksim.papers.experiment import Cell, Reproduction

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
    """Plot a curve for each row of the table on log axes, as SVG or PNG by the path's suffix.

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


@dataclass(frozen=True, slots=True)
class Bar:
    """A simulated value and the measured value, if there is one."""

    label: str
    simulated: float
    understood: float | None


def bars(panels: Mapping[str, Sequence[Bar]], path: Path, *, title: str) -> str:
    """Plot a panel for each axis label and a bar for each value, with markers for measured values.

    Returns:
        The alternative text, which is also in the file's metadata.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    most = max(map(len, panels.values()))
    size = (max(6.4, 4.2 * len(panels)), 1.4 + 0.24 * most)
    figure, found = plt.subplots(1, len(panels), figsize=size, layout="constrained", squeeze=False)
    sentences = []
    for axes, (unit, shown) in zip(found[0], panels.items(), strict=True):
        places = range(len(shown))
        axes.barh(places, [bar.simulated for bar in shown], color="0.75", label="simulated")
        known = [(i, bar.understood) for i, bar in enumerate(shown) if bar.understood is not None]
        axes.plot(
            [value for _, value in known],
            [i for i, _ in known],
            linestyle="none",
            marker="|",
            markersize=11,
            markeredgewidth=2,
            color="black",
            label="measured",
        )
        axes.set_yticks(places, [bar.label for bar in shown], fontsize=7)
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.set_xlabel(unit)
        i, value = max(known, key=lambda one: abs(shown[one[0]].simulated - one[1]))
        sentences.append(
            f"{unit}, {len(shown)} bars; the largest error is at {shown[i].label}, "
            f"{shown[i].simulated:.4g} instead of {value:.4g}"
        )
    figure.suptitle(title, fontsize=11)
    figure.legend(
        *found[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8
    )
    alt = f"{title}. Bars are simulated, markers measured: " + "; ".join(sentences) + "."
    _save(figure, path, title, alt)
    return alt


def _save(figure: Figure, path: Path, title: str, alt: str) -> None:
    import matplotlib.pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Title": title, "Description": alt}, dpi=150)
    plt.close(figure)
