"""A fit to measured points: what is read, which loads are ruled out, which law joins."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from locksim.study.discrepancy import Discrepancy, Forecast, Place
from locksim.study.point_fit import (
    Candidate,
    MeasuredPoint,
    PointsError,
    candidates,
    fit,
    joined,
    read_points,
)

PROCESS = Discrepancy(level=0.4, shape=0.1, length=1.0, far_level=0.4, scatter=0.1)
GIVEN = Candidate(100_000, 1, "compact")
OTHER = Candidate(400_000, 1, "compact")


def points(*times: float) -> list[MeasuredPoint]:
    """Times of ticket on 1, 2, 4, 8 … CPUs."""
    return [MeasuredPoint("ticket", 1 << i, ns, 0.0) for i, ns in enumerate(times)]


def written(folder: Path, text: str, name: str = "points.csv") -> Path:
    """A file with a text."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_rates_become_times_and_intervals_noise(tmp_path: Path) -> None:
    """Rates are of all CPUs together; a 95 % interval is 2 · 1.96 standard deviations wide."""
    text = "lock,cpus,per_second,low,high\nmcs,4,2e6,1e6,4e6\nmcs,2,2e6,,\n"
    two, four = read_points(written(tmp_path, text))
    assert (2, 1000.0, 0.0) == (two.cpus, two.ns, two.noise)
    assert (4, 2000.0) == (four.cpus, four.ns)
    assert four.noise == pytest.approx(math.log(4) / 3.92)


def test_cells_of_a_bench_are_points(tmp_path: Path) -> None:
    """The JSON of `native bench` has kernels and threads."""
    ends = {"per_second_low": 9e5, "per_second_high": 1.1e6}
    cells = [{"kernel": "ticket", "threads": n, "per_second": 1e6} | ends for n in (1, 2)]
    found = read_points(written(tmp_path, json.dumps({"cells": cells}), "bench.json"))
    assert [("ticket", 1, 1000.0), ("ticket", 2, 2000.0)] == [(p.lock, p.cpus, p.ns) for p in found]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cpus,per_second\n1,5\n2,5\n", "point 1: no column lock"),
        ("lock,cpus,per_second\nmcs,1,5\n", "1 points at 1 numbers of CPUs"),
        ("lock,cpus,per_second\nmcs,1,5\nmcs,1,6\n", "2 points at 1 numbers of CPUs"),
        ("lock,cpus,per_second\nmcs,1,5\nticket,2,5\n", "points of mcs, ticket"),
        ("lock,cpus,per_second\nmcs,1,5\nmcs,2,-5\n", "point 2: per_second is -5"),
        ("lock,cpus,per_second\nmcs,1,5\nmcs,1.5,5\n", "must be whole and from 1 (got 1.5)"),
        ("lock,cpus\nmcs,1\nmcs,2\n", "ns_per_operation is missing"),
        ("lock,cpus,per_second,low,high\nmcs,1,5,6,7\nmcs,2,5,,\n", "5 is not between"),
    ],
)
def test_bad_points_are_refused(tmp_path: Path, text: str, message: str) -> None:
    """The message names the file, the point and the value."""
    with pytest.raises(PointsError, match=r"points\.csv") as caught:
        read_points(written(tmp_path, text))
    assert message in str(caught.value)


def test_a_load_is_fitted_from_four_points() -> None:
    """With fewer the given load stays; a placement is tried where there are two."""
    assert [GIVEN] == candidates(GIVEN, 3, 8, 2)
    one, two = (candidates(GIVEN, 4, 8, placements) for placements in (1, 2))
    assert GIVEN == one[0] == two[0]
    assert {"compact"} == {load.placement for load in one}
    assert [Candidate(100_000, 1, "scatter")] == [load for load in two if load not in one]
    assert {1, 2, 4} == {load.lines(8) for load in one}


def test_the_level_is_found() -> None:
    """All times 1.5 times the simulated ones: the level is near 1.5, and is held."""
    found = fit(points(15, 30, 60, 120), {GIVEN: [10, 20, 40, 80]}, PROCESS)
    value, low, high = found.level
    assert 1 < low < value < 1.5 < high
    assert not found.contradicts
    assert found.factors == pytest.approx([1.5] * 4)


def test_the_most_likely_load_predicts() -> None:
    """One that is ten times less likely is ruled out; else both are possible."""
    measured = points(10, 20, 80, 320)
    far = fit(measured, {GIVEN: [10, 20, 40, 80], OTHER: [10, 20, 80, 320]}, PROCESS)
    assert (OTHER, [OTHER], 2) == (far.load, far.possible, far.tried)
    near = fit(measured, {GIVEN: [10, 20, 76, 330], OTHER: [10, 20, 80, 320]}, PROCESS)
    assert (OTHER, [GIVEN, OTHER]) == (near.load, near.possible)
    same = fit(measured, {GIVEN: [10, 20, 80, 320], OTHER: [10, 20, 80, 320]}, PROCESS)
    assert same.load == GIVEN


def test_points_may_contradict_the_model() -> None:
    """A curve that falls where the simulated one rises."""
    assert fit(points(100, 50, 10, 2), {GIVEN: [10, 20, 40, 80]}, PROCESS).contradicts


def test_a_law_joins_with_four_points() -> None:
    """A simulation that is wrong by 4 is half repaired among the points, and less beyond them."""
    law = {n: 10 + 3 * (n - 1) + 0.5 * n * (n - 1) for n in (1, 2, 4, 6, 8, 64)}
    measured = points(*(law[n] for n in (1, 2, 4, 8)))
    forecast = Forecast(np.zeros(2), np.ones(2))
    found = joined(forecast, [law[6] / 4, law[64] / 4], measured, [6, 64])
    assert [2.0, 4 ** (0.5 / math.e)] == pytest.approx(np.exp(found.mean))
    assert forecast is joined(forecast, [1.0, 1.0], measured[:3], [6, 64])


def test_only_the_measured_lock_has_the_law() -> None:
    """Another one has the simulator's shape."""
    found = fit(points(10, 20, 40, 80), {GIVEN: [10, 10, 10, 10]}, PROCESS)
    at, values, noise = [p.place for p in found.points], np.log([1, 2, 4, 8]), np.zeros(4)
    other = PROCESS.forecast(at, values, noise, [Place("mcs", 64)])
    assert other.mean == pytest.approx(found.predict("mcs", [64], [10]).mean)
    own = PROCESS.forecast(at, values, noise, [Place("ticket", 64)])
    assert found.predict("ticket", [64], [10]).mean > own.mean


def test_a_section_is_no_shorter_than_its_work() -> None:
    """But for the noise of its measurement."""
    (point,) = points(100.0)
    assert not point.shorter_than(104.0)
    assert point.shorter_than(110.0)
