"""What the site is built from: every page of docs/, links between pages, pages made from code."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def stage() -> ModuleType:
    """The script; it is no module of a package."""
    spec = importlib.util.spec_from_file_location("stage", ROOT / "lessons/site/stage.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def site(stage: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages."""
    folder = tmp_path_factory.mktemp("site")
    stage.stage(folder)
    return folder


def listed(text: str) -> set[str]:
    """Return the places that the lists of a page name."""
    lists = re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line.strip() for one in lists for line in one.splitlines()]
    return {f"{line}.md" for line in lines if line and not line.startswith(":")}


def test_every_page_is_in_one_list(site: Path) -> None:
    """Lessons, how-to, reference and explanation hold all pages; nothing is named that is not."""
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.md")} - {"index.md"}
    named = [
        place.lstrip("/")
        for path in site.rglob("*.md")
        for place in listed(path.read_text("utf-8"))
    ]
    assert sorted(pages) == sorted(named)
    docs = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert set() == docs - pages


def test_links_lead_to_pages(site: Path) -> None:
    """A link to a file that is not a page has become its text; images lie beside their pages."""
    wrong = []
    for path in site.rglob("*.md"):
        for target in re.findall(r"\]\(([^)\s#]+)", path.read_text("utf-8")):
            if ":" not in target and not Path(os.path.normpath(path.parent / target)).exists():
                wrong.append((path.name, target))
    assert [] == wrong


def test_links_of_sources_resolve(stage: ModuleType) -> None:
    """In the repository, every file that a page links to is there."""
    wrong = []
    for name, path in stage.sources().items():
        if stage.OWN in path.parents:
            continue
        for target in re.findall(r"\]\(([^)\s#]+)", path.read_text("utf-8")):
            if ":" not in target and not (path.parent / target).exists():
                wrong.append((name, target))
    assert [] == wrong


def test_a_link_to_another_file_becomes_its_text(stage: ModuleType) -> None:
    """And a link to a page stays."""
    text = "[a `b`](../c.py) [d](glossary.md#x) [e](https://x.y) ![f](p.png)"
    shown, images = stage.linked(text, "docs/A.md", {"docs/glossary.md": ""})
    assert "a `b` [d](glossary.md#x) [e](https://x.y) ![f](p.png)" == shown
    assert ["docs/p.png"] == images


def test_pages_are_made_from_code(site: Path) -> None:
    """Each command has its options, each format its keys."""
    assert "`--threads" in (site / "reference/commands/check.md").read_text("utf-8")
    assert "`--as" in (site / "reference/commands/show-lock.md").read_text("utf-8")
    assert "| `cost` |" in (site / "reference/machine-profile.md").read_text("utf-8")
    assert "## Proven" in (site / "reference/lab-format.md").read_text("utf-8")
    assert "| `checks` |" in (site / "reference/grading-result.md").read_text("utf-8")
    assert "automodule:: lockdata" in (site / "reference/python/lockdata.md").read_text("utf-8")


def test_a_plot_follows_each_command_of_the_gallery(site: Path) -> None:
    """The cell below draws what the command above saves."""
    text = (site / "gallery.md").read_text("utf-8")
    printed = re.findall(r"^```sh\n(locklab .*)\n```$", text, re.MULTILINE)
    assert printed == re.findall(r'^drawn\("(.*)"\)$', text, re.MULTILINE)
    assert len(printed) > 6


def test_locks_open_in_the_playground(site: Path) -> None:
    """Each lock of the library, and each lock of a lesson below the cell that first imports it."""
    listed = (site / "reference/library.md").read_text("utf-8")
    assert re.findall(r"lock=(\w+)", listed) == re.findall(
        r"^\| `(\w+)` \| lock ", listed, re.MULTILINE
    )
    lesson = (site / "lessons/01-why-locks-collapse.md").read_text("utf-8")
    (links,) = re.findall(r"^```\n\n```\{only\} playground\n(.*)\n```$", lesson, re.MULTILINE)
    assert ["mcs", "ticket", "ttas"] == re.findall(r"\?lock=(\w+)", links)


def test_other_words_are_in_the_index(site: Path, stage: ModuleType) -> None:
    """A handout by its number, a term by its other names; the rest of a page stays."""
    handout = (site / "labs/lab02-spinlocks/handout.md").read_text("utf-8")
    assert "# Lab 02: spinlocks\n\n```{index} !single: lab 02\n" in handout
    text = (
        "# G\n\n## Fence\n\nOrders. Also called memory\nbarrier, or barrier.\n\n## HOLD\n\nTime.\n"
    )
    shown = stage.searchable(text, "docs/start/glossary.md")
    entries = re.findall(r"^```\{index\} !single: (.*)\n```\n", shown, re.MULTILINE)
    assert ["memory barrier", "barrier"] == entries
    assert text == re.sub(r"\n```\{index\}.*\n```(?=\n```)|\n```\{index\}.*\n```\n", "", shown)
    assert text == stage.searchable(text, "docs/use/language.md")
