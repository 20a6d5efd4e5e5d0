"""The instructor's guide: its files are valid, and its commands run as they stand."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_lab import needs_sandbox

from locklabs import find

GUIDE = Path(__file__).resolve().parents[2] / "docs/teach/instructors.md"


def commands() -> list[str]:
    """The commands of the first part, in order; the sandbox's own test is elsewhere."""
    first = GUIDE.read_text().partition("## During the term")[0]
    found = re.finditer(r"(<!-- file: \S+ -->\n)?```\n(.*?)```", first, flags=re.DOTALL)
    blocks = [block[2] for block in found if block[1] is None]
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if "doctor" not in line and "review" not in line]


def prepare(folder: Path) -> None:
    """Write the guide's files, and a submission that is the lab's solution."""
    files = re.findall(r"<!-- file: (\S+) -->\n```\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    assert ["names.csv", "course.toml"] == [name for name, _ in files]
    for name, text in files:
        (folder / name).write_text(text)
    (folder / "logins.txt").write_text("ada\nbob\n")
    home = folder / "submissions" / "ada"
    home.mkdir(parents=True)
    for path in (find("lab02") / "solution").iterdir():
        (home / path.name).write_bytes(path.read_bytes())


def run(folder: Path, line: str) -> str:
    """Run a line of the guide; what it prints."""
    ours = line.replace("locklab ", f"{shlex.quote(sys.executable)} -m locklab ", 1)
    done = subprocess.run(ours, shell=True, cwd=folder, capture_output=True, text=True)
    assert 0 == done.returncode, line + done.stdout + done.stderr
    return done.stdout


def test_the_first_commands(tmp_path: Path) -> None:
    """Key, pins and their check; every command of the guide is one that exists."""
    prepare(tmp_path)
    lines = commands()
    assert ["head", "pin", "check", "bundle", "grade"] == [
        next(w for w in line.split() if w in ("head", "pin", "check", "bundle", "grade"))
        for line in lines
    ]
    for line in lines[:3]:
        said = run(tmp_path, line)
    assert "lab02-spinlocks: as pinned\n" == said


@needs_sandbox
@pytest.mark.slow
def test_to_a_graded_submission(tmp_path: Path) -> None:
    """All of them, to the pages that the guide names."""
    prepare(tmp_path)
    for line in commands():
        run(tmp_path, line)
    for name in ("summary.html", "ada/feedback.html", "canvas.csv", "moodle.csv"):
        assert (tmp_path / "results" / name).is_file()
    assert "bob" in (tmp_path / "results" / "summary.html").read_text()
    assert 2 == len([*(tmp_path / "handout").iterdir()])
