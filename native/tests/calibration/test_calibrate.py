"""Calibration finds the costs of a machine from what probes read on it: here a simulated one."""

from __future__ import annotations

from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from locknative import NativeError
from locknative.calibration.calibrate import (
    SPREADS,
    Calibration,
    _solve,
    _starts,
    calibrate_readings,
    calibration_cells,
)
from locknative.calibration.costs import CostNs
from locknative.calibration.expected import CHECKED
from locknative.calibration.fit import FITTED_LOCKS, Fit, Problem
from locknative.calibration.loops import PROBES, loop_ns, reading_ns, workload
from locknative.calibration.predictions import errors, predict
from locknative.calibration.profile import _value as value_of
from locknative.calibration.profile import toml
from locknative.calibration.readings import Reading, Regime
from locknative.survey.cells import WHOLE, Cell
from locknative.survey.topology import Cpu
from locksim.machine import Machine, load

TURN_NS = 0.3
DIRECT = {
    "own_load": "l1_hit",
    "own_store": "store",
    "own_add": "rmw",
    "own_fence": "fence",
    "own_pause": "pause",
}
TRIALS = 10


def origin(cpus: list[Cpu]) -> dict[str, Any]:
    """Return what the provenance of a survey holds."""
    return {
        "date": "2026-01-01",
        "cpu_model": 'A "quoted" CPU',
        "kernel": "6.0",
        "virtualised": False,
        "cpus": [asdict(cpu) for cpu in cpus],
    }


def readings_of(machine: Machine, cpus: list[Cpu], noise: float = 0.005) -> dict[Cell, Reading]:
    """What the calibration's cells read on a machine, with noise from trial to trial."""
    costs = machine.cost_ps()
    random = np.random.default_rng(3)
    found = {}
    for cell in calibration_cells(cpus):
        kernel = cell.kernel
        if kernel in DIRECT:
            ns = costs[DIRECT[kernel]] / 1000
        elif kernel == "chase":
            ns = costs["l1_hit" if cell.option == 16 else "memory.node"] / 1000
        elif kernel in (*PROBES, *FITTED_LOCKS, *(lock for lock, _ in CHECKED)):
            ns = reading_ns(cell, machine, TURN_NS, placement=list(cell.cpus), seed=77)
        else:
            known = {
                "own_spend": TURN_NS,
                "own_malloc": (costs["alloc"] + costs["free"]) / 1000,
                "own_syscall": costs["wake"] / 1000,
                "wake": (costs["wake"] + costs["context_switch"]) / 1000,
            }
            if kernel not in known:
                continue
            ns = known[kernel]
        found[cell] = Reading.of(ns * (1 + noise * random.standard_normal(TRIALS)))
    return found


CPUS = [Cpu(n, n, 0, 0, 0) for n in range(2)]
NEAREST = 23
"""Of the places at which the search may begin, the one whose readings are nearest."""


@pytest.fixture(scope="module")
def desktop() -> Machine:
    """The machine to be found again."""
    return load("desktop-4")


@pytest.fixture(scope="module", params=["near", pytest.param("any", marks=pytest.mark.slow)])
def found(desktop: Machine, request: pytest.FixtureRequest) -> Calibration:
    """The machine that its readings, from two of its CPUs, were calibrated to.

    The search begins at the nearest of its places, tries no spread, and no reading is left out; in
    the slow tests it has to find that place, and to do without each reading.
    """
    with pytest.MonkeyPatch.context() as patch:
        module = import_module(calibrate_readings.__module__)  # the package has a function so named
        if request.param == "near":
            patch.setattr(module, "_starts", lambda *a: [_starts(*a)[NEAREST]])
            patch.setattr(Problem, "left_out", lambda problem: {})
            patch.setattr(module, "SPREADS", ())
        readings = readings_of(desktop, CPUS)
        return calibrate_readings(readings, Regime(1, 1, 0), origin(CPUS), "again")


def test_measured_costs_are_read(desktop: Machine, found: Calibration) -> None:
    """A cost that a probe reads alone is the machine's, within the noise of the trials."""
    want, have = desktop.cost_ps(), found.machine.cost_ps()
    for name in ("l1_hit", "store", "rmw", "fence", "pause", "memory.node", "wake"):
        assert have[name] == pytest.approx(want[name], rel=0.01), name
    assert have["context_switch"] == pytest.approx(want["context_switch"], rel=0.02)


@pytest.mark.parametrize(
    ("name", "within"),
    [("transfer.node", 0.1), ("invalidate.node", 0.15), ("tenure", 0.05), ("tenure_plain", 0.1)],
)
def test_solved_costs_are_found(
    desktop: Machine, found: Calibration, name: str, within: float
) -> None:
    """What only mixtures show is solved for, also where two tenures are one."""
    want = desktop.cost_ps() | {"tenure_plain": desktop.cost_ps()["tenure"]}
    assert found.machine.cost_ps()[name] == pytest.approx(want[name], rel=within)


