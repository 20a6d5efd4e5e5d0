"""Published pairs: every report is read, other locks are refused, and formulas as by hand."""

import importlib
import tomllib
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from locksim.study.twin.errors import TwinError

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def pairs() -> ModuleType:
    """The script as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        return importlib.import_module("pairs")


@pytest.fixture(scope="module")
def listed(pairs):
    """The pairs of the list."""
    return tomllib.loads(pairs.PAIRS.read_text("utf-8"))["pair"]


def test_every_report_is_read(pairs, listed) -> None:
    """With the columns that the quantities need."""
    for pair in listed:
        for text in pair["before"]:
            assert {"rate", "con", "wait"} <= {*pairs.read(pair, text, pair["row"]).columns}
        for text in pair.get("after", []):
            assert pairs.read(pair, text, pair.get("after_row", pair["row"])).columns["rate"].value


def test_pairs_of_two_locks_are_refused(pairs, listed) -> None:
    """Two of them, before anything is simulated; all others have a change."""
    without = [pair for pair in listed if not pair["change"]]
    assert ["res-counter-percpu", "kernel-flag-ext3"] == [pair["name"] for pair in without]
    for pair in without:
        with pytest.raises(TwinError, match="these are different locks"):
            next(pairs.cells_of(pair))


def test_a_formula_sees_every_change_of_the_list(pairs, listed) -> None:
    """What it knows becomes another load; the rest of it stays."""
    load = pairs.Closed(8, 900.0, 100.0)
    for pair in listed:
        if pair["change"]:
            assert load != load.changed(pair["change"], pair.get("reads", 0.0))
    with pytest.raises(ValueError, match="merge:2"):
        load.changed("merge:2", 0.0)


def test_formulas_as_by_hand(pairs) -> None:
    """Eight CPUs that hold one lock for a tenth of their time, and for half of it."""
    light, heavy = pairs.Closed(8, 900.0, 100.0), pairs.Closed(8, 100.0, 100.0)
    assert {"throughput": 8e6, "section": 100.0, "CON": 0.0} == pairs.by_bounds(light, 8e6)
    assert {"throughput": 1e7, "section": 700.0, "CON": 1.0} == pairs.by_bounds(heavy, 8e6)
    open_queue = pairs.by_open_queue(light, 5e6)
    assert {"throughput": 5e6, "section": 200.0, "CON": 0.5} == open_queue
    assert pairs.by_open_queue(heavy, 1e7) is None
    for load in (light, heavy, replace(heavy, locks=4), replace(heavy, queueing=0.25)):
        closed, most = (model(load, 1e6) for model in (pairs.by_repairman, pairs.by_bounds))
        assert closed["throughput"] < most["throughput"]
        assert closed["section"] > most["section"]
        assert 0 < closed["CON"] < 1


def test_an_effect_has_a_sign(pairs) -> None:
    """Within three per cent there is none."""
    assert [-1, 0, 0, 1] == [pairs.effect(factor) for factor in (0.96, 0.98, 1.02, 1.04)]
