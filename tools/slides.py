#!/usr/bin/env python3
"""A slide for each lab, with its best plot: out/slides/slides.html and slides.pdf.

labs/slides.toml says what each slide asks and shows. The numbers are simulated, or read from the
published tables, when the slides are made.

tools/slides.py [--out FOLDER] [LAB ...]
"""

from __future__ import annotations

import argparse
import html
import io
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from lockgrader.given.label_curve import LabelCurve, label_curve
from lockgrader.given.published import Rows, published
from lockgrader.lab import Measure, load
from lockgrader.lab.trials import Trials
from lockgrader.measuring.runs import reference
from locklabs import HOME, find, names
from lockui.console import progress
from lockui.html_page import environment

SIZE_IN = (12.8, 7.2)
STYLES = (("o", "-"), ("s", "--"), ("^", "-."), ("D", ":"), ("v", "-"), ("P", "--"))
MANY = 1e4
"""From here on values are written with k and M."""
X = {"boxes": "labels", "trials": "per cent of the trials"}
"""What a plot is drawn over, where it is not CPUs."""
Lines = dict[str, dict[Any, float]]

PAGE = """{% extends "page.html.j2" %}

{% block style %}
body { max-width: 76rem; } section { break-after: page; min-height: 96vh; font-size: 1.4rem; }
section h2 { font-size: 2.2rem; border: 0; margin: 0; } section p { font-size: 1rem; }
figure { margin: 0; background: white; } figure svg { max-width: none; }
{% endblock %}
{% block content %}
{% for slide in slides %}
<section id="{{ slide.lab }}">
<h2>{{ slide.asks }}</h2>
<figure><div role="img" aria-label="{{ slide.alt }}">{{ slide.svg | safe }}</div></figure>
<ul>{% for line in slide.says %}<li>{{ line }}</li>{% endfor %}</ul>
<p>{{ slide.title }} ({{ slide.lab }})</p>
</section>
{% endfor %}
{% endblock %}
"""


class Slide(NamedTuple):
    """A slide: its texts, its plot as SVG, and what the plot shows, in words."""

    lab: str
    title: str
    asks: str
    says: tuple[str, ...]
    svg: str
    alt: str


def main() -> int:
    """Make the slides."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out/slides"))
    parser.add_argument("labs", nargs="*", help="as lab02; by default all")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    here = {name.partition("-")[0] for name in names()}
    labs = here & set(asked.labs) if asked.labs else here
    wanted = [one for one in described() if one["lab"] in labs]
    made = []
    with PdfPages(asked.out / "slides.pdf") as pdf, progress("slides") as report:
        for number, one in enumerate(wanted):
            report(one["lab"], number / len(wanted))
            slide, figure = drawn(one)
            made.append(slide)
            pdf.savefig(figure)
            plt.close(figure)
    page = (
        environment().from_string(PAGE).render(title="LockLab: a slide for each lab", slides=made)
    )
    (asked.out / "slides.html").write_text(page, encoding="utf-8")
    print(f"{len(made)} slides in {asked.out / 'slides.html'} and {asked.out / 'slides.pdf'}")
    return 0


def described() -> list[dict[str, Any]]:
    """What labs/slides.toml says."""
    document = tomllib.loads((HOME / "slides.toml").read_text(encoding="utf-8"))
    slides: list[dict[str, Any]] = document["slide"]
    return slides


def drawn(one: dict[str, Any]) -> tuple[Slide, Figure]:
    """A slide, and the same as a page to print."""
    lab, lines = load(find(one["lab"])), values(one)
    x = next((word for key, word in X.items() if key in one), "CPUs")
    figure, axes = plt.subplots(figsize=(SIZE_IN[0], 4.6), layout="constrained")
    draw(axes, lines, x, one)
    svg = io.StringIO()
    figure.savefig(svg, format="svg")
    plt.close(figure)
    whole = plt.figure(figsize=SIZE_IN)
    whole.text(0.06, 0.92, one["asks"], fontsize=24, weight="bold")
    draw(whole.add_axes((0.09, 0.26, 0.85, 0.6)), lines, x, one)
    for number, line in enumerate(one["says"]):
        whole.text(0.06, 0.12 - 0.05 * number, f"• {line}", fontsize=16)
    whole.text(0.06, 0.015, f"{lab.title} ({lab.name})", fontsize=10, color="0.35")
    text = svg.getvalue()
    slide = Slide(
        lab=lab.name,
        title=lab.title,
        asks=one["asks"],
        says=tuple(one["says"]),
        svg=text[text.index("<svg") :],
        alt=alternative(lines, x, one["y"]),
    )
    return slide, whole


def values(one: dict[str, Any]) -> Lines:
    """The curves of a slide: name → x → y."""
    if "lines" in one:
        return {
            name: {n: reference(Measure.model_validate({**line, "cpus": n})) for n in one["cpus"]}
            for name, line in one["lines"].items()
        }
    if "boxes" in one:
        asked = {
            name: LabelCurve.model_validate({**box, "labels": one["labels"]})
            for name, box in one["boxes"].items()
        }
        return {
            name: {point.labels: point.hits * point.labels for point in label_curve(box)}
            for name, box in asked.items()
        }
    if "trials" in one:
        sorted_ns = {n: Trials.model_validate(t).times() for n, t in one["trials"].items()}
        return {
            name: {100 * (at + 1) / len(times): time for at, time in enumerate(times)}
            for name, times in sorted_ns.items()
        }
    rows = published(Rows.model_validate({"table": one["table"], "where": one["where"]}))
    found: Lines = {}
    for row in rows:
        found.setdefault(str(row[one["line"]]), {})[row[one["x"]]] = float(row["value"])
    return found


def draw(axes: Axes, lines: Lines, x: str, one: dict[str, Any]) -> None:
    """Curves over numbers, and points over names; shapes and dashes stand beside the colours."""
    names = any(isinstance(at, str) for line in lines.values() for at in line)
    points = names or "trials" in one
    for (name, line), (marker, dashes) in zip(lines.items(), STYLES * 4, strict=False):
        axes.plot(
            [*line],
            [*line.values()],
            marker=marker,
            linestyle="none" if points else dashes,
            markersize=9,
            linewidth=2.2,
            label=name,
        )
    if one.get("log"):
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
        if axes.get_ylim()[1] >= MANY:
            axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    if not points:
        axes.set_xscale("log", base=2)
        ticks = sorted({at for line in lines.values() for at in line})
        axes.set_xticks(ticks, [str(at) for at in ticks])
    if not names:
        axes.set_xlabel(x, fontsize=13)
    axes.set_ylabel(one["y"], fontsize=13)
    axes.tick_params(labelsize=12)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize=13)


def alternative(lines: Lines, x: str, y: str) -> str:
    """What a plot shows, in words."""
    ends = []
    for name, line in lines.items():
        first, last = next(iter(line)), [*line][-1]
        where = [at if isinstance(at, str) else f"{at:.3g}" for at in (first, last)]
        ends.append(f"{name}: {line[first]:.3g} at {where[0]}, {line[last]:.3g} at {where[1]}")
    return html.unescape(f"{y} against {x}. {'; '.join(ends)}.")


if __name__ == "__main__":
    raise SystemExit(main())
