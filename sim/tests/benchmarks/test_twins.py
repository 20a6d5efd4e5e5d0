"""The judge of twins: loads as programs, holds as the file says, what counts as predicted."""

import importlib
import tomllib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from locksim.lang.ops import Kind

FOLDER = Path(__file__).parents[2] / "benchmarks"
LOADS = tomllib.loads((FOLDER / "twin_loads.toml").read_text("utf-8"))["load"]


@pytest.fixture(scope="module")
def twins() -> ModuleType:
    """The script as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        return importlib.import_module("twins")


def test_loads_are_as_their_head_says() -> None:
    """Forty, of different names and of each class."""
    assert 40 == len({load["name"] for load in LOADS})
    assert {"idle", "moderate", "saturated", "storm"} == {load["class"] for load in LOADS}


@pytest.mark.parametrize(
    ("spread", "variation"),
    [
        ({"form": "fixed"}, 0.0),
        ({"form": "exponential"}, 1.0),
        ({"form": "lognormal", "sigma": 0.8}, 0.947),
        ({"form": "two", "values_ns": [400, 3400], "shares": [0.8, 0.2]}, 1.2),
    ],
    ids=lambda one: one["form"] if isinstance(one, dict) else "",
)
def test_holds_have_the_mean_and_the_form(twins, interleave, spread, variation) -> None:
    """One CPU that does nothing else: 1,000 ns, and the coefficient of variation of the form."""
    load = {"hold_ns": 1_000, "hold_spread": spread}
    work = twins.twin_truth.Truth(**twins.holds(load, 1.0))
    run = interleave(work, 1, 3, steps=30_000, finite=False)
    drawn = np.array([op.a for _, op in run.performed if op.kind == Kind.COMPUTE][1:])
    assert pytest.approx(drawn.mean(), rel=0.05) == 1_000_000
    assert pytest.approx(drawn.std() / drawn.mean(), abs=0.06) == variation


def test_bursts_have_the_mean_gap(twins) -> None:
    """Over all gaps, in bursts and between them; a batch takes as many sections of one burst."""
    load = {"think_ns": 3_000, "think_spread": {"form": "bursts", "mean_burst": 32, "gap_ns": 150}}
    for batch, gaps in ((1, 32.0), (16, 2.0)):
        found = twins.pauses(load, batch)
        assert pytest.approx(1 - 1 / gaps, abs=1e-3) == found["burst_milli"] / 1_000
        inside = (gaps - 1) * found["gap_ps"]
        mean = 3_000_000 * 32 - 31 * 150_000
        assert (mean, 150_000 * batch) == (found["pause_ps"], found["gap_ps"])
        assert inside < found["pause_ps"]
    whole, more = (twins.pauses(load, batch)["pause_ps"] for batch in (32, 64))
    assert (2 * whole, 0) == (more, twins.pauses(load, 64)["burst_milli"])


def test_a_prediction_is_near_or_not(twins) -> None:
    """Fifteen per cent at the report's CPUs, twenty-five at others; the interval counts alike."""
    cell = twins.Cell("a", "perf", "split:2", 2.0, 2.4, 1.8, 2.5, True)
    assert not cell.right
    assert twins.replace(cell, same_cpus=False).right
    assert cell.judged().holds


def test_drawn_loads_are_those_of_the_file_in_form(twins) -> None:
    """The same ones each time, of different locks; each change is one."""
    found = twins.drawn_loads(20)
    assert found == twins.drawn_loads(40)[:20]
    assert 6 <= len({load["lock"] for load in found})
    for load in found:
        assert {*LOADS[0]} - {"class", "story"} <= {*load}
        assert 4 == len(load["changes"])
        assert {"hold_ps"} <= {*twins.holds(load, 1.0)}
        assert twins.users(load, 1) | twins.pauses(load, 4)
