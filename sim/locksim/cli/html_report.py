"""Reproductions as one HTML page without network and scripts.

Tables scroll sideways in a narrow window. Each role is a word in its own frame, so colour is not
needed to distinguish them. Plots have the colours of the page's text, so they suit both schemes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from markupsafe import Markup

from locksim.cli.bands import percent
from locksim.cli.reproduction import summary_lines, value_text
from locksim.papers.experiment import Reproduction
from lockui.html_page import environment
from lockui.plots import Plot, inline
from lockui.tables import DASH, decimals, fixed


@dataclass(frozen=True, slots=True)
class Section:
    """One experiment of the page.

    Arguments:
        result: the result of ``reproduce``.
        plot: its plot.
    """

    result: Reproduction
    plot: Plot


def page(sections: Sequence[Section], how: str) -> str:
    """Return the HTML text of the page.

    Arguments:
        sections: the experiments, in order.
        how: the settings of the runs.
    """
    title = "Published results, simulated"
    if len(sections) == 1:
        title = f"{sections[0].result.experiment}, simulated"
    return (
        environment("locksim.cli")
        .get_template("report.html.j2")
        .render(
            title=title,
            how=how,
            version=version("locklab"),
            sections=[_section(s) for s in sections],
        )
    )


def _section(section: Section) -> dict[str, Any]:
    result = section.result
    document = result.to_json()
    summary = document["summary"]
    sources = list(dict.fromkeys(p.source for p in result.parameters))
    models = document.get("models", {"summary": [], "fails_above": math.nan})
    return {
        "name": result.experiment,
        "title": result.title,
        "source": result.source,
        "machine": result.machine,
        "lines": summary_lines(result, notes=True),
        "svg": Markup(inline(section.plot)),
        "caption": section.plot.key(),
        "alt": section.plot.alt(),
        "fitted": summary["fitted"],
        "predicted": summary["predicted"],
        "mean_error": _percent(summary["mean_abs_error"]),
        "worst_error": _percent(summary["worst_abs_error"]),
        "cells": _cells(document["cells"]),
        "report": document.get("report"),
        "banded": result.banded,
        "noted": any(cell.get("note") for cell in document["cells"]),
        "models": [
            {
                "model": m["model"],
                "row": m["row"],
                "mean": _percent(m["mean_abs_error"]),
                "worst": _percent(m["worst_abs_error"]),
                "simulated": _percent(m["simulated_mean_abs_error"]),
                "fails": ", ".join(m["fails"]) or DASH,
            }
            for m in models["summary"]
        ],
        "fails_above": _percent(models["fails_above"]),
        "parameters": [
            {
                "name": p.name,
                "value": value_text(p.value),
                "unit": p.unit,
                "role": p.role,
                "number": sources.index(p.source) + 1,
            }
            for p in result.parameters
        ],
        "sources": sources,
    }


def _cells(cells: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cells as text, with the same decimals for all cells of a unit."""
    places = {
        unit: decimals(v for c in cells if c["unit"] == unit for v in _values(c))
        for unit in {c["unit"] for c in cells}
    }
    found = []
    for i, c in enumerate(cells):
        p = places[c["unit"]]
        between = f"{fixed(c['low'], p)} … {fixed(c['high'], p)}"
        found.append(
            {
                **{key: c[key] for key in ("row", "column", "unit", "role")},
                "first": i > 0 and cells[i - 1]["row"] != c["row"],
                "published": c["published"] or DASH,
                "corrected": fixed(c["corrected"], p),
                "simulated": fixed(c["simulated"], p),
                "interval": between if math.isfinite(c["low"]) else DASH,
                "band": percent(c["simulated"], c.get("band_low"), c.get("band_high")),
                "error": DASH if c["error"] is None else f"{c['error']:+.1%}",
                "note": c.get("note", ""),
            }
        )
    return found


def _values(cell: dict[str, Any]) -> tuple[float, float]:
    return cell["corrected"] or 0, cell["simulated"]


def _percent(share: float | None) -> str:
    return DASH if share is None or not math.isfinite(share) else f"{share:.1%}"
