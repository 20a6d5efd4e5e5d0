"""A prediction has to be made, not to be right."""

from typing import Any

import pytest

from lockgrader.finding import Finding
from lockgrader.kinds.answer import Answer
from lockgrader.kinds.prediction import Prediction


@pytest.mark.parametrize(
    ("finding", "numbers", "prediction"),
    [
        (Finding("pass", 1.0), True, True),
        (Finding("partial", 0.6), True, True),
        (Finding("partial", 0.4), False, True),
        (Finding("fail", 0.0), False, True),
        (Finding("no_output"), False, False),
        (Finding("skipped"), False, False),
    ],
)
def test_what_opens_the_checks_behind(finding: Finding, numbers: bool, prediction: bool) -> None:
    """Half of the points, or a prediction that was made; a missed one does not end the lab."""
    shared: dict[str, Any] = {"name": "n", "title": "N", "points": 1, "answer": "n"}
    assert numbers == Answer(kind="answer", expected=1.0, **shared).opens(finding)
    made = Prediction(kind="prediction", expected=1.0, **shared)
    assert prediction == made.opens(finding) == made.done(finding.verdict)
