"""How far off predictions are expected to be, and the warning that one cost cannot serve two."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locknative.calibration import fit as fits
from locknative.calibration.costs import CostNs
from locknative.calibration.expected import (
    MIN_LOOPS,
    check_cells,
    expected,
    exposure,
    mean_error,
    strained,
    warnings,
)
from locknative.calibration.fit import Fit, Problem, with_ns
from locknative.calibration.loops import reading_ns
from locknative.calibration.readings import Reading
from locknative.survey.cells import WHOLE, Cell
from locksim.machine import ExpectedError, Machine, load

PAIR = (0, 1)
TURN_NS = 0.3
PLAIN, PAUSING = Cell("handoff_store", PAIR), Cell("handoff_store", PAIR, option=1)


@given(st.integers(0, 5000), st.integers(0, 5000), st.integers(0, WHOLE), st.floats(0.1, 1e5))
def test_exposure_is_a_share(hold: int, think: int, writes: int, ns: float) -> None:
    """It lies between 0 and 1; it is 1 without private work, and more work never raises it."""
    cell = Cell("mcs", PAIR, "latency", hold=hold, think=think, write_share=writes)
    assert 0 <= exposure(cell, ns, TURN_NS) <= exposure(cell._replace(think=0), ns, TURN_NS) <= 1
    assert 1 == exposure(cell._replace(hold=0, think=0), ns, TURN_NS)


def test_private_work_of_threads_overlaps() -> None:
    """Two threads halve their private work; a hold is each one's alone, and a reader's is not."""
    cell = Cell("rwlock", PAIR, "latency", hold=100, think=200, write_share=WHOLE)
    assert 0.55 == pytest.approx(exposure(cell, 100, TURN_NS))
    assert 0.7 == pytest.approx(exposure(cell._replace(think=0), 100, TURN_NS))
    assert 0.85 == pytest.approx(exposure(cell._replace(think=0, write_share=0), 100, TURN_NS))
    writer = Cell("write_shared", PAIR, think=200)
    assert 0.4 == pytest.approx(exposure(writer, 100, TURN_NS))


def test_the_mean_counts_errors_by_their_exposure() -> None:
    """Two loops off by 20 % and 10 %, the second one half private work, make 20 %."""
    half = Cell("contended_add", PAIR, think=200)
    pairs = {PLAIN: (100.0, 120.0), PAUSING: (100.0, 80.0), half: (60 / 1.1, 60.0)}
    error, low, high = mean_error(pairs, TURN_NS)
    assert 0.2 == pytest.approx(error)
    assert low <= error <= high


def problem(plain_ns: float, pausing_ns: float) -> Problem:
    """Three readings for one cost, the transfer: two handoffs and an addition."""
    readings = {
        cell: Reading.of([ns] * 3)
        for cell, ns in (
            (PLAIN, plain_ns),
            (PAUSING, pausing_ns),
            (Cell("contended_add", PAIR), 100.0),
        )
    }
    start = {"transfer.node": 50.0}
    return Problem(load("desktop-4"), readings, [start], lambda cell: cell.cpus, TURN_NS)


@pytest.fixture
def reads_transfer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every simulated loop reads one transfer, so that a fit takes no simulation."""

    def reading_ns(cell: Cell, machine: Machine, turn_ns: float, **_: object) -> float:
        return machine.cost_ps()["transfer.node"] / 1000

    monkeypatch.setattr(fits, "reading_ns", reading_ns)


@pytest.mark.usefixtures("reads_transfer")
def test_readings_that_agree() -> None:
    """Where one cost serves all readings, each is predicted by the others."""
    for measured, predicted in problem(100, 100).left_out().values():
        assert measured == pytest.approx(predicted, rel=0.02)


