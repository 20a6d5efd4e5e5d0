"""Answers for another variant are recognised, and only those."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockgrader.judging.variant_match import MOST, MOST_MEASURES, matching_variants
from lockgrader.kinds.answer import Answer
from lockgrader.lab import Lab, load
from lockgrader.lab.chatroom import ChatroomRun
from lockgrader.measuring import runs
from lockgrader.submitted import Submitted

LAB = """
format = 2
name = "tiny"
title = "Tiny"
answers = "answers.json"

[variant.mine]
choice = [100, 200, 300]

[variant.unused]
choice = ["a", "b", "c"]

[[check]]
name = "number"
title = "Number"
kind = "answer"
answer = "n"
expected = "$mine"
tolerance = 0.1
fade = 0.5
points = 2
"""


def a_lab(folder: Path, text: str = LAB) -> Lab:
    """A lab with a text."""
    (folder / "lab.toml").write_text(text)
    return load(folder)


def suspected(lab: Lab, number: float, mine: int = 100) -> tuple[str, ...]:
    """What is suspected of an answer."""
    own: dict[str, str | int] = {"mine": mine, "unused": "a"}
    (check,) = lab.checks(own)
    submitted = Submitted(answers={"n": [number]})
    return matching_variants(lab, check, check.judge(submitted), submitted, own)


@pytest.mark.parametrize(
    ("number", "found"),
    [
        (205.0, ("mine = 200",)),
        (280.0, ("mine = 300",)),
        (100.0, ()),  # right
        (130.0, ()),  # wrong everywhere, though partly right at home
        (1e6, ()),
    ],
)
def test_right_for_another_variant(tmp_path: Path, number: float, found: tuple[str, ...]) -> None:
    """Within the tolerance that the other has; what the check does not use is not named."""
    assert found == suspected(a_lab(tmp_path), number)


def test_many_variants_are_bounded(tmp_path: Path) -> None:
    """A range of a million is not tried whole."""
    wide = LAB.replace("choice = [100, 200, 300]", "low = 1\nhigh = 1000000")
    lab = a_lab(tmp_path, wide.replace("fade = 0.5\n", ""))
    (check,) = lab.checks({"mine": 999_999, "unused": "a"})
    assert isinstance(check, Answer)
    assert 0 < len(suspected(lab, 30.0, mine=999_999)) <= MOST
    assert () == suspected(lab, 5000.0, mine=999_999)


def test_one_changed_value_comes_first(tmp_path: Path) -> None:
    """A student who took one wrong value is told, however many variants there are."""
    text = LAB.replace("choice = [100, 200, 300]", "low = 1\nhigh = 90").replace(
        'choice = ["a", "b", "c"]', "choice = [0, 1000, 2000]"
    )
    text = text.replace('"$mine"', '{ formula = "a + b", where = { a = "$mine", b = "$unused" } }')
    lab = a_lab(tmp_path, text.replace("tolerance = 0.1\nfade = 0.5", "tolerance = 0.0001"))
    own: dict[str, str | int] = {"mine": 80, "unused": 1000}
    (check,) = lab.checks(own)
    given = Submitted(answers={"n": [2080.0]})
    found = matching_variants(lab, check, check.judge(given), given, own)
    assert ("mine = 80, unused = 2000",) == found


@pytest.mark.parametrize(
    ("expected", "most"),
    [
        (
            '{ measure = "time_ns", lock = "tas", machine = "ideal-4", cpus = 2, seed = "$mine" }',
            MOST_MEASURES,
        ),
        ('{ formula = "r", where = { r = { chatroom = "throughput", seed = "$mine" } } }', 0),
    ],
)
def test_simulations_are_few(
    expected: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong number takes some short runs of a lock besides its own, and none of Chatroom."""
    tried = set()

    def simulated(asked: object) -> float:
        tried.add(asked)
        return 1.0

    monkeypatch.setattr(runs, "reference", simulated)
    monkeypatch.setattr(ChatroomRun, "number", simulated)
    wide = LAB.replace("choice = [100, 200, 300]", "low = 1\nhigh = 1000000")
    assert () == suspected(a_lab(tmp_path, wide.replace('"$mine"', expected)), 5.0)
    assert 1 + most == len(tried)


def test_a_missing_answer_fits_no_variant(tmp_path: Path) -> None:
    """Nothing to compare."""
    lab = a_lab(tmp_path)
    (check,) = lab.checks({"mine": 100, "unused": "a"})
    finding = check.judge(Submitted())
    assert () == matching_variants(lab, check, finding, Submitted(), {"mine": 100, "unused": "a"})
