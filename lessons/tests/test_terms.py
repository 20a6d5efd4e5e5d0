"""Terms are explained before they are used, in the order in which lessons are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from locklessons.notebooks import Lesson, lessons, slug
from locklessons.terms import EXPLAINED, Unexplained, entries, unexplained


def written(tmp_path: Path, *texts: str) -> list[Lesson]:
    """Lessons with these texts."""
    found = []
    for number, text in enumerate(texts, start=1):
        file = tmp_path / f"{number}.md"
        file.write_text(text, encoding="utf-8")
        found.append(Lesson(number, str(number), "", file))
    return found


def broken_links(lesson: Lesson, terms: list[str]) -> list[str]:
    """The glossary's addresses in a lesson that lead nowhere."""
    known = {slug(term) for term in terms}
    text = lesson.file.read_text("utf-8")
    return [found["entry"] for found in EXPLAINED.finditer(text) if found["entry"] not in known]


def test_no_term_is_used_before_it_is_explained() -> None:
    """In all lessons there are."""
    assert [] == unexplained(lessons(), entries())


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_every_link_to_the_glossary_leads_somewhere(lesson: Lesson) -> None:
    """Each names an entry that there is."""
    assert [] == broken_links(lesson, entries())


def test_a_use_before_the_link_is_found(tmp_path: Path) -> None:
    """With its lesson and line; a later link does not help, nor does code."""
    made = written(
        tmp_path,
        "# Cache lines\n\n`cache line`\n\nTwo cache\nlines, [cache line](glossary.md#cache-line).",
        "A cache line again; UTIL is not util.",
    )
    assert [Unexplained("1.md", 5, "Cache line"), Unexplained("2.md", 1, "UTIL")] == unexplained(
        made, ["Cache line", "UTIL", "Grace period"]
    )


@pytest.mark.parametrize(
    "text",
    [
        "A [line](x/glossary.md#cache-line) is a cache line.",
        "A **cache line** is a block; cache lines travel.",
        "A *cache line* is a block.",
        "```\ncache line\n```\n",
    ],
)
def test_explained(tmp_path: Path, text: str) -> None:
    """By a link, in bold or italics; code is not prose."""
    assert [] == unexplained(written(tmp_path, text), ["Cache line"])


def test_a_broken_link(tmp_path: Path) -> None:
    """It is named."""
    (made,) = written(tmp_path, "[a](x/glossary.md#cache-line) [b](x/glossary.md#kache)")
    assert ["kache"] == broken_links(made, ["Cache line"])


def test_addresses_are_those_of_the_page() -> None:
    """As the site makes them."""
    assert ["cache-line", "littles-law", "what-if", "rename_lock"] == [
        slug(term) for term in ("Cache line", "Little's law", "What-if", "rename_lock")
    ]
