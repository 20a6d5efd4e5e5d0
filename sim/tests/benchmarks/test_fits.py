"""The judge of fits: which points are measured, and what is learned, on points that are made up."""

import importlib
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from locksim.study.discrepancy import Discrepancy

PROCESS = Discrepancy(level=0.4, shape=0.2, length=1.0, far_level=0.4, scatter=0.2)
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128)


@pytest.fixture(scope="module")
def fits() -> ModuleType:
    """The script as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
        return importlib.import_module("fits")


def curve(fits: ModuleType, row: str, factors: list[float]) -> list[Any]:
    """Points of a law that were predicted too short, by factors."""
    law = [100 + 50 * (n - 1) for n in COUNTS]
    return [
        fits.Point("set", "group", row, n, ns * factor, ns, (), "one contended line", 0, 0)
        for n, ns, factor in zip(COUNTS, law, factors, strict=True)
    ]


def test_measured_points_are_the_lowest_or_spread(fits: ModuleType) -> None:
    """Spread points begin and end with the curve."""
    assert [0, 1, 2] == fits.lowest(3)(8)
    assert [0, 7] == fits.spread(2)(8)
    assert [0, 2, 5, 7] == fits.spread(4)(8)


def test_one_factor_is_corrected(fits: ModuleType) -> None:
    """Also by a fitted law, since the points lie on one."""
    alone, fit, holds, law = fits.judged(curve(fits, "a", [2.0] * 8), fits.lowest(4), PROCESS)
    assert math.log(2) == pytest.approx(alone)
    assert 0.1 > fit > law
    assert holds == 1
    assert 0 == pytest.approx(law, abs=1e-6)
    assert math.isnan(fits.judged(curve(fits, "a", [2.0] * 8), fits.lowest(3), PROCESS)[3])


def test_another_lock_is_corrected_in_part(fits: ModuleType) -> None:
    """All its points are predicted."""
    one, other = (curve(fits, row, [2.0] * 8) for row in "ab")
    alone, fit, *_ = fits.judged_other(one, other, 4, PROCESS)
    assert 0 < fit < alone


def test_a_common_factor_is_learned_as_level(fits: ModuleType) -> None:
    """Curves that are off by one factor each have a larger level than shape; else a smaller one."""
    factors = (0.4, 0.7, 1.5, 2.5)
    level = fits.learn([curve(fits, f"{f}", [f] * 8) for f in factors])
    shape = fits.learn([curve(fits, f"{f}", [f, 1 / f] * 4) for f in factors])
    assert level.level > level.shape
    assert shape.level < shape.shape
