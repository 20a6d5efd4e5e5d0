"""Bands: what moves a result, how far, and how causes add up."""

from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim import machine as machines
from locksim.engine.fast.engine import run
from locksim.engine.prepared import prepare
from locksim.engine.trace import MARK
from locksim.kinds import LoadSettings, plain_load
from locksim.lang.ops import Mark
from locksim.machine import Machine, MachineError
from locksim.machine.tables import Placement
from locksim.study.bands import (
    Band,
    Cause,
    Effect,
    Range,
    bands,
    drawn,
    one_at_a_time,
    ratio,
    uncertain,
    with_ns,
    without_range,
)

GRAVITON = machines.load("graviton2-64")


def cost(machine: Machine, name: str) -> float:
    """A cost in ns."""
    return machine.cost_ps()[name] / 1000


def rmw_and_fence(machine: Machine) -> Mapping[str, float]:
    """A result that two costs decide, and one that nothing moves."""
    return {"sum": 10 * cost(machine, "rmw") * cost(machine, "fence"), "fixed": 3.0, "none": 0.0}


def acquirers(lock: str, machine: Machine, placement: Placement) -> list[int]:
    """The nodes of the CPUs that got a lock, one after the other, on 64 CPUs."""
    tables = machine.tables(64, placement)
    load = plain_load(lock, LoadSettings(hold_ps=20_000, think_ps=400_000))
    image, memory = prepare(load.workload, tables)
    trace = run(image, memory, tables, seed=1, until_ps=30_000_000, trace=True).trace
    assert trace is not None
    cpus = [row[1] // 2 for row in trace.tolist() if row[2] == MARK + Mark.ACQUIRED]
    return [tables.node_of[cpu] for cpu in cpus]


@pytest.mark.parametrize("name", machines.names())
def test_every_assumed_value_states_its_range(name: str) -> None:
    """And all ends of all ranges, and random draws of them, make sound machines."""
    machine = machines.load(name)
    assert [] == without_range(machine)
    others = [c.name for c in one_at_a_time(machine, orders=1) if c.name not in uncertain(machine)]
    assumed = machine.protocol.bus == "none" and machine.origin is None
    assert ["starting order", *["arbitration"] * assumed] == others
    drawn(machine, 4)


def test_an_ideal_machine_is_only_started_otherwise() -> None:
    """Nobody is uncertain about round numbers; they have no ranges."""
    only, arbitration = one_at_a_time(machines.load("ideal-4"), orders=3)
    assert ("starting order", 3) == (only.name, len(only.machines))
    assert "arbitration" == arbitration.name
    assert "pause" in without_range(machines.load("ideal-4"))
    (draws,) = drawn(machines.load("ideal-4"), 3)
    assert ("3 draws", "starting order") == (draws.name, draws.why)


def test_too_few_draws_say_nothing() -> None:
    """Two points are no band."""
    assert [] == drawn(GRAVITON, 2)


def test_threads_that_are_not_placed_lie_elsewhere_in_every_other_draw() -> None:
    """And alone, as a cause of its own: the same nodes as if the run asked for it."""
    machine = machines.load("xeon-8375c-2x32")
    assert "placement" not in {cause.name for cause in one_at_a_time(machine, orders=1)}
    (draws,) = drawn(machine, 4, elsewhere="scatter")
    assert draws.why.startswith("starting order, placement")
    (placed,) = (
        cause
        for cause in one_at_a_time(machine, orders=1, elsewhere="scatter")
        if cause.name == "placement"
    )
    compact, scatter = (machine.tables(8, rule).node_of for rule in ("compact", "scatter"))
    assert [compact, scatter] * 2 == [one.tables(8).node_of for one in draws.machines]
    assert [scatter] == [one.tables(8).node_of for one in placed.machines]


def test_a_stated_rule_of_arbitration_is_no_cause() -> None:
    """By default a machine may have another rule; one that states its own has no other."""
    rules = {cause.name: cause.machines for cause in one_at_a_time(GRAVITON, orders=1)}
    assert ["near", "random"] == [m.protocol.arbitration for m in rules["arbitration"]]
    stated = GRAVITON.with_protocol(arbitration="random")
    assert "arbitration" not in {cause.name for cause in one_at_a_time(stated, orders=1)}


def test_classes_of_a_quantity_move_together() -> None:
    """Memory of all distances, to both ends; relative costs follow what they refer to."""
    machine = machines.load("xeon-8375c-2x32")
    low, high = next(c for c in one_at_a_time(machine, orders=1) if c.name == "memory").machines
    for name in ("memory.node", "memory.socket"):
        assert cost(low, name) < cost(machine, name) < cost(high, name)


def test_a_range_is_told_without_powers_of_ten() -> None:
    """Context switches take thousands of nanoseconds, and stores a fraction of one."""
    said = " ".join(cause.why for cause in one_at_a_time(machines.load("graviton2-64")))
    assert "500 to 4,000 ns" in said
    assert "0.167 to 0.666 ns" in said
    assert "e+" not in said


def test_a_farther_line_stays_farther() -> None:
    """A hit at the high end of its range takes the nearest transfer along."""
    machine = machines.load("epyc-7742-2x64")
    _, high = next(c for c in one_at_a_time(machine, orders=1) if c.name == "l1_hit").machines
    assert cost(machine, "transfer.core") < cost(high, "transfer.core") == cost(high, "l1_hit")


def test_starting_orders_are_random_and_the_same_every_time() -> None:
    """Every CPU has another place in each order, and a seed repeats it."""
    machine = machines.load("epyc-7773x-64")
    found = [
        started.tables(16).starting_places
        for cause in (one_at_a_time(machine, orders=2)[0], one_at_a_time(machine, orders=2)[0])
        for started in cause.machines
    ]
    assert [list(range(16))] * 4 == [sorted(order) for order in found]
    assert found[:2] == found[2:]
    assert tuple(range(16)) != found[0] != found[1]


@pytest.mark.parametrize("placement", ["compact", "scatter"])
@pytest.mark.parametrize("lock", ["cna", "cohort", "hmcs"])
def test_a_lock_with_sockets_stays_within_them(lock: str, placement: Placement) -> None:
    """Few handoffs go to the other one, in every starting order, wherever the threads are."""
    machine = machines.load("xeon-8375c-2x32")
    for started in (machine, *one_at_a_time(machine, orders=2)[0].machines):
        nodes = acquirers(lock, started, placement)
        assert 50 < len(nodes)
        assert {0, 1} == {*nodes}
        assert sum(a != b for a, b in pairwise(nodes)) < len(nodes) / 10


def test_one_cause_gives_its_own_ends() -> None:
    """The result at both ends, scaled from the first seed to the reported value."""
    causes = [c for c in one_at_a_time(GRAVITON, orders=1) if c.name == "rmw"]
    base = rmw_and_fence(GRAVITON)
    values = {name: 2 * value for name, value in base.items()}
    found = bands(causes, rmw_and_fence, values, base)
    (rmw,) = uncertain(GRAVITON)["rmw"]
    scale = values["sum"] / rmw.value
    assert (rmw.low * scale, rmw.high * scale) == pytest.approx(
        (found["sum"].low, found["sum"].high)
    )
    assert (6.0, 6.0) == (found["fixed"].low, found["fixed"].high)
    assert (0.0, 0.0) == (found["none"].low, found["none"].high)
    assert "assumed, 3 to 15 ns" == found["sum"].effects[0].why


def test_causes_add_as_squares_of_logarithms() -> None:
    """Twice and 3 times: exp of the root of ln(2)^2 + ln(3)^2; the widest cause first."""
    by = {"a": GRAVITON.with_costs(pause=2), "b": GRAVITON.with_costs(pause=3)}
    causes = [Cause(name, "", [machine]) for name, machine in by.items()]
    found = bands(causes, lambda m: {0: m.cost_ps()["pause"]}, {0: 1.0}, {0: 1.0})[0]
    assert 1.0 == found.low
    assert pytest.approx(2.7183 ** (0.6931**2 + 1.0986**2) ** 0.5, rel=1e-3) == found.high
    assert ["b", "a"] == [effect.name for effect in found.effects]


def test_what_needs_no_runs_adds_as_well() -> None:
    """The error of the model, beside a cause."""
    causes = [Cause("a", "", [GRAVITON.with_costs(pause=2)])]
    model = Effect("model", "", 1 / 3, 3.0)
    found = bands(causes, lambda m: {0: m.cost_ps()["pause"]}, {0: 1.0}, {0: 1.0}, {0: [model]})[0]
    assert pytest.approx(2.7183 ** (0.6931**2 + 1.0986**2) ** 0.5, rel=1e-3) == found.high
    assert pytest.approx(1 / 3) == found.low


def test_a_ratio_keeps_what_moves_both_differently() -> None:
    """Draws are taken pair by pair; errors of the model are independent."""
    draws = Effect("draws", "", 5.0, 40.0, (5.0, 40.0))
    other = Effect("draws", "", 4.0, 16.0, (4.0, 16.0))
    found = ratio(Band.of(10.0, [draws]), Band.of(8.0, [other]), 1.0)
    assert (1.25, 1.25, 2.5) == pytest.approx((found.value, found.low, found.high))
    model = Effect("model", "", 5.0, 20.0)
    for apart in (1.0, 0.5):
        found = ratio(Band.of(10.0, [model]), Band.of(10.0, [model]), apart)
        assert 2 ** (apart * 2**0.5) == pytest.approx(found.high)


def test_a_result_that_is_not_positive_moves_by_differences() -> None:
    """A change of -2 % that becomes +1 %."""
    causes = [Cause("a", "", [GRAVITON])]
    found = bands(causes, lambda _: {"x": 1.0}, {"x": -2.5}, {"x": -2.0})["x"]
    assert (-2.5, 0.5) == (found.low, found.high)


@given(st.floats(0, 1), st.floats(0, 1))
def test_shares_of_a_range_are_in_order(one: float, other: float) -> None:
    """0 is the low end, a half the value, 1 the high end; between them it never falls."""
    found = Range("x", 3.0, 1.0, 9.0, "")
    assert (1.0, 3.0, 9.0) == (found.at(0), found.at(0.5), found.at(1))
    assert found.at(min(one, other)) <= found.at(max(one, other))


def test_what_makes_no_machine_is_refused() -> None:
    """A transfer cheaper than a hit."""
    with pytest.raises(MachineError, match="cheaper than"):
        with_ns(GRAVITON, {"transfer.node": 0.5})