@pytest.mark.usefixtures("reads_transfer")
def test_readings_that_one_cost_cannot_serve() -> None:
    """Left out, a reading is predicted as the mean of the others; the fit itself warns of them."""
    asked = problem(159, 98)
    left_out = asked.left_out()
    assert (98 * 100) ** 0.5 == pytest.approx(left_out[PLAIN][1], rel=0.02)
    assert (159 * 100) ** 0.5 == pytest.approx(left_out[PAUSING][1], rel=0.02)
    found = asked.solve("test")
    assert (PAUSING, PLAIN) == strained(found)
    (text,) = warnings([found])
    assert "handoff_store (option 1) reads 98 ns and is simulated as 116 ns" in text
    assert "no value of transfer.node gives both" in text


@pytest.mark.usefixtures("reads_transfer")
def test_nothing_to_spare() -> None:
    """With as many costs as readings none can be left out."""
    asked = problem(100, 100)
    two = {**asked.starts[0], "tenure": 10.0, "rmw": 1.0}
    assert {} == replace(asked, starts=[two]).left_out()
    cost = CostNs(value=10.0, low=9.0, high=11.0, source="test", role="fitted")
    fit = Fit(dict.fromkeys(two, cost), {PLAIN: (100.0, 100.0), PAUSING: (99.0, 100.0)})
    (text,) = warnings([fit])
    assert "2 readings for 3 costs" in text
    assert "nothing tests this fit" in text


def error_of(machine: Machine) -> tuple[float, float]:
    """The error that a fit of the transfer alone expects on a machine, and that of locks."""
    fitted = [Cell(kernel, PAIR) for kernel in ("handoff_cas", "handoff_store", "contended_add")]
    readings = {
        cell: Reading.of([reading_ns(cell, machine, TURN_NS, placement=PAIR, seed=77)])
        for cell in [*fitted, *check_cells(PAIR)]
    }
    start = [{"transfer.node": 50.0}]
    seen = {cell: readings[cell] for cell in fitted}
    problem = Problem(load("desktop-4"), seen, start, lambda cell: PAIR, TURN_NS)
    found = problem.solve("test")
    known = with_ns(problem.machine, {name: cost.value for name, cost in found.costs.items()})
    locks = [reading_ns(cell, known, TURN_NS, placement=PAIR) for cell in check_cells(PAIR)]
    checked = {
        cell: (readings[cell].value_ns, ns)
        for cell, ns in zip(check_cells(PAIR), locks, strict=True)
    }
    return mean_error(problem.left_out(), TURN_NS)[0], mean_error(checked, TURN_NS)[0]


def test_it_grows_with_a_mechanism_that_the_fit_lacks() -> None:
    """A line that serves others before its data arrive: readings left out warn of the locks."""
    expected_here, found_here = error_of(load("desktop-4"))
    expected_there, found_there = error_of(load("desktop-4").with_protocol(line_busy_percent=40))
    assert max(expected_here, found_here) < 0.05
    assert min(expected_there, found_there) > 0.1


def test_locks_that_check() -> None:
    """Loops of locks are predicted with the profile; too few loops give no expected error."""
    desktop = load("desktop-4")
    origin = {
        "date": "2026-01-01",
        "cpu_model": "CPU",
        "kernel": "6.0",
        "virtualised": False,
        "turn_ns": TURN_NS,
        "cpus": list(range(desktop.n_cpus)),
        "note": "made up",
    }
    machine = Machine.model_validate(
        {**desktop.model_dump(by_alias=True, exclude_none=True), "origin": origin}, strict=False
    )
    cells = check_cells(PAIR)[:MIN_LOOPS]
    readings = {cell: Reading.of([100.0] * 3) for cell in cells}
    found = expected([Fit({})], readings, machine)
    assert found is not None
    assert set(cells) == set(found.checked)
    assert found.error == pytest.approx(
        sum(abs(ns / 100 - 1) for _, ns in found.checked.values()) / len(cells)
    )
    readings.popitem()
    assert expected([Fit({})], readings, machine) is None


def test_in_words() -> None:
    """A profile says what it expects, and from how much."""
    text = str(ExpectedError(value=0.31, low=0.2, high=0.45, left_out=8, checked=6))
    assert text.startswith("31% (95% interval 20% to 45%)")
    assert "8 readings left out" in text
    assert "6 loops" in text
