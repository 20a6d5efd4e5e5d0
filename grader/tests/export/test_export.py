"""Results for other readers: their columns, their schema, nothing that a spreadsheet executes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import junitparser
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_made import EVIL, check, result, rich_result
from typed import typed

from lockgrader.export import BATCH, FORMATS, export, load_all
from lockgrader.export.sheet import sheet
from lockgrader.result import CheckResult, Result, ResultError, keep


def rows(name: str, *results: Result) -> list[list[str]]:
    """The rows of a CSV export."""
    (text,) = FORMATS[name].files(results).values()
    return list(csv.reader(io.StringIO(text, newline="")))


def test_canvas_has_its_columns() -> None:
    """Head, points possible, one row a student."""
    found = rows("canvas", result("ada", check("a"), check("b", "partial", 1.25)))
    assert [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "lab02-spinlocks"],
        ["    Points Possible", "", "", "", "", "8"],
        ["ada", "", "", "ada", "", "5.25"],
    ] == found


def test_moodle_has_grade_and_feedback_side_by_side() -> None:
    """E-mail addresses are recognised; failures are given in words, hidden checks by name."""
    lost = (check("a", "fail"), check("b", "fail", public=False))
    found = rows("moodle", result("ada@example.org", check("c"), *lost))
    told = "Title of a: not right yet; b: not right yet"
    assert [
        "Username",
        "Email address",
        "lab02-spinlocks (Real)",
        "lab02-spinlocks (Feedback)",
    ] == (found[0])
    assert ["ada@example.org", "ada@example.org", "4", told] == found[1]


@pytest.mark.parametrize("name", ["canvas", "moodle", "csv"])
def test_what_we_owe_has_no_grade(name: str) -> None:
    """A grader_error leaves the cell empty, so that no earlier grade is overwritten by a lower."""
    found = rows(name, result("ada", check("a"), check("b", "grader_error")))
    assert "4" not in found[-1][1:4] + found[-1][5:6] or name == "csv"
    column = {"canvas": 5, "moodle": 2, "csv": 2}[name]
    assert "" == found[-1][column]


@given(st.text(max_size=30), st.floats(-1e6, 1e6))
def test_no_cell_is_a_formula(text: str, number: float) -> None:
    """A text comes back as it was, or with an apostrophe before what would be executed."""
    (row,) = csv.reader(io.StringIO(sheet([[text, number]]), newline=""))
    assert row[0] in (text, f"'{text}")
    assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert number == pytest.approx(float(row[1]), abs=1e-4)


def test_names_are_quoted() -> None:
    """Commas, quotes and line ends stay inside their cell."""
    name = 'O"Brien, Ada\nII'
    assert name == rows("csv", result(name, check("a")))[1][0]


def test_junit_is_read_by_a_common_reader(tmp_path: Path) -> None:
    """Suites, counts, kinds of outcomes; hostile texts and control characters survive."""
    checks = [check("a"), check("b", "fail", message=f"\x00\x1b{EVIL}")]
    checks += [check("c", "grader_error"), check("d", "skipped"), check("e", "partial", 1.0)]
    (path,) = export([result(EVIL, *checks), result("bob", check("a"))], ["junit"], tmp_path)
    document = junitparser.JUnitXml.fromfile(str(path))
    assert (6, 2, 1, 1) == (document.tests, document.failures, document.errors, document.skipped)
    first, second = document
    assert [EVIL, "bob"] == [first.name, second.name]
    outcomes = [[type(r).__name__ for r in case.result] for case in first]
    assert [[], ["Failure"], ["Error"], ["Skipped"], ["Failure"]] == outcomes
    assert "\N{REPLACEMENT CHARACTER}" * 2 + EVIL == next(iter(list(first)[1].result)).text
    counted = (first.tests, first.failures, first.errors, first.skipped)
    first.update_statistics()
    assert counted == (first.tests, first.failures, first.errors, first.skipped)


def gradescope(*results: Result) -> list[dict[str, object]]:
    """What Gradescope gets."""
    return [json.loads(text) for text in FORMATS["gradescope"].files(results).values()]


def test_gradescope_tells_only_the_verdict_of_hidden_checks() -> None:
    """Its visible tests and its page say nothing of the hidden check but name and verdict."""
    (document,) = gradescope(rich_result())
    tests = document["tests"]
    assert isinstance(tests, list)
    hidden = [t for t in tests if t["visibility"] == "hidden"]
    assert ["hidden: Title of secret-one"] == [t["name"] for t in hidden]
    document["tests"] = [t for t in tests if t["visibility"] == "visible"]
    text = json.dumps(document)
    assert "4711" not in text
    assert "Title of secret" not in text
    assert "secret-one: not right yet" in text
    assert "leaderboard" not in text


def test_gradescope_markdown_holds_no_markup_of_a_student() -> None:
    """No line of a student's begins or ends a fence, and no sign outside one is bare."""
    message = "first <b>bold</b> [x](javascript:1)\n```\n# heading\n````\nend"
    (document,) = gradescope(result("ada", check("a", "fail", message=message)))
    tests = document["tests"]
    assert isinstance(tests, list)
    output = tests[0]["output"]
    assert "\\<b\\>bold" in output
    assert "\\[x\\]\\(javascript:1\\)" in output
    assert output.endswith("`````\n```\n# heading\n````\nend\n`````")


