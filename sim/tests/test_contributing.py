"""What contributors read and write: paths exist, links resolve, fragments are well named."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("*.md")),
]
FOLDERS = "changelog.d|datasets|docs|grader|labs|lessons|native|requirements|sim|tools"
PLACEHOLDER = re.compile(r"NAME|NN|SOURCE|YEAR|TYPE|\*")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


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


@every_page
def test_links_resolve(page: Path) -> None:
    """Links to other files of the repository lead to one."""
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
    assert [] == [target for target in targets if not (page.parent / target).exists()]


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
