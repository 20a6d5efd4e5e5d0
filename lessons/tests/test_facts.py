"""docs/evidence/facts.md: each sentence stands in its lesson or lab, and each fact has a source."""

from __future__ import annotations

import re

import pytest
from locklessons.notebooks import FOLDER

import lockdata

PAGE = FOLDER.parent / "docs/evidence/facts.md"
LINES = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| [")]
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in LINES]
NAMED = re.compile(r"https?://|^Linux\b|^L\. Torvalds|^the same commit|^Kaigai's patch|^Intel, ")
"""How a source begins, or what it contains, that is not a table of ours."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1][:50])
def test_it_stands_in_its_lesson_or_lab(row: list[str]) -> None:
    """Word for word, line breaks apart; and the source is a page, a file or one of our tables."""
    page, says, source, there = row
    target = re.fullmatch(r"\[l\w+ \d+\]\((.+)\)", page)
    assert target is not None
    text = " ".join((PAGE.parent / target[1]).read_text("utf-8").split())
    assert says.removesuffix(" (corrected)") in re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text)
    tables = re.findall(r"`(\w+-\d{4}/[\w-]+)`", source)
    assert all(lockdata.describe(table) for table in tables)
    assert tables or NAMED.search(source)
    assert there


def test_there_are_at_least_forty() -> None:
    """Facts of lessons and of labs, some of which had to be corrected."""
    assert 40 <= len(ROWS)
    assert {"lesson", "lab"} == {row[0].split()[0].removeprefix("[") for row in ROWS}
    assert any(row[1].endswith("(corrected)") for row in ROWS)
