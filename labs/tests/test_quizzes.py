"""The first-day survey and the final quiz: keyed, graded like labs, and no bundle holds a key."""

from pathlib import Path

import pytest

from lockgrader.author.bundle import public_files
from lockgrader.kinds.answer import Answer
from lockgrader.lab import Lab, load
from lockgrader.lab.variants import variant
from lockgrader.measuring.numeric import expected
from lockgrader.submitted import Submitted
from locklabs import find, quizzes

QUIZZES = sorted(path.parent for path in Path(__file__).parents[1].glob("quizzes/*/lab.toml"))
KEY = b"k" * 16


def questions(lab: Lab) -> list[Answer]:
    """The keyed questions of some student."""
    return [c for c in lab.checks(variant(lab, "ada", KEY)) if isinstance(c, Answer)]


def test_there_are_two() -> None:
    """A survey and a quiz; commands find them by name, as they find labs."""
    assert ["final", "first-day"] == [path.name for path in QUIZZES] == quizzes()
    assert QUIZZES == [find(name).resolve() for name in quizzes()]


@pytest.mark.parametrize("folder", QUIZZES, ids=lambda path: path.name)
def test_the_key_is_right_and_hidden(folder: Path) -> None:
    """The keyed answer passes, no answer earns nothing, and all keys are in hidden checks."""
    asked = questions(load(folder))
    assert 10 <= len(asked)
    for check in asked:
        right = expected(check.expected, Submitted())
        assert "pass" == check.judge(Submitted(answers={check.answer: [right]})).verdict
        assert "no_output" == check.judge(Submitted()).verdict
        assert not check.public


@pytest.mark.parametrize("folder", QUIZZES, ids=lambda path: path.name)
def test_the_page_asks_each_question(folder: Path) -> None:
    """The handout names each answer, and the bundle can be made."""
    page = public_files(folder)["handout.md"].decode()
    assert [] == [c.answer for c in questions(load(folder)) if f"**{c.answer}**" not in page]


def test_the_quiz_differs_between_students() -> None:
    """Its numbers are each student's own."""
    lab = load(QUIZZES[0])
    drawn = [variant(lab, f"student{i}", KEY) for i in range(20)]
    numbers = {
        tuple(
            expected(c.expected, Submitted()) for c in lab.checks(values) if isinstance(c, Answer)
        )
        for values in drawn
    }
    assert len(drawn) == len(numbers)


def test_a_question_of_one_name_is_one_question() -> None:
    """The gain compares them: both ask about the same belief, and no other share a name."""
    final, first = ({c.name: c for c in questions(load(folder))} for folder in QUIZZES)
    both = [name for name in first if name in final]
    assert [f"question-{n}" for n in range(1, 9)] == both
    assert [first[n].misconceptions for n in both] == [final[n].misconceptions for n in both]
