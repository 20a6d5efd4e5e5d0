"""Factors between predictions and measurements, and what formulas and laws are given."""

import math
from dataclasses import replace

import pytest

from locksim.machine import load
from locksim.papers.experiment import Cell, Reproduction
from locksim.papers.factors import Point, factors, formulas, laws, mean_transfer_ns, of
from locksim.study.analytic import USL


def test_the_factor_is_a_geometric_mean_of_ratios() -> None:
    """Twice too much and twice too little are both a factor of 2; one CPU does not count."""
    points = [
        Point("a", 1, 10.0, {"simulator": 1000.0}),
        Point("a", 2, 10.0, {"simulator": 20.0}),
        Point("a", 4, 10.0, {"simulator": 5.0}),
        Point("a", 8, 10.0, {"simulator": 10.0}),
    ]
    (found,) = factors(points)
    assert ("simulator", 3) == (found.model, found.points)
    assert (2 ** (2 / 3), 2.0) == pytest.approx((found.mean, found.worst))


def test_all_are_judged_where_no_fit_has_seen() -> None:
    """A law has a value there alone, and the others count there as well."""
    points = [
        Point("a", 2, 1.0, {"simulator": 9.0}),
        Point("a", 4, 1.0, {"simulator": 3.0, "usl_third": 2.0, "usl_every_third": 4.0}),
    ]
    found = {f.model: (f.points, round(f.mean, 9)) for f in factors(points, unseen=True)}
    assert {"simulator": (1, 3.0), "usl_third": (1, 2.0), "usl_every_third": (1, 4.0)} == found
    assert ["simulator"] == [f.model for f in factors(points)]


def test_a_law_finds_itself() -> None:
    """Points of a law are predicted by both fits, at points that neither has seen."""
    law = USL(1e6, 0.1, 0.001)
    counts = range(1, 17)
    measured = {n: n * 1e9 / float(law.per_second([n])[0]) for n in counts}
    found = laws(measured)
    assert [8, 9, 11, 12, 14, 15] == [n for n in found if n > 6]
    for n, values in found.items():
        for value in values.values():
            assert measured[n] == pytest.approx(value, rel=1e-4)


def test_a_short_curve_has_no_law() -> None:
    """Six points leave two for the lowest third."""
    assert {} == laws({n: 10.0 * n for n in (1, 2, 4, 8, 16, 32)})


def test_formulas_get_the_transfers_of_those_who_take_part() -> None:
    """Two cores of a socket are nearer than two sockets."""
    machine = load("xeon-e5-2680v4-2x14")
    near, far = mean_transfer_ns(machine, [0, 1]), mean_transfer_ns(machine, [0, 14])
    costs = machine.cost_ps()
    assert [costs["transfer.node"], costs["transfer.socket"]] == [1e3 * near, 1e3 * far]
    assert 0.0 == mean_transfer_ns(machine, [3])


def test_one_cpu_alone_takes_hold_and_think() -> None:
    """Both formulas agree there, since no CPU waits."""
    found = formulas(load("xeon-e5-2680v4-2x14"), [0], 30.0, 70.0)
    assert all(math.isclose(100.0, value) for value in found.values())


def test_an_experiment_is_judged_where_formulas_are() -> None:
    """Its predicted cells with a formula's value; without formulas all but changes in per cent."""

    def cell(row: str, simulated: float, role: str = "predicted", column: str = "x") -> Cell:
        values = (10.0, simulated, simulated, simulated)
        return Cell(row, column, "10", *values, role, "s")  # type: ignore[arg-type]

    cells = [cell("a", 20.0), cell("b", 5.0), cell("c", 90.0, "fitted"), cell("d", 1.0, "input")]
    plain = Reproduction("toy", "", "", "", [], [*cells, cell("a", 3.0, column="change")])
    (found,) = of(plain)
    assert ("simulator", 2, 2.0, 2.0) == (found.model, found.points, found.mean, found.worst)
    shown = [
        {"model": model, "row": row, "column": "x", "corrected": 10.0, "simulated": 20.0}
        | {"predicted": 40.0, "role": role}
        for model, row, role in (("mva", "a", "predicted"), ("mva", "c", "fitted"))
    ]
    judged = replace(plain, extra={"models": {"cells": shown}})
    assert {"simulator": (1, 2.0), "mva": (1, 4.0)} == {
        f.model: (f.points, round(f.mean, 9)) for f in of(judged)
    }
    assert [] == of(judged, unseen=True)
    nothing = replace(plain, cells=[cell("a", 0.0)])
    assert math.isinf(of(nothing)[0].mean)
