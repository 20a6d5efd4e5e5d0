"""The judge of bands: scores, learned factors and advice, on points that are made up."""

import importlib
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.study.model_error import ONE, QUEUE, Learned, ModelError


@pytest.fixture(scope="module")
def bands() -> ModuleType:
    """The script as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
        return importlib.import_module("bands")


def point(bands: ModuleType, measured: float, **others: Any) -> Any:
    """A point that was predicted as 100 ns, with draws from 90 to 110."""
    about = {"dataset": "d", "group": "g", "row": "r", "cpus": 4, "value": 100.0, "kind": ONE}
    moved = (90.0, 110.0)
    return bands.Point(
        **about | {"measured": measured, "moved": moved, "own": 0.0, "serial": 0.0} | others
    )


def test_a_value_in_its_interval_costs_the_width(bands: ModuleType) -> None:
    """Outside it costs ten times what lies between: the two parts of the interval score."""
    inside = bands.Judged(("d", "r"), "g", ONE, 1.5, 0.5, 2.0)
    outside = bands.Judged(("d", "r"), "g", ONE, 4.0, 0.5, 2.0)
    assert (True, False) == (inside.holds, outside.holds)
    assert math.isclose(math.log(4), inside.score)
    assert math.isclose(math.log(4) + 10 * math.log(2), outside.score)


@given(st.lists(st.floats(1, 8), min_size=1, max_size=30), st.sampled_from([0.5, 0.8, 0.9]))
def test_the_learned_factor_is_the_smallest_that_holds(
    bands: ModuleType, offs: list[float], level: float
) -> None:
    """A hundredth less would hold too few."""
    points = [point(bands, 100 * off, row=str(k)) for k, off in enumerate(offs)]

    def held(factor: float) -> float:
        table = Learned({ONE: ModelError(factor, 0)}, 1.0)
        return float(bands.coverage(bands.judged(points, {"g": table})))

    found = bands.smallest(points, level)
    assert held(found) >= level
    assert 1 == found or held(found - 0.01) < level


def test_each_curve_weighs_the_same(bands: ModuleType) -> None:
    """Three points of one curve and one of another."""
    points = [point(bands, 100.0)] * 3 + [point(bands, 500.0, row="other")]
    assert 0.5 == bands.coverage(bands.judged(points, None))


def test_a_class_of_few_curves_follows_all(bands: ModuleType) -> None:
    """One curve counts a third, what all classes teach two thirds, in logarithms."""
    points = [point(bands, 200.0, row=str(k)) for k in range(9)]
    points.append(point(bands, 400.0, row="mcs", kind=QUEUE))
    every, own = bands.smallest(points, 0.8), bands.smallest(points[-1:], 0.8)
    found = bands.errors(points, 0.8)[QUEUE]
    assert 1 == found.curves
    assert math.isclose(every ** (2 / 3) * own ** (1 / 3), found.factor, abs_tol=0.01)


def test_a_group_is_judged_by_the_others(bands: ModuleType) -> None:
    """What is off by a factor of 4 in one group teaches the other group."""
    near = [point(bands, 100.0, row=str(k)) for k in range(3)]
    far = [point(bands, 400.0, row=str(k), group="h") for k in range(3)]
    found = bands.left_out([*near, *far])
    assert found["h"].classes[ONE].factor < 1.1 < 3.5 < found["g"].classes[ONE].factor


def test_a_shared_error_cancels_in_a_ratio(bands: ModuleType) -> None:
    """Both twice as slow, and both moved alike: the ratio is right, and its band has no width."""
    points = [point(bands, 200.0, row=row) for row in ("a", "b")]
    (found,) = bands.judged_ratios(points, None)
    assert (1.0, 1.0, 1.0) == (found.low, found.measured, found.high)


def test_advice_speaks_where_the_lead_is_sure(bands: ModuleType) -> None:
    """Leads of 1.2 and 3, with errors of the model of 1.5 and a factor 1.7 between two locks."""

    def choice(cpus: int, lead: float, measured: float) -> list[Any]:
        moved = (90.0 * lead, 110.0 * lead)
        about = {"row": "slow", "value": 100 * lead, "cpus": cpus, "moved": moved}
        return [point(bands, 100.0, row="fast", cpus=cpus), point(bands, measured, **about)]

    table = {"g": Learned({ONE: ModelError(1.5, 0)}, 1.0)}
    points = [*choice(2, 1.2, 50.0), *choice(4, 3.0, 250.0)]
    found = bands.advice(points, table)
    assert [(False, False), (True, True)] == [(one.sure, one.right) for one in found]
    assert [True, False] == [one.taken < one.best for one in found]


def test_only_rows_of_one_section_are_rivals(bands: ModuleType) -> None:
    """Two bodies of folly, and an atomic instruction beside a lock, are not compared."""
    rows = ("work0 std_mutex", "work0 atomic_cas", "work100 std_mutex")
    assert [] == list(bands.together([point(bands, 100.0, row=row) for row in rows]))
