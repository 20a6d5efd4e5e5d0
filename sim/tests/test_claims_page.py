"""docs/evidence/claims.md: each number stands where the page says, and each command exists."""

import re
import shlex
from pathlib import Path

import pytest

from locklab import commands

ROOT = Path(__file__).parents[2]
_ROW = re.compile(
    r"^\| \[[^]]+\]\((?P<page>[^)]+)\) \| `(?P<says>.+?)` \| `(?P<command>[^`]+)` \|", re.M
)
ROWS = [
    match.groupdict() for match in _ROW.finditer((ROOT / "docs/evidence/claims.md").read_text())
]


def _flat(text):
    return " ".join(text.split())


def test_rows_are_read():
    """Every line of the table is a row."""
    lines = (ROOT / "docs/evidence/claims.md").read_text().splitlines()
    assert len([line for line in lines if line.startswith("| [")]) == len(ROWS) > 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["says"])
def test_number_stands_on_its_page(row):
    """Line breaks and bars of tables apart, the page has these words."""
    page = (ROOT / "docs/evidence" / row["page"]).read_text()
    assert _flat(row["says"].replace("\\|", "|")) in _flat(page)


@pytest.mark.parametrize("command", sorted({row["command"] for row in ROWS}))
def test_command_exists(command):
    """A command of locklab, a target of the Makefile, or a file of this repository."""
    program, word, *rest = shlex.split(command)
    known = {
        "locklab": lambda: [word] if {word, " ".join([word, *rest[:1]])} & {*commands()} else [],
        "make": lambda: re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M),
        "python": lambda: [word] if (ROOT / word).is_file() else [],
        "pytest": lambda: [word] if (ROOT / word).is_file() else [],
    }
    assert word in known[program]()


def test_figures_for_a_kernel_engineer():
    """Each number of the page's table stands on the page that its row names as the source."""
    page = ROOT / "docs/use/kernel_engineer.md"
    rows = re.findall(r"^\| .+? \| (.*\d.*) \| \[\w+\]\((.+)\) \|$", page.read_text(), re.M)
    assert len(rows) == 5
    for says, source in rows:
        known = re.findall(r"\d[\d.]*\d|\d", (page.parent / source).read_text())
        assert [] == [one for one in re.findall(r"\d[\d.]*\d|\d", says) if one not in known]