def test_gradescope_says_what_is_missing() -> None:
    """A partial result is valid and says so; internal errors are marked as such."""
    (document,) = gradescope(result("ada", check("a", "grader_error"), complete=False))
    assert "Grading has not ended" in str(document["output"])
    assert "internal error" in str(document["output"])
    assert {"complete": False, "grader_errors": ["a"]}.items() <= document["extra_data"].items()  # type: ignore[attr-defined]


@given(st.lists(st.floats(0, 4), min_size=1, max_size=8))
def test_gradescope_scores_are_the_points(points: list[float]) -> None:
    """The sum of the tests, hidden or not, is the result's."""
    checks = [
        CheckResult(
            name=f"c{i}", title="C", public=bool(i % 2), verdict="partial", points=p, max_points=4.0
        )
        for i, p in enumerate(points)
    ]
    one = result("ada", *checks)
    (document,) = gradescope(one)
    assert one.points == sum(t["score"] for t in document["tests"])  # type: ignore[attr-defined]


def test_command_exports_what_was_kept(tmp_path: Path) -> None:
    """All formats from the folder of results alone; again, nothing changes."""
    for name in ("ada", "bob"):
        keep(tmp_path / name, rich_result(name))
    made = typed("grade", "export", str(tmp_path), "--json")
    told = json.loads(made.stdout)
    assert (0, 2, None) == (made.exit_code, told["results"], told["gradebook"])
    names = sorted(str(Path(f).relative_to(tmp_path)) for f in told["files"])
    pages = ["ada/feedback.html", "bob/feedback.html"]
    assert sorted(
        [*pages, "canvas.csv", "grades.csv", "junit.xml", "moodle.csv", "summary.html"]
    ) == (names)
    before = {f: Path(f).read_bytes() for f in told["files"]}
    export(load_all(tmp_path), BATCH, tmp_path)
    assert before == {f: Path(f).read_bytes() for f in told["files"]}


def test_command_enters_a_gradebook(tmp_path: Path) -> None:
    """Every attempt once, however often it is asked."""
    keep(tmp_path / "ada", result("ada", check("a", "fail")))
    keep(tmp_path / "ada", result("ada", check("a")))
    url = f"sqlite:///{tmp_path / 'grades of all.sqlite'}"
    asked = [str(tmp_path), "--gradebook", url, "--json"]
    told = [json.loads(typed("grade", "export", *asked).stdout)["gradebook"] for _ in range(2)]
    assert [{"new_attempts": 2}, {"new_attempts": 0}] == told


def test_command_refuses_nonsense(tmp_path: Path) -> None:
    """No results, no such format: exit code 2."""
    assert 2 == typed("grade", "export", str(tmp_path)).exit_code
    assert 2 == typed("grade", "export", str(tmp_path / "nowhere")).exit_code
    keep(tmp_path / "ada", result())
    assert 2 == typed("grade", "export", str(tmp_path), "--to", "pdf").exit_code
    with pytest.raises(ResultError, match="unknown format"):
        export([result()], ["pdf"], tmp_path)
