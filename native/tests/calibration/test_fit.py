"""Costs that only some machines show: the fit gets back what a simulated machine was given."""

from __future__ import annotations

import pytest

from locknative.calibration.calibrate import _threads_of_a_core
from locknative.calibration.fit import Problem
from locknative.calibration.loops import reading_ns
from locknative.calibration.readings import Reading
from locknative.calibration.shape import shape_of
from locknative.survey.cells import Cell, probe_cells
from locknative.survey.topology import Cpu
from locksim.machine import Machine, load

TURN_NS = 0.3
SIBLINGS = [Cpu(0, 0, 0, 0, 0), Cpu(1, 1, 0, 0, 0), Cpu(2, 0, 0, 0, 0), Cpu(3, 1, 0, 0, 0)]
FAR = [0, 10]


def with_hold_time(ns: float) -> Machine:
    """A machine of ten cores a socket that holds lines from the next socket for so long."""
    data = load("westmere-ex-8x10").model_dump(by_alias=True, exclude_none=True)
    far = data["topology"]["node_classes"][1]
    held = {"value": ns, "unit": "ns", "source": "made up", "role": "assumed"}
    data["cost"]["tenure_class"] = {far: held}
    return Machine.model_validate(data, strict=False)


def test_a_hold_time_by_distance_is_found() -> None:
    """Runs of additions by two far CPUs show how long a line that came from afar is held."""
    real, begin = with_hold_time(90), with_hold_time(20)
    (name,) = (f"tenure_class.{key}" for key in real.cost.tenure_class)
    cells = [Cell("contended_add", (0, 1), think=think) for think in (0, 200)]
    readings = {
        cell: Reading.of([reading_ns(cell, real, TURN_NS, placement=FAR, seed=77)])
        for cell in cells
    }
    starts = [{name: ns} for ns in (20.0, 60.0, 180.0)]
    found = Problem(begin, readings, starts, lambda cell: FAR, TURN_NS).solve("test")
    assert found.error < 0.05
    assert found.costs[name].value == pytest.approx(90, rel=0.1)


def test_threads_of_a_core_are_found() -> None:
    """How much slower private work is beside the other thread is the ratio of two readings."""
    shape = shape_of(SIBLINGS, {})
    machine = load("xeon-8375c-2x32").with_protocol(shared_issue_percent=160)
    place = {0: 0, 2: machine.n_cpus // 2}
    readings = {
        cell: Reading.of(
            [reading_ns(cell, machine, TURN_NS, placement=[place[cpu] for cpu in cell.cpus])]
        )
        for cell in probe_cells(SIBLINGS)
        if cell.kernel == "own_spend"
    }
    assert {(0,), (0, 2)} == {cell.cpus for cell in readings}
    assert {"shared_issue_percent": 160} == _threads_of_a_core(readings, shape)
    assert {} == _threads_of_a_core(readings, shape_of(SIBLINGS[:2], {}))
