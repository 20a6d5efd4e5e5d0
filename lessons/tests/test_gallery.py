"""The gallery: each command of its page is run as it is printed, and its plot stands below."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from locklessons.gallery import drawn

PAGE = Path(__file__).resolve().parents[1] / "site" / "pages" / "gallery.md"


def test_a_plot_of_a_command() -> None:
    """The picture, its words and its caption are those of the page that the command saves."""
    plot = drawn("locklab run tas --machine ideal-2 --replications 2 --plot run.html")
    assert plot.svg.startswith("<svg")
    assert plot.svg.endswith("</svg>")
    assert plot.alt.startswith("tas on 2 CPUs of ideal-2 (compact): ")
    assert "Hold 100ns, think 400ns; 2 replications" in plot.caption


def test_a_command_that_fails() -> None:
    """The build stops with its message."""
    with pytest.raises(RuntimeError, match=r"no_such_lock --plot x\.html' saved no plot: .*lock"):
        drawn("locklab run no_such_lock --plot x.html")


def test_each_plot_has_a_title_and_a_link() -> None:
    """And no two commands save the same file."""
    _, *entries = re.split(r"^### ", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    files = [
        re.findall(r"^locklab .* --plot (\w+\.html)$", entry, re.MULTILINE) for entry in entries
    ]
    assert [1] * len(entries) == [len(found) for found in files]
    assert len(entries) == len({found[0] for found in files}) <= 20
    assert [] == [entry for entry in entries if not re.search(r"\]\([\w/.-]+\.md[#\w-]*\)", entry)]
