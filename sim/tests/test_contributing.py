"""What contributors read and write: paths exist, links resolve, fragments are well named."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "sim/locksim/papers").rglob("*.md")),
    *sorted(ROOT.glob("*.md")),
]
LINKING = [*PAGES, *sorted(ROOT.glob("*/README.md")), ROOT / "sim/PHYSICS.md"]
_LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)")
FOLDERS = "changelog.d|datasets|docs|grader|labs|lessons|native|requirements|sim|tools"
PLACEHOLDER = re.compile(r"NAME|NN|SOURCE|YEAR|TYPE|\*")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
every_linking_page = pytest.mark.parametrize(
    "page", LINKING, ids=lambda page: page.relative_to(ROOT).as_posix()
)


def paths(text: str) -> set[str]:
    """Return the repository's paths that stand in code, but for those with a placeholder."""
    code = re.findall(r"```.*?```|`[^`]+`", text, flags=re.DOTALL)
    found = re.findall(rf"(?<![\w./-])(?:{FOLDERS})/[\w./*-]*", "\n".join(code))
    return {path.rstrip(".") for path in found if not PLACEHOLDER.search(path)}


@every_page
def test_paths_exist(page: Path) -> None:
    """A page that names a file sends nobody to one that has moved."""
    assert [] == [path for path in sorted(paths(page.read_text())) if not (ROOT / path).exists()]


@every_page
def test_targets_exist(page: Path) -> None:
    """What a page asks a reader to make is a target of the Makefile."""
    targets = {*re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)}
    named = {*re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE)}
    assert set() == named - targets


@every_linking_page
def test_links_resolve(page: Path) -> None:
    """Links to other files of the repository lead to one."""
    targets = [target for target, _ in _LINK.findall(page.read_text())]
    assert [] == [target for target in targets if not (page.parent / target).exists()]


@every_linking_page
def test_headings_that_links_name_exist(page: Path) -> None:
    """A link to a part of a page leads to one of its headings."""
    wrong = []
    for target, anchor in _LINK.findall(page.read_text()):
        other = page.parent / target if target else page
        if anchor and other.suffix == ".md" and anchor not in anchors(other):
            wrong.append(f"{target}#{anchor}")
    assert [] == wrong


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and Sphinx make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_every_page_is_linked(page: Path) -> None:
    """A reader finds a page in the index of its folder, a result in that of evidence."""
    match page.relative_to(ROOT).parts:
        case ("docs", _, "README.md"):
            index = ROOT / "README.md"
        case ("docs", folder, _):
            index = ROOT / "docs" / folder / "README.md"
        case ("sim", *_):
            index = ROOT / "docs/evidence/README.md"
        case _:
            return
    links = [target for target, _ in _LINK.findall(index.read_text())]
    assert page in [(index.parent / target).resolve() for target in links]


def test_contributing_is_two_pages() -> None:
    """At most 90 lines, of at most 100 characters but for tables."""
    lines = (ROOT / "CONTRIBUTING.md").read_text().splitlines()
    assert len(lines) <= 90
    assert [] == [line for line in lines if len(line) > 100 and not line.startswith("|")]


def test_fragments_are_well_named() -> None:
    """A fragment of no known type would be dropped silently at a release."""
    fragments = {path.name for path in (ROOT / "changelog.d").iterdir()} - {"README.md"}
    name = re.compile(r"\+[a-z0-9-]+\.(added|changed|fixed|removed|security)\.md")
    assert [] == [fragment for fragment in sorted(fragments) if not name.fullmatch(fragment)]
