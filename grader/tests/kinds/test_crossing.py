"""Where two curves cross."""

import pytest

from lockgrader.kinds.crossing import Crossing
from lockgrader.lab import LabError
from lockgrader.submitted import Submitted

LOAD = {
    "lock": "brlock",
    "workload": "readers_writers",
    "machine": "ideal-8",
    "cpus": 4,
    "measure": "time_ns",
    "operations": 10,
    "replications": 1,
}


def crossing(values: tuple[int, ...]) -> Crossing:
    """Of a big-reader lock and one word, by the share of writes."""
    return Crossing.model_validate(
        {
            "kind": "crossing",
            "name": "c",
            "title": "C",
            "points": 1,
            "answer": "writes",
            "load": LOAD,
            "against": "rwlock",
            "setting": "read_percent",
            "values": values,
            "offset": 100,
            "scale": -1,
            "tolerance": 0.1,
            "fade": 0.5,
        }
    )


def test_the_answer_is_between_the_values() -> None:
    """It is right for itself, half right not far from it, and wrong far away."""
    check = crossing((0, 100))
    (right,) = check.right(Submitted())["writes"]
    assert 0 < right < 100
    verdicts = [
        check.judge(Submitted(answers={"writes": [right * factor]})).verdict
        for factor in (1.0, 1.3, 3.0)
    ]
    assert ["pass", "partial", "fail"] == verdicts


def test_curves_that_do_not_cross_are_the_labs_mistake() -> None:
    """The message shows the ratios."""
    with pytest.raises(LabError, match=r"must cross once, not 0 times \(read_percent: ratio; 99:"):
        crossing((99, 100)).right(Submitted())


@pytest.mark.parametrize(
    ("answers", "verdict"), [({}, "no_output"), ({"writes": [1.0, 2.0]}, "malformed_output")]
)
def test_no_number(answers: dict[str, list[float]], verdict: str) -> None:
    """Nothing is simulated for it."""
    assert verdict == crossing((0, 100)).judge(Submitted(answers=answers)).verdict
