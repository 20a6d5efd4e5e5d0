"""A quiz as a measure: difficulty, discrimination, gain, and what is left out of each."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_made import check, result
from typed import typed

from lockgrader.report.items import gain, items
from lockgrader.result import Result, ResultError, keep


def quiz(answers: dict[str, str], lab: str = "final", **more: str) -> list[Result]:
    """Results of a quiz, an answer a letter: "+" right, "-" wrong, " " missing, "?" our fault."""
    verdicts = {"+": "pass", "-": "fail", " ": "no_output", "?": "grader_error"}
    return [
        result(
            student,
            *(check(f"q{n}", verdicts[letter]) for n, letter in enumerate(letters, start=1)),
            check("why", points=0.0, max_points=0.0, answer="because"),
            lab=lab,
        )
        for student, letters in answers.items()
    ]


FIRST = quiz({"ada": "---", "bob": "+--", "cem": "+ -", "eve": "+++"}, "first-day")
LAST = quiz({"ada": "++-", "bob": "+++", "cem": "+-+", "zoe": "---"})


def test_difficulty_and_discrimination() -> None:
    """Shares of right answers; the correlation with the rest of the same student's answers."""
    found = items(quiz({"a": "++-", "b": "++-", "c": "+--", "d": "---"}))
    assert [("q1", 4, 0.75), ("q2", 4, 0.5), ("q3", 4, 0.0)] == [
        (i.name, i.students, i.difficulty) for i in found
    ]
    # q1 is 1, 1, 1, 0 and the others 1, 1, 0, 0: r = 1 / sqrt(3).
    assert 1 / math.sqrt(3) == pytest.approx(found[0].discrimination)
    assert math.isnan(found[2].discrimination)


def test_our_own_failure_is_no_answer() -> None:
    """It counts neither as right nor as wrong."""
    found = items(quiz({"a": "+?", "b": "--", "c": "++"}))
    assert [(3, 2 / 3), (2, 0.5)] == [(i.students, i.difficulty) for i in found]


def test_gain_of_those_who_answered_both() -> None:
    """Who is missing once is left out; a question left out is not known."""
    whole, *questions = gain(FIRST, LAST)
    assert ("all", 3) == (whole.name, whole.students)
    # Of nine answers two were right before and seven after.
    assert (2 / 9, 7 / 9, 5 / 7) == pytest.approx((whole.before, whole.after, whole.gain))
    assert [("q1", 1.0), ("q2", 2 / 3), ("q3", 2 / 3)] == [
        (g.name, pytest.approx(g.gain)) for g in questions
    ]


def test_what_all_knew_has_no_gain() -> None:
    """There was nothing to gain."""
    found = gain(quiz({"a": "+", "b": "+"}), quiz({"a": "-", "b": "+"}))
    assert [True, True] == [math.isnan(g.gain) for g in found]


def test_the_interval_holds_the_gain_and_shrinks() -> None:
    """With more students of the same kind; the same numbers give the same interval."""
    widths = []
    for times in (2, 8):
        first = quiz({f"{n}{i}": x for i in range(times) for n, x in enumerate(("--", "+-", "-+"))})
        last = quiz({f"{n}{i}": x for i in range(times) for n, x in enumerate(("++", "+-", "-+"))})
        whole = gain(first, last)[0]
        assert whole == gain(first, last)[0]
        assert whole.low < whole.gain < whole.high
        widths.append(whole.high - whole.low)
    assert widths[1] < widths[0]


@given(st.dictionaries(st.text("abc", min_size=1), st.text("+- ?", min_size=2, max_size=2)))
def test_a_gain_is_at_most_one(answers: dict[str, str]) -> None:
    """Whatever a class answers; two students are the least."""
    after = quiz({student: letters[::-1] for student, letters in answers.items()})
    if len(answers) < 2:
        with pytest.raises(ResultError, match="answered both quizzes"):
            gain(quiz(answers) or FIRST, after or LAST[-1:])
        return
    for one in gain(quiz(answers), after):
        assert math.isnan(one.gain) or one.gain <= 1
        assert math.isnan(one.low) or one.low <= one.high


def test_quizzes_without_a_common_question() -> None:
    """The message says how questions are paired."""
    other = [result("ada", check("x"), lab="other")]
    with pytest.raises(ResultError, match="first-day and other have no question in common"):
        gain(FIRST, other)


def test_the_command(tmp_path: Path) -> None:
    """A table, a CSV with all numbers, JSON, and a warning about a small class."""
    for name, results in (("first", FIRST), ("last", LAST)):
        for one in results:
            keep(tmp_path / name / one.student, one)
    asked = [str(tmp_path / "last"), "--before", str(tmp_path / "first")]
    done = typed("grade", "export", *asked)
    assert 0 == done.exit_code, done.output
    assert "3 students answered both quizzes: the gain of so few is not sharp" in done.stderr
    assert "all" in done.stdout
    assert "0.71" in done.stdout
    with open(tmp_path / "last" / "items.csv", newline="") as file:
        rows = {row["question"]: row for row in csv.DictReader(file)}
    assert ("0.7143", "3") == (rows["all"]["gain"], rows["all"]["both"])
    assert ("4", "0.75", "1") == tuple(rows["q1"][x] for x in ("students", "difficulty", "gain"))
    document = json.loads(typed("grade", "export", *asked, "--json").stdout)
    assert 5 / 7 == pytest.approx(document["gain"][0]["gain"])
    wrong = typed("grade", "export", *asked, "--to", "csv")
    assert (2, True) == (wrong.exit_code, "--before is for --to items" in wrong.output)
