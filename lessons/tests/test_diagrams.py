"""Diagrams: what is written is drawn, and what cannot be drawn is named."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from locklessons.diagrams import DiagramError, boxes, timeline

WORDS = {"alt": "Some words.", "caption": "A caption."}
QUEUE = """
    1 · A is alone
    tail | -
    A: holds! | -
    tail > A

    2 · B comes & waits
    - | tail
    A: holds! | B: waits
    tail > B
    A ~> B: next
"""
TIME = "CPU 0 | ..rr..\n writer | U====F"
LEGEND = {"r": "reads", "U": "unlinks", "=": "waits", "F": "frees"}


def drawn(text: str) -> list[ElementTree.Element]:
    """The SVG elements of a figure, parsed."""
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text)]


def words(svg: ElementTree.Element) -> list[str]:
    """The texts in it."""
    return [element.text or "" for element in svg.iter("text")]


def test_frames_of_boxes() -> None:
    """A drawing a frame; each box with its text, each arrow with its head."""
    first, second = drawn(boxes(QUEUE, **WORDS).svg)
    assert ["tail", "A", "holds"] == words(first)
    assert ["tail", "A", "holds", "B", "waits", "next"] == words(second)
    assert [1, 2] == [len([*svg.iter("polygon")]) for svg in (first, second)]
    assert "2 · B comes &amp; waits" in boxes(QUEUE, **WORDS).svg


def test_an_arrow_goes_from_edge_to_edge() -> None:
    """Its head touches the box below and not its middle."""
    (svg,) = drawn(boxes("f\na\nb\na > b", **WORDS).svg)
    below = [*svg.iter("rect")][1]
    tip = next(svg.iter("polygon")).get("points", "").split()[0]
    assert float(below.get("y", "")) == float(tip.split(",")[1])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("only a title", "has no box"),
        ("f\na | b\na > c", "the frame 'f' has no box 'c'"),
        ("f\na | a: again", "the frame 'f' has two boxes of one name"),
    ],
)
def test_boxes_that_cannot_be_drawn(text: str, says: str) -> None:
    """The frame is named."""
    with pytest.raises(DiagramError, match=says):
        boxes(text, **WORDS)


def test_a_timeline() -> None:
    """A bar for each run of letters, a circle with its letter for a moment, a legend of all."""
    figure = timeline(TIME, LEGEND, **WORDS)
    rows, *key = drawn(figure.svg)
    assert ["CPU 0", "writer", "U", "F"] == words(rows)
    assert 2 == len([*rows.iter("rect")])
    assert len(LEGEND) == len(key)
    assert all(meaning in figure.svg for meaning in LEGEND.values())


def test_bars_of_equal_length_are_equally_wide() -> None:
    """Time has one scale."""
    rows, *_ = drawn(timeline("a | rr..\nlonger | ..rr", {"r": "reads"}, **WORDS).svg)
    first, second = rows.iter("rect")
    assert first.get("width") == second.get("width")


@pytest.mark.parametrize(
    ("text", "says"),
    [("CPU 0 ..rr", "write 'name | steps'"), ("CPU 0 | xx", "the legend lacks: x")],
)
def test_a_timeline_that_cannot_be_drawn(text: str, says: str) -> None:
    """The message says what is missing."""
    with pytest.raises(DiagramError, match=says):
        timeline(text, LEGEND, **WORDS)


def test_light_and_dark() -> None:
    """Letters and lines have the colour of the page's text, and nothing is loaded."""
    for figure in (boxes(QUEUE, **WORDS), timeline(TIME, LEGEND, **WORDS)):
        assert 'fill="currentColor"' in figure.svg
        assert "black" not in figure.svg
        assert 'aria-label="Some words."' in figure.html()
        assert "<table" not in figure.html()
        assert "href" not in figure.html()
