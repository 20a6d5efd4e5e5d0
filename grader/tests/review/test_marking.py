"""Marks from a sheet, and the rubric of a lab."""

from __future__ import annotations

from pathlib import Path

import pytest
from results_made import check, result
from typed import typed

from lockgrader.mark import Mark, add_mark, read_marks
from lockgrader.result import keep, load
from lockgrader.review.rubric import Level, rubric
from locklabs import find


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder of results of two students."""
    for student in ("ada", "bob"):
        why = check("why", points=0.0, max_points=0.0, answer="because")
        made = result(student, check("right", "fail"), why, by_hand={"why": 5.0})
        keep(tmp_path / "out" / student, made)
    return tmp_path / "out"


def review(out: Path, sheet: str) -> tuple[int, str]:
    """Give the marks of a sheet by the command; exit code and what it says."""
    path = out.parent / "marks.csv"
    path.write_text(sheet)
    done = typed("grade", "review", str(out), "--marks", str(path), "--by", "ann")
    return done.exit_code, done.output


def points(out: Path, student: str) -> float:
    """A student's points."""
    found = load(out / student)
    assert found is not None
    return found.points


def test_a_sheet_of_marks(out: Path) -> None:
    """An answer by the rubric of lab 02, and an override; the tables follow."""
    sheet = "login,check,points,reason\nada,why,3,good\nbob,right,1.5,typing mistake\n"
    assert (0, "2 marks given\n") == review(out, sheet)
    assert (3.0, 1.5) == (points(out, "ada"), points(out, "bob"))
    assert "typing mistake" in (out / "summary.html").read_text()
    assert "ann" == read_marks(out / "ada")[0].by


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("eve,why,1,x", ":3: eve has no check 'why'; known: ada, bob"),
        ("ada,wy,1,x", ":3: ada has no check 'wy'; did you mean 'why'?"),
        ("ada,why,6,x", ":3: points must be between 0 and 5"),
        ("ada,right,6,x", ":3: points must be between 0 and 4"),
        ("ada,why,-1,x", ":3: points must be a number from 0 to 1000 (got '-1')"),
        ("ada,why,inf,x", ":3: points must be a number from 0 to 1000 (got 'inf')"),
        ("ada,why,1,", ":3: 'reason' is empty"),
    ],
)
def test_a_wrong_sheet_gives_nothing(out: Path, line: str, says: str) -> None:
    """The line and what is wrong; the right lines before it are not given either."""
    code, said = review(out, f"login,check,points,reason\nbob,why,1,x\n{line}\n")
    assert 2 == code
    assert says in said.replace("\n", "")
    assert [] == read_marks(out / "bob")


def test_a_line_that_a_crash_cut_off(out: Path) -> None:
    """It is lost alone; the next mark is whole."""
    given = Mark(check="why", points=1.0, reason="x", by="ann", submission_sha256="0" * 64)
    (out / "ada" / "marks.jsonl").write_text('{"check": "wh')
    add_mark(out / "ada", given)
    assert [given] == read_marks(out / "ada")


def test_the_rubrics_of_our_labs() -> None:
    """Each question in words has levels, as the page shows them."""
    for lab, names in (("lab02", {"why", "orders"}), ("lab05", {"why", "price"})):
        found = rubric(find(lab))
        assert names == set(found)
        assert all(levels[0].points == 5.0 for levels in found.values())
    assert {} == rubric(Path(__file__))


def test_other_lists_are_no_levels(tmp_path: Path) -> None:
    """A list of another part, and one before any question."""
    text = "- 9: no\n**`why`: why?**\n- 1: one\n- 2.5: two\n**Code.**\n- 3: no\n"
    (tmp_path / "rubric.md").write_text(text)
    assert {"why": [Level(2.5, "two"), Level(1.0, "one")]} == rubric(tmp_path)