def test_the_fit_explains_its_readings(found: Calibration) -> None:
    """The fitted machine reads what the real one read, and says which readings it has seen."""
    (fit,) = found.fits.values()
    assert fit.error < 0.02
    assert {"ttas", "clh"} <= {cell.kernel for cell in fit.cells}


def test_the_expected_error_is_stated(found: Calibration) -> None:
    """The profile says how far off predictions are expected to be, and from how many loops."""
    assert found.expected is not None
    assert found.machine.origin is not None
    stated = found.machine.origin.expected_error
    assert stated is not None
    assert stated.value == round(found.expected.error, 3)
    assert stated.checked == len(found.expected.checked) == len(CHECKED)


def test_values_have_their_source(found: Calibration) -> None:
    """Every value has a role; measured and fitted ones have an interval around them, and trials."""
    roles = {p.name: p.role for p in found.machine.parameters()}
    assert ("measured", "fitted") == (roles["rmw"], roles["tenure"])
    assert ("derived", "assumed") == (roles["alloc"], roles["occupancy.shared_read"])
    for p in found.machine.parameters():
        if p.role in ("measured", "fitted"):
            assert p.low is not None
            assert p.high is not None
            assert p.low <= p.value <= p.high
            assert p.trials is not None
            assert p.trials >= TRIALS


def test_the_profile_is_a_file(found: Calibration, tmp_path: Path) -> None:
    """What is written loads as the same machine, and knows where it comes from."""
    file = tmp_path / "again.toml"
    file.write_text(toml(found.document))
    assert found.machine == load(file)
    assert found.machine.origin is not None
    assert (0, 1) == found.machine.origin.cpus


def test_a_missing_probe_is_named(desktop: Machine) -> None:
    """Without a probe the message says which, and what to do."""
    readings = {c: r for c, r in readings_of(desktop, CPUS).items() if c.kernel != "own_add"}
    with pytest.raises(NativeError, match=r"'own_add'.*measure again"):
        calibrate_readings(readings, Regime(1, 1, 0), origin(CPUS), "again")


def test_probes_of_another_state_make_no_profile(desktop: Machine) -> None:
    """Locks were measured in one state of the machine, and a probe only in another one."""
    regime = Regime(108, 0.7, 9, lost=("avc_rcu", "contended_add"), others_ns=(27.0,))
    with pytest.raises(NativeError, match=r"took 108.0 ns .* No trial of contended_add was"):
        calibrate_readings(readings_of(desktop, CPUS), regime, origin(CPUS), "again")


def test_one_cpu(desktop: Machine) -> None:
    """A machine with one CPU gets a profile whose shared costs are marked as assumed."""
    one = CPUS[:1]
    found = calibrate_readings(readings_of(desktop, one), Regime(1, 1, 0), origin(one), "one")
    assert not found.fits
    assert () == found.missing
    roles = {p.name: p.role for p in found.machine.parameters()}
    assert ("assumed", "measured") == (roles["transfer.node"], roles["rmw"])


