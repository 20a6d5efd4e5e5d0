"""Figures that can be read without being seen, and figures with sliders."""

from __future__ import annotations

from typing import Any

import pytest
from locklessons.figures import Figure, bars, curves, explore

LINES = {"a < b": {1: 1.0, 2: 4.0}}


def figure(cpus: int = 2) -> Figure:
    """A small one."""
    return curves(LINES, x="CPUs", y="time [s]", caption=f'Up to {cpus} "CPUs".')


def test_the_words_say_what_is_drawn() -> None:
    """Name, first and last point; measured points too; and the table holds every number."""
    made = curves(LINES, points={"a < b": {1: 1.5}}, x="CPUs", y="time [s]", caption="Two.")
    assert "a < b goes from 1.00 at 1 to 4.00 at 2; markers 1.50 at 1." in made.alt
    assert [("line", 1.0), ("line", 4.0), ("point", 1.5)] == list(
        zip(made.table["kind"], made.table["time [s]"], strict=True)
    )


def test_html_is_safe_and_needs_no_network() -> None:
    """Texts are escaped; nothing is loaded from anywhere."""
    text = figure().html()
    assert "&quot;CPUs&quot;" in text
    assert "a &lt; b goes" in text
    assert "<script" not in text
    assert "src=" not in text


def test_the_same_numbers_give_the_same_text() -> None:
    """A built page changes only when its numbers do."""
    assert figure().html() == figure().html()


def test_bars_and_what_they_are_compared_with() -> None:
    """The words name the largest error, the caption both kinds, and the table has every number."""
    made = bars(
        {"with": 8.0, "without": 20.0},
        marks={"with": 6.0, "without": 21.0},
        x="share [%]",
        caption="Two kernels.",
        kinds=("simulated", "printed"),
    )
    assert "the largest error is at with, 8.00 instead of 6.00" in made.alt
    assert "Two kernels. Bars: simulated; diamonds: printed." == made.caption
    assert made.table is not None
    assert [["with", 8.0, 6.0], ["without", 20.0, 21.0]] == made.table.to_numpy().tolist()


def test_nothing_to_draw() -> None:
    """An empty figure is refused."""
    with pytest.raises(ValueError, match="give at least one bar"):
        bars({}, marks={}, x="x", caption="c")
    with pytest.raises(ValueError, match="give at least one curve"):
        curves({"a": {}}, x="x", y="y", caption="c")


def test_sliders(monkeypatch: pytest.MonkeyPatch) -> None:
    """The static figure is the first value's; moving the slider draws again."""
    import ipywidgets
    from ipywidgets.widgets.widget import _instances

    shown: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    before = set(_instances)
    explore(figure, cpus=[2, 4])
    (bundle,) = shown
    assert "Up to 2 &quot;CPUs&quot;." in bundle["text/html"]
    assert "has a slider: cpus (2, 4)." in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle

    widgets = [w for name, w in _instances.items() if name not in before]
    slider = next(w for w in widgets if isinstance(w, ipywidgets.SelectionSlider))
    picture = next(w for w in widgets if type(w) is ipywidgets.HTML)
    slider.value = 4
    assert "Up to 4 &quot;CPUs&quot;." in picture.value


def test_a_slider_needs_values() -> None:
    """It is named."""
    with pytest.raises(ValueError, match="'cpus' has no values"):
        explore(figure, cpus=[])


def test_numbers_beyond_64_bits() -> None:
    """Counts of orders grow fast."""
    drawn = curves({"orders": {2: 70, 4: 40**20}}, x="threads", y="orders", caption="Orders.")
    assert "<svg" in drawn.svg
