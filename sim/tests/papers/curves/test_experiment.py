"""The curves as experiments: what they take as given, and what curves.md says of them."""

import re
from pathlib import Path

import pytest

from locksim.papers import find
from locksim.papers.curves.experiment import (
    DOWNS,
    FOLLY,
    MCKENNEY,
    CurveExperiment,
    operation_ns,
)
from locksim.papers.curves.sets import SETS, CurveSet

PAGE = (Path(__file__).parents[4] / "sim/locksim/papers/curves/curves.md").read_text(
    encoding="utf-8"
)
POINTS = {"mckenney-2019": 31, "downs-2020": 64, "folly-locks": 18}


@pytest.mark.parametrize("curves", SETS, ids=lambda one: one.name)
def test_the_points_are_those_that_were_announced(curves: CurveSet) -> None:
    """datasets/README.md lists the rows; each has a point for one thread."""
    measured = curves.measured()
    assert POINTS[curves.name] == sum(map(len, measured.values()))
    assert all(1 in points for points in measured.values())
    assert curves.name == find(curves.name).name


def test_threads_of_folly_lie_apart() -> None:
    """Every third of 56 CPUs for 19 threads; one thread is the first CPU."""
    found = FOLLY.curves.placement(19)
    assert (0, 3, 54) == (found[0], found[1], found[-1])
    assert list(range(56)) == list(FOLLY.curves.placement(56))
    assert [0] == list(FOLLY.curves.placement(1))


def test_nothing_is_fitted_and_only_work_is_an_input() -> None:
    """A single short run of folly's curves: roles and inputs."""
    found = FOLLY.reproduce(operations=5, replications=1)
    fitted = {p.name.partition(".")[0] for p in found.parameters if p.role == "fitted"}
    assert {"transfer"} == fitted  # to the ping-pongs of the matrix, not to a curve
    assert {"input": 3, "predicted": 15} == {
        role: sum(c.role == role for c in found.cells) for role in {c.role for c in found.cells}
    }
    assert ["simulator", "mva", "markov"] == [f["model"] for f in found.extra["factors"]]
    assert [] == found.extra["factors_unseen"]


@pytest.mark.parametrize("row", DOWNS.curves.rows)
def test_more_threads_take_longer(row: str) -> None:
    """Each loop of the set runs, and contends for its line."""
    from locksim.machine import load

    profile = load(DOWNS.curves.machine)
    one, four = (operation_ns(profile, DOWNS.curves, row, n, 0, operations=20) for n in (1, 4))
    assert 2 * one.mean < four.mean


@pytest.mark.slow
@pytest.mark.parametrize("experiment", [MCKENNEY, DOWNS, FOLLY], ids=lambda one: one.name)
def test_the_page_prints_the_factors(experiment: CurveExperiment) -> None:
    """sim/locksim/papers/curves/curves.md, to the second digit."""
    found = experiment.reproduce()
    for key, heading in (("factors", "All points"), ("factors_unseen", "Points that no fit")):
        section = PAGE.partition(f"## {heading}")[2].partition("\n## ")[0]
        row = re.search(rf"^\| `{experiment.name}` \| (\d+) \| (.*) \|$", section, re.M)
        if not found.extra[key]:
            assert row is None
            continue
        assert row is not None
        shown = [float(cell) for cell in row[2].split(" | ")]
        assert [f["mean"] for f in found.extra[key]] == pytest.approx(shown, abs=0.011)
        assert int(row[1]) == found.extra[key][0]["points"]
