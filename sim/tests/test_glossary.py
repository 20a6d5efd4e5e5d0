"""The glossary: sorted, each term once, each entry short, and every link to it resolves."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs/start/glossary.md"
FOLDERS = (
    ".github",
    "changelog.d",
    "datasets",
    "docs",
    "grader",
    "labs",
    "lessons",
    "native",
    "sim",
)
PAGES = sorted([*ROOT.glob("*.md"), *(p for f in FOLDERS for p in (ROOT / f).rglob("*.md"))])
PAGES = [p for p in PAGES if "template" not in p.parts]  # its links lead there from a lab's folder


def anchor(heading: str) -> str:
    """Return the anchor that GitHub and Sphinx give to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def entries() -> dict[str, str]:
    """Return the text below each heading, by the heading."""
    _, *parts = re.split(r"^## ", GLOSSARY.read_text(), flags=re.MULTILINE)
    found = dict(part.split("\n", 1) for part in parts)
    assert len(parts) == len(found), "a heading occurs twice"
    return found


def sentences(text: str) -> int:
    """Return how many sentences a text has; dots in code and in links' targets end none."""
    prose = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", text))
    return len(re.findall(r"[.!?][)\"]*(?=\s|$)", prose.strip()))


ENTRIES = entries()
ANCHORS = [anchor(heading) for heading in ENTRIES]
LINKS = [
    pytest.param(page, target, id=f"{page.relative_to(ROOT)}-{target}")
    for page in PAGES
    for target in re.findall(r"\]\(([^)\s]*glossary\.md#[^)\s]*)\)", page.read_text())
]


def test_terms_are_sorted_and_unique() -> None:
    """Headings are in alphabetical order, and no two have one anchor."""
    assert sorted({*ANCHORS}) == ANCHORS


@pytest.mark.parametrize("heading", ENTRIES)
def test_entry_is_a_few_short_sentences(heading: str) -> None:
    """An entry says what the term means and where it is shown, and no more."""
    assert 2 <= sentences(ENTRIES[heading]) <= 5
    assert len(ENTRIES[heading].split()) <= 90


def test_glossary_links_to_itself_alone() -> None:
    """It is copied into students' bundles and the site, where no other file would be found."""
    targets = {*re.findall(r"\]\(([^)]*)\)", GLOSSARY.read_text())}
    assert set() == targets - {f"#{a}" for a in ANCHORS}


@pytest.mark.parametrize(("page", "target"), LINKS)
def test_link_to_the_glossary_resolves(page: Path, target: str) -> None:
    """The path leads to the glossary, and the anchor to an entry."""
    path, _, entry = target.partition("#")
    assert GLOSSARY == Path(os.path.normpath(page.parent / path))
    assert entry in ANCHORS
