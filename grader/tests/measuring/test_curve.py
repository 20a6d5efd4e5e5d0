"""What a check of a curve shows: its band at each number of CPUs."""

from __future__ import annotations

import math
from typing import Any

import pytest

from lockgrader.kinds.simulated import Simulated
from lockgrader.measuring.curve import curve_of
from lockgrader.result import Curve


def check(shape: str, band: dict[str, float], **more: Any) -> Simulated:
    """A check on 8 and 32 CPUs."""
    given = {"kind": "simulated", "name": "c", "title": "C", "points": 1, "lock": "MCS"}
    given |= {"machine": "ideal-64", "cpus": (8, 32), "measure": "time_ns"}
    return Simulated.model_validate(given | {"shape": shape, "band": band} | more)


def made(shape: str, band: dict[str, float], other: list[float] | None = None) -> Curve:
    """The curve of 100 and 300 ns."""
    found = curve_of(check(shape, band), [100.0, 300.0], other or [])
    assert found is not None
    return found


def test_value_is_the_same_everywhere() -> None:
    """An open end has no edge."""
    found = made("value", {"high": 250.0})
    assert ((), (250.0, 250.0)) == (found.low, found.high)


def test_ratio_follows_the_other() -> None:
    """Its band is so many times the other's curve, which is the reference."""
    found = made("ratio", {"low": 0.5, "high": 2.0}, [200.0, 400.0])
    assert ((100.0, 200.0), (400.0, 800.0)) == (found.low, found.high)
    assert (200.0, 400.0) == found.reference


def test_ordering_is_below_the_other() -> None:
    """The other's curve is the upper end."""
    found = made("ordering", {}, [200.0, 400.0])
    assert ((), (200.0, 400.0)) == (found.low, found.high)


def test_plateau_is_above_its_lowest() -> None:
    """So much above the smallest value is right."""
    assert (125.0, 125.0) == made("plateau", {"high": 1.25}).high


def test_slope_is_a_fan_from_the_first_point() -> None:
    """Four times the CPUs at slope 0.5 is twice, at slope 1 four times."""
    found = made("slope", {"low": 0.5, "high": 1.0})
    assert (pytest.approx((100.0, 200.0)), pytest.approx((100.0, 400.0))) == (found.low, found.high)


def test_one_point_or_no_number_is_no_curve() -> None:
    """There is nothing to draw."""
    one = check("value", {"high": 1.0}, cpus=(8,))
    assert curve_of(one, [1.0], []) is None
    assert curve_of(check("value", {"high": 1.0}), [1.0, math.nan], []) is None
