"""The HTML page of reproductions: one file, all cells and roles, nothing from outside, no code."""

import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from locksim.cli.html_report import Section, page
from locksim.machine import Parameter
from locksim.papers.experiment import Cell, Report, Reproduction
from lockui.plots import Axis, Bar, Bars, Plot


class Reader(HTMLParser):
    """Collects a page's elements, identifiers and visible words; every element must be closed."""

    VOID = frozenset({"meta", "link", "br", "img"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert [] == self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that closes itself, as in SVG."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be of this name."""
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        """Note text, with one blank for any white space."""
        if "style" not in self.open:
            self.words += f" {' '.join(data.split())}"

    def values(self, attribute: str) -> list[str]:
        """Every value of an attribute."""
        return [v for _, found in self.tags if (v := found.get(attribute)) is not None]


def reproduction(name: str = "made-up") -> Reproduction:
    """Two cells, one without a measurement, whose words need escaping."""
    nan = math.nan
    cells = [
        Cell("a < b & c", "4 CPUs", "10.0", 10.0, 10.5, 10.4, 10.6, "predicted", "s"),
        Cell("rcu", "8 CPUs", None, None, 11.0, nan, nan, "fitted", "s"),
    ]
    figure = Parameter("far", 500, "ns", 'a "probe" <b>', "measured")
    return Reproduction(name, "A made-up table", "Nobody 2004", "ideal-4", [figure], cells)


@pytest.fixture
def sections() -> list[Section]:
    """Two experiments."""
    return [
        Section(reproduction(name), Plot(f'{name} "rises"', [Bars([Bar("a", 1.0)], Axis("s"))]))
        for name in ("one", "two")
    ]


def test_every_cell_and_role_is_there(sections: list[Section]) -> None:
    """Figures, intervals, roles in words, errors; a dash where there is none."""
    words = Reader(page(sections, "5 replications")).words
    row = " a < b & c 4 CPUs 10.0 10.0 10.5 10.4 … 10.6 s predicted +5.0%"
    assert row in " ".join(words.split()).replace("a < b", " a < b")
    assert "rcu 8 CPUs – – 11.0 – s fitted –" in " ".join(words.split())
    assert "5 replications" in words


def test_page_needs_nothing_from_outside(sections: list[Section]) -> None:
    """No script, no style sheet, no picture to fetch; links lead to the page itself."""
    found = Reader(page(sections, ""))
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in found.tags}
    assert [] == found.values("src")
    assert all(v.startswith("#") for v in [*found.values("href"), *found.values("xlink:href")])
    assert not re.search(r"@import|url\((?!#)", page(sections, ""))


def test_identifiers_are_unique_and_links_lead_somewhere(sections: list[Section]) -> None:
    """Though both experiments have the same bars."""
    found = Reader(page(sections, ""))
    ids = found.values("id")
    assert sorted(set(ids)) == sorted(ids)
    assert {v[1:] for v in [*found.values("href"), *found.values("xlink:href")]} <= set(ids)


def test_models_stand_where_an_experiment_has_them(sections: list[Section]) -> None:
    """One line a model and row, with the cells at which it fails."""
    line = {
        **{"model": "mva", "row": "rcu", "cells": 2, "worst": "8 CPUs", "fails": ["8 CPUs"]},
        **{"mean_abs_error": 0.5, "worst_abs_error": 0.75, "simulated_mean_abs_error": 0.03},
    }
    extra = {"models": {"summary": [line], "fails_above": 0.25, "loads": {}, "cells": []}}
    changed = replace(sections[0], result=replace(reproduction(), extra=extra))
    words = [" ".join(Reader(page([s], "")).words.split()) for s in (changed, sections[0])]
    assert "mva rcu 50.0% 75.0% 3.0% 8 CPUs" in words[0]
    assert "analytic models" not in words[1]


def test_the_source_s_own_format_can_be_opened(sections: list[Section]) -> None:
    """Where an experiment has one: closed at first, its blanks kept."""
    report = Report("lockmeter", " UTIL  CON\n 1.0%  <2%\n")
    changed = replace(sections[0], result=replace(reproduction(), report=report))
    text = page([changed], "")
    assert "<pre> UTIL  CON\n 1.0%  &lt;2%\n</pre>" in text
    assert "The simulated values in lockmeter's format" in Reader(text).words
    assert "<details>" not in page(sections, "")


def test_dark_and_light_and_print(sections: list[Section]) -> None:
    """The page says that it has both schemes and how it prints."""
    text = page(sections, "")
    for rule in ("color-scheme: light dark", "prefers-color-scheme: dark", "@media print"):
        assert rule in text
