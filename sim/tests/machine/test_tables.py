"""Tests of locksim.machine.tables: shapes, laws and placements of what the engines read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.machine import Machine, MachineError, MachineTables, load, names

PLACEMENTS = ("compact", "scatter")
MACHINES = {name: load(name) for name in (*names(), "ideal-7")}


@st.composite
def placed(draw: st.DrawFn) -> tuple[Machine, str, MachineTables]:
    """A machine, a placement and its tables for some number of CPUs."""
    machine = MACHINES[draw(st.sampled_from(sorted(MACHINES)))]
    placement = draw(st.sampled_from(PLACEMENTS))
    cpus = draw(st.integers(1, min(machine.n_cpus, 90)))
    return machine, placement, machine.tables(cpus, placement)  # type: ignore[arg-type]


@given(placed())
def test_distance_is_symmetric_with_zeros_on_the_diagonal_only(
    case: tuple[Machine, str, MachineTables],
) -> None:
    """distance(a, b) = distance(b, a), and it is 0 exactly for a CPU and itself."""
    distance = np.array(case[2].distance)
    assert np.array_equal(distance, distance.T)
    assert np.array_equal(distance == 0, np.eye(len(distance), dtype=bool))


@given(placed())
def test_home_distance_agrees_with_distance(case: tuple[Machine, str, MachineTables]) -> None:
    """A home node is as far from a CPU as that node's CPUs are; its own is class 2."""
    _, _, tables = case
    expected = np.maximum(tables.distance, 2)
    assert np.array_equal(expected, [tables.home_distance[node] for node in tables.node_of])


@given(placed(), st.integers(0, 2**31))
def test_a_starting_order_moves_no_cpu(case: tuple[Machine, str, MachineTables], seed: int) -> None:
    """Each CPU keeps its number, node and distances; its place in the order is its own."""
    machine, placement, usual = case
    started = machine.model_copy(update={"starting_order": seed})
    found = started.tables(usual.n_cpus, placement)  # type: ignore[arg-type]
    assert list(range(usual.n_cpus)) == sorted(found.starting_places)
    assert vars(usual) == vars(found) | {"starting_places": ()}


@given(placed())
def test_scatter_is_balanced_and_compact_fills_in_order(
    case: tuple[Machine, str, MachineTables],
) -> None:
    """Scatter loads nodes to within one CPU; compact never returns to a node within a round."""
    machine, placement, tables = case
    counts = np.bincount(tables.node_of, minlength=tables.n_nodes)
    if placement == "scatter":
        assert counts.max() - counts.min() <= 1
    else:
        cores = machine.topology.nodes * machine.topology.cores_per_node
        first_round = tables.node_of[:cores]
        assert np.array_equal(np.sort(first_round), first_round)


@given(placed())
def test_costs_grow_with_distance(case: tuple[Machine, str, MachineTables]) -> None:
    """A farther class never costs less, and class 0 costs nothing."""
    tables = case[2]
    for costs in (tables.transfer_ps, tables.memory_ps, tables.invalidate_ps):
        assert costs[0] == 0
        assert (np.diff(costs) >= 0).all()


@given(placed())
def test_shapes_and_types(case: tuple[Machine, str, MachineTables]) -> None:
    """Rows have the documented shapes, all is whole numbers, and every class has a cost."""
    machine, _, tables = case
    n, k = tables.n_cpus, machine.topology.n_classes
    assert (n,) == np.shape(tables.node_of)
    assert (n, n) == np.shape(tables.distance)
    assert (tables.n_nodes, n) == np.shape(tables.home_distance)
    for costs in (tables.transfer_ps, tables.memory_ps, tables.invalidate_ps):
        assert (k,) == np.shape(costs)
    assert max(map(max, (*tables.distance, *tables.home_distance))) < k
    numbers = [np.ravel(np.array(v, object)).tolist() for v in vars(tables).values()]
    assert {int} == {type(x) for row in numbers for x in row}


def test_both_placements_use_every_core_before_a_sibling() -> None:
    """224 CPUs of the 8176 share no core; the 225th is the first one's sibling."""
    machine = MACHINES["xeon-8176-8x28"]
    for placement in ("compact", "scatter"):
        tables = machine.tables(225, placement)  # type: ignore[arg-type]
        assert 0 == np.count_nonzero(np.array(tables.distance)[:224, :224] == 1)
        assert [0] == list(np.flatnonzero(np.array(tables.distance[224]) == 1))


def test_halves_put_the_first_nodes_nearer() -> None:
    """On itanium2-32 nodes 0 to 3 are one half and 4 to 7 the other."""
    tables = MACHINES["itanium2-32"].tables(32, "scatter")
    assert [0, 3, 3, 3, 4, 4, 4, 4, 2] == list(tables.distance[0][:9])


def test_a_listed_placement_uses_the_machines_numbers() -> None:
    """CPUs 31, 0 and 3 of itanium2-32 sit on nodes 7, 0 and 0."""
    tables = MACHINES["itanium2-32"].tables(3, [31, 0, 3])
    assert [7, 0, 0] == list(tables.node_of)
    assert ((0, 4, 4), (4, 0, 2), (4, 2, 0)) == tables.distance


def test_protocol_is_given_as_numbers() -> None:
    """pentium3-8way: pipelined, clean lines from memory, a bus a node, four words a line."""
    tables = MACHINES["pentium3-8way"].tables(1)
    found = (tables.blocking, tables.clean_nearest, tables.bus_kind, tables.words_per_line)
    assert (0, 0, 1, 4) == found


@pytest.mark.parametrize(
    ("cpus", "placement", "message"),
    [
        (100000, "compact", "itanium2-32 has 32 CPUs; asked for 100000"),
        (0, "compact", "itanium2-32 has 32 CPUs; asked for 0"),
        (-1, "scatter", "itanium2-32 has 32 CPUs; asked for -1"),
        (2.0, "compact", "cpus must be an integer between 1 and 32 (got 2.0)"),
        (True, "compact", "cpus must be an integer between 1 and 32 (got True)"),
        (
            2,
            "spread",
            "placement 'spread' is unknown; use 'compact', 'scatter' or a list of CPU numbers",
        ),
        (2, [0], "the placement has length 1, but cpus is 2; list each CPU once"),
        (1, [32], "the placement lists CPU 32; itanium2-32 numbers its CPUs 0 to 31"),
        (1, [-1], "the placement lists CPU -1; itanium2-32 numbers its CPUs 0 to 31"),
        (1, ["0"], "the placement lists '0'; list CPU numbers"),
        (2, [5, 5], "the placement lists CPU 5 twice; list each CPU once"),
    ],
)
def test_impossible_requests_are_refused(cpus: int, placement: str, message: str) -> None:
    """CPUs that do not exist and placements that are none get one clear message."""
    with pytest.raises(MachineError) as caught:
        MACHINES["itanium2-32"].tables(cpus, placement)  # type: ignore[arg-type]
    assert message == str(caught.value)