def test_steps_of_a_machine_with_far_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Near CPUs, then far ones with a hold time of their own, then wide readings, then the rule."""

    def first_place(problem: Problem, source: str) -> Fit:
        costs = {n: CostNs(v, v, v, source, "fitted") for n, v in problem.starts[0].items()}
        return Fit(costs, {c: (r.value_ns, r.value_ns) for c, r in problem.readings.items()})

    monkeypatch.setattr(Problem, "solve", first_place)
    monkeypatch.setattr(Problem, "left_out", lambda problem: {})
    cpus = [Cpu(n, n, n // 2 * 2, 0, 0) for n in range(4)]
    far = {(0, 2), (0, 3), (1, 2), (1, 3)}
    readings = {
        cell: Reading.of([1.0 if cell.threads == 1 else 100.0 if cell.cpus in far else 40.0] * 3)
        for cell in calibration_cells(cpus)
        if cell.kernel != "drain"
    }
    found = calibrate_readings(readings, Regime(1, 1, 0), origin(cpus), "far")
    assert [
        "transfer.node, invalidate.node, tenure, tenure_plain",
        "transfer.cache, invalidate.cache, tenure_class.cache",
        "occupancy.shared_read, invalidate_each",
    ] == list(found.fits)
    assert {"cache"} == set(found.machine.cost.tenure_class)
    assert found.rule is not None
    assert found.rule.settings["arbitration"] == found.machine.protocol.arbitration
    assert () == found.missing
    fewer = {cell: reading for cell, reading in readings.items() if cell.kernel != "served_next"}
    without = calibrate_readings(fewer, Regime(1, 1, 0), origin(cpus), "far")
    assert without.rule is None
    assert ("served_next",) == without.missing


def problem_of(machine: Machine, share: float = 0.9) -> Problem:
    """The fit between near CPUs, from readings of a machine; the search begins near its costs."""
    cells = [Cell("contended_add", (0, 1), think=think) for think in (0, 200)]
    cells += [Cell(kernel, (0, 1)) for kernel in ("handoff_cas", "handoff_store", *FITTED_LOCKS)]
    readings = {
        cell: Reading.of([reading_ns(cell, machine, TURN_NS, placement=[0, 1], seed=77)])
        for cell in cells
    }
    costs = machine.cost_ps()
    free = ("transfer.node", "invalidate.node", "tenure")
    start = {name: share * costs[name] / 1000 for name in free}
    return Problem(load("desktop-4"), readings, [start], lambda cell: cell.cpus, TURN_NS)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, *SPREADS])
def test_a_spread_is_found(desktop: Machine, spread: float) -> None:
    """Hold times of one length, or of many, as the machine has them that was read."""
    _, fit = _solve(problem_of(desktop.with_spread(tenure=spread)), "test")
    assert spread == fit.costs["tenure"].spread
    assert fit.costs["tenure"].value == pytest.approx(desktop.cost_ps()["tenure"] / 1000, rel=0.1)


@pytest.mark.parametrize("best", [0.0, *SPREADS])
def test_the_spread_with_the_least_error_is_taken(
    desktop: Machine, best: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It begins at the costs without one, and stands in the profile; without one nothing does."""
    begun = []

    def solve(problem: Problem, source: str) -> Fit:
        spread = problem.machine.cost.tenure.spread or 0.0
        begun.append((spread, problem.starts[0]["tenure"]))
        cost = CostNs(20 + spread, 1, 99, source, "fitted", TRIALS)
        return Fit({"tenure": cost}, error=0.1 + abs(spread - best))

    monkeypatch.setattr(Problem, "solve", solve)
    problem = Problem(desktop, {}, [{"tenure": 5.0}], lambda cell: cell.cpus, TURN_NS)
    solved, fit = _solve(problem, "probes")
    assert [(0.0, 5.0), (0.5, 20.0), (1.0, 20.0)] == begun
    assert (best or None) == (solved.machine.cost.tenure.spread or None)
    written = value_of(fit.costs["tenure"])
    assert (best or None) == written.get("spread")
    assert written["source"].startswith("probes")
    assert ("fits best" in written["source"]) == (best > 0)
    assert [{"tenure": 5.0}] == solved.starts  # readings are left out from all places


def test_the_loop_of_a_reader_is_an_input() -> None:
    """`none` reads it on one CPU; only sections without an atomic instruction are charged."""
    readings = {
        Cell("none", (0,)): Reading.of([0.3]),
        Cell("none", (0,), "latency", write_share=WHOLE): Reading.of([1.9]),
    }
    reader = Cell("seqlock", (0, 1), read=True)
    assert 0.3 == loop_ns(reader, readings)
    assert 1.9 == loop_ns(Cell("seqlock", (0, 1), "latency", write_share=6554), readings)
    assert 0 == loop_ns(reader, {})
    assert 300 == workload(reader, TURN_NS, 0.3)._params["loop_ps"]
    for lock in ("seqlock_exclusive", "rwlock", "mcs"):
        cell = reader._replace(kernel=lock)
        assert workload(cell, TURN_NS, 0.3)._params == workload(cell, TURN_NS)._params


def test_prediction_of_a_machine_by_itself(desktop: Machine, found: Calibration) -> None:
    """Locks that the fit has not seen are predicted to a few per cent; seen ones are not judged."""
    cells = [
        Cell(lock, CPU, loop, hold=hold, think=think, write_share=WHOLE if loop == "latency" else 0)
        for lock in ("ticket", "mcs", "ttas", "rwlock")
        for CPU in ((0,), (0, 1))
        for loop, hold, think in (("throughput", 0, 0), ("latency", 100, 400))
    ]
    readings = {
        cell: Reading.of(
            [reading_ns(cell, desktop, TURN_NS, placement=list(cell.cpus), seed=5)] * 3
        )
        for cell in cells
    }
    table = predict(readings, found.machine)
    assert len(cells) == len(table)
    assert {("ttas", "throughput", 2)} == {
        (r.kernel, r.loop, r.threads) for r in table[table["fitted"]].itertuples()
    }
    judged = errors(table).set_index("kernel")
    assert judged.loc["all kernels", "simulated"] < 0.05
    assert judged.loc["all kernels", "points"] == 7
    assert judged.loc["all kernels", "mva"] > 0
    assert judged["usl"].isna().all()  # two CPU counts are too few for three numbers


def test_nothing_to_predict(desktop: Machine, found: Calibration) -> None:
    """A machine without origin, or a folder without locks, is refused."""
    with pytest.raises(NativeError, match="not a calibrated machine"):
        predict({}, desktop)
    with pytest.raises(NativeError, match="no lock was measured"):
        predict({}, found.machine)
