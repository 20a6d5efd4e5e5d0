"""Which predictions can be, and what is said of the others."""

import pytest

from lockgrader.interval import impossible
from lockgrader.kinds.prediction import Prediction
from lockgrader.lab import Band
from lockgrader.submitted import Submitted

LOAD = {"lock": "tas", "machine": "ideal-4", "cpus": 2}


def prediction(expected: object, **more: object) -> Prediction:
    """A prediction of something."""
    base = {"kind": "prediction", "name": "p", "title": "P", "points": 1, "answer": "x"}
    return Prediction.model_validate({**base, "expected": expected, **more})


@pytest.mark.parametrize(
    ("measure", "given", "says"),
    [
        ("con", [45, 70], "a result is from 0 to 1; for 45 to 70 % write [0.45, 0.7]"),
        ("util", [0.5, 1.5], "for 0.5 to 1.5 % write [0.005, 0.015]"),
        ("cpu_share", [-0.1, 0.4], 'from 0 to 1; write "x": [low, high]'),
        ("fairness", [0.2, 500], 'from 0 to 1; write "x": [low, high]'),
        ("time_ns", [-5, 10], 'a result is at least 500; write "x_ns": [low, high]'),
        ("time_ns", [2, 18], "if your numbers are microseconds, write [2000, 18000]"),
        ("throughput", [0.2, 1.5], "if your numbers are millions, write [200000, 1.5e+06]"),
        ("throughput", [2, 1], "low is above high (2 and 1): write [1, 2]"),
    ],
)
def test_a_measure_says_what_it_can_be(measure: str, given: list[float], says: str) -> None:
    """Shares lie between 0 and 1, no lock is as slow as 1 a second, or faster than its load."""
    check = prediction({**LOAD, "measure": measure})
    name = "x_ns" if measure == "time_ns" else "x"
    assert check.impossible(name, given).endswith(says)


@pytest.mark.parametrize("given", [[0, 0], [0.1, 1], [0.25, 0.5], [0.07, 0.7]])
def test_a_share_can_be_a_share(given: list[float]) -> None:
    """The ends are part of it."""
    assert "" == prediction({**LOAD, "measure": "con"}).impossible("x", given)


def test_a_lab_says_what_a_formula_can_be() -> None:
    """Without a range of the lab's, any two numbers in their order are an interval."""
    assert "" == prediction(3.0).impossible("x", [-5, -4])
    assert "at least 0" in prediction(3.0, range={"low": 0}).impossible("x", [-5, -4])
    assert "at most 9" in impossible("x", [1, 10], Band(high=9))
    assert "for 80 to 160 % write [0.8, 1.6]" in impossible("x", [80, 160], Band(low=0, high=20))


def test_a_workloads_own_time_bounds_its_own_result() -> None:
    """Threads that think 3,000 ns take as long at least, under any lock; others may be fast."""
    load = {**LOAD, "measure": "time_ns", "workload": "paths"}
    slow = prediction({**load, "settings": {"think_ns": 3000}})
    assert "if your numbers are microseconds" in slow.impossible("x_ns", [10, 90])
    assert "" == slow.impossible("x_ns", [1600, 9000])
    assert "" == prediction(load).impossible("x_ns", [10, 90])


def test_an_impossible_prediction_earns_nothing() -> None:
    """And the message says what to write."""
    check = prediction({**LOAD, "measure": "con"})
    found = check.judge(Submitted(answers={"x": [45, 70]}))
    assert ("malformed_output", 0.0) == (found.verdict, found.share)
    assert "write [0.45, 0.7]" in found.message


@pytest.mark.parametrize("given", [[0, 1], [0.09, 0.91], [0, 0.001]])
def test_an_interval_of_everything_says_too_little(given: list[float]) -> None:
    """It is refused before it is locked, with the rule."""
    says = prediction({**LOAD, "measure": "con"}).impossible("x", given)
    assert 'high may be at most 10 times low; write "x": [low, high]' in says
    wide = prediction({**LOAD, "measure": "con"}, widest=100)
    assert (given[0] == 0) == bool(wide.impossible("x", given))
