"""A new lab: what it holds, which names it refuses, and that it lints at once."""

from pathlib import Path

import pytest
from tiny_lab import needs_sandbox
from typed import typed

from lockgrader.author.bundle import public_files
from lockgrader.author.lint import lint
from lockgrader.author.new import new
from lockgrader.lab import load
from lockgrader.lab.variants import variant
from lockui.errors import UsageError

KINDS = ["proven", "simulated", "answer", "proven"]


def test_files_of_a_new_lab_keep_every_promise(tmp_path: Path) -> None:
    """Outside a checkout, under its own name and title; nothing is graded here."""
    folder = tmp_path / "somewhere" / "lab42-two-threads"
    files = new(folder)
    lab = load(folder)
    assert ("lab42-two-threads", "Two threads") == (lab.name, lab.title)
    assert files == sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    assert [] == [p for p in folder.rglob("*.*") if "emplate" in p.read_text(encoding="utf-8")]
    assert KINDS == [c.kind for c in lab.checks(variant(lab, "ada", b"k" * 16))]
    assert [] == [item for item in lint(folder, students=0).items if not item.ok]
    assert "glossary.md" in public_files(folder)


@pytest.mark.slow
@needs_sandbox
def test_a_new_lab_lints(tmp_path: Path) -> None:
    """Its solution, its starter and its mutants are graded; here without the handout's commands."""
    new(tmp_path / "counter")
    path = tmp_path / "counter" / "handout.md"
    path.write_text(path.read_text().replace("locklab run", "run").replace("locklab lab", "lab"))
    linted = lint(tmp_path / "counter", students=1)
    assert [] == [item for item in linted.items if not item.ok]
    assert 11 == sum(item.what == "wrong" for item in linted.items)


@pytest.mark.slow
@needs_sandbox
def test_a_new_lab_lints_for_many_students(tmp_path: Path) -> None:
    """As the command does it, commands of the handout included."""
    new(tmp_path / "lab42-counter")
    linted = lint(tmp_path / "lab42-counter", students=20, processes=2)
    assert [] == [item for item in linted.items if not item.ok]
    assert 20 == linted.variants


@pytest.mark.parametrize("name", ["Lab42", "lab 42", "-lab", "lab_42", "läb", "..", "lab42.zip"])
def test_a_name_that_no_lab_can_have(tmp_path: Path, name: str) -> None:
    """One message, and nothing is made."""
    with pytest.raises(UsageError, match=r"not a valid lab name: use only small letters"):
        new(tmp_path / name)
    assert [] == list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A folder, a file in its place, a place that is not a folder: exit code 2."""
    (tmp_path / "lab42").mkdir()
    (tmp_path / "lab43").write_text("mine")
    for name, says in (("lab42", "exists"), ("lab43", "exists"), ("lab43/lab44", "cannot be made")):
        done = typed("lab", "new", str(tmp_path / name))
        assert (2, True) == (done.exit_code, says in done.output)
    assert "mine" == (tmp_path / "lab43").read_text()
