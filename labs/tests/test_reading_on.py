"""What labs, lessons and the course call one another exists, and has that name."""

import re
from pathlib import Path

import pytest

from lockgrader.lab import load
from locklabs import find, names
from lockui.topics import pages

ROOT = Path(__file__).parents[2]
PLACE = re.compile(
    r"(?P<kind>handout|lesson|lab|docs/[\w/-]+\.md|sim/[\w/.-]+)"
    r"(?: (?P<number>\d+))?(?:, (?:part|step) (?P<part>\d+))?(?:, (?P<section>.+))?"
)
SEES = sorted(
    {(name, belief.see) for name in names() for belief in load(find(name)).misconceptions.values()}
)


def sections(text: str) -> list[str]:
    """The headings of a page, in small letters."""
    return [line.lstrip("#").strip().lower() for line in re.findall(r"^#+ .+", text, re.MULTILINE)]


def page(kind: str, number: str, lab: str) -> str:
    """The text of a place, which may be anywhere in the checkout."""
    if kind == "handout":
        return (find(lab) / "handout.md").read_text(encoding="utf-8")
    if kind == "lab":
        return (find(f"lab{int(number):02}") / "handout.md").read_text(encoding="utf-8")
    if kind == "lesson":
        (path,) = (ROOT / "lessons").glob(f"{int(number):02}-*.md")
        return path.read_text(encoding="utf-8")
    assert ROOT / kind in pages().values(), f"`locklab help` does not show {kind}"
    return (ROOT / kind).read_text(encoding="utf-8")


@pytest.mark.parametrize(("lab", "see"), SEES)
def test_the_place_exists(lab: str, see: str) -> None:
    """A part has a heading or an entry of a list with its number, a section has a heading."""
    for place in see.split("; "):
        found = PLACE.fullmatch(place)
        if found is None:  # a paper, a command, a file of the kernel
            continue
        text = page(found["kind"], found["number"], lab)
        if found["part"]:
            assert re.search(rf"^(## )?{found['part']}\. ", text, re.MULTILINE), place
        if found["section"] and found["kind"] == "lesson":
            assert found["section"].lower() in sections(text), place
        elif found["section"]:
            assert found["section"].lower() in text.lower(), place


def called() -> list[tuple[str, str, str]]:
    """Page, number and name of each lab that a lesson or the course names."""
    course = ROOT / "docs/teach/course.md"
    names = [
        (path.stem, *found)
        for path in sorted((ROOT / "lessons").glob("*.md"))
        for found in re.findall(r"\blab (\d\d), \*([^*]+)\*", path.read_text(encoding="utf-8"))
    ]
    rows = re.findall(r"^\| (\d\d) ([^|]+) \|", course.read_text(encoding="utf-8"), re.MULTILINE)
    return names + [(course.stem, *found) for found in rows]


@pytest.mark.parametrize(("where", "number", "name"), called())
def test_a_lab_has_one_name(where: str, number: str, name: str) -> None:
    """Its title begins with what lessons and the course call it."""
    title = load(find(f"lab{number}")).title.lower()
    assert title.startswith(name.lower()), where
