"""What a student reads after a check."""

from pathlib import Path

import pytest
from results_made import check, result

from lockgrader.author import bundle
from lockgrader.cli.lab_show import show_result
from lockgrader.lab.variants import variant
from lockgrader.result import Row
from lockgrader.workspace import folder as ws
from lockgrader.workspace.folder import Workspace
from locklabs import find

BELIEF = {"message": "0 of 1 numbers are right", "misconception": "slow is slow", "truth": "No."}


@pytest.fixture
def mine(tmp_path: Path) -> Workspace:
    """Ada's folder for lab 10."""
    files = bundle.read(find("lab10")).files
    key = b"k" * 16
    return ws.start(
        files, tmp_path / "work", student="ada", draw=lambda lab: variant(lab, "ada", key)
    )


def test_numbers_are_shown_for_each_check(
    mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two checks with one message and one misconception: both tables, and one correction."""
    rows = [(Row(what=what, got=1.0, says="too big"),) for what in ("first", "second")]
    checks = [
        check(name, "fail", rows=row, **BELIEF)
        for name, row in zip(("set-a", "set-b"), rows, strict=True)
    ]
    show_result(mine, result("ada", *checks), every=True)
    shown = capsys.readouterr().out
    assert [1, 1] == [shown.count(what) for what in ("first ", "second ")]
    assert (2, 1) == (shown.count("slow is slow"), shown.count("in truth: No."))


def test_the_sum_says_since_when(mine: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    """Points of checks whose files have changed since are in the best only."""
    mine.update(lambda _: {"points": 4.0, "best": 30.0, "max_points": 75.0})
    show_result(mine, result("ada", check("set-a")))
    shown = " ".join(capsys.readouterr().out.split())
    assert "4 of 75 in all checks with these files (your best: 30)" in shown
