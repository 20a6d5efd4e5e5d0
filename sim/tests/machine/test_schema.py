"""Tests of the profile schema: each refusal with its exact message, units, and with_costs."""

import copy
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.machine import Machine, MachineError, Quantity, load
from locksim.machine.profile import parse

WHERE = "mine.toml"
REMOVE = object()


def quantity(value: float, unit: str = "ns", **more: Any) -> dict[str, Any]:
    """One quantity as a TOML table."""
    return {"value": value, "unit": unit, "source": "a test", "role": "assumed", **more}


def level(sets: int, ways: int) -> dict[str, Any]:
    """One level of cache as a TOML table."""
    return {"sets": sets, "ways": ways, "source": "a test", "role": "assumed"}


def document() -> dict[str, Any]:
    """A sound profile: two nodes, two threads a core, a bus."""
    cost: dict[str, Any] = {
        name: quantity(5)
        for name in (
            *("l1_hit", "store", "rmw", "fence", "pause", "tenure", "jitter"),
            *("invalidate_each", "alloc", "free", "context_switch", "wake"),
        )
    }
    ladder = {"core": quantity(6), "node": quantity(50), "far": quantity(90)}
    cost["transfer"] = copy.deepcopy(ladder)
    cost["invalidate"] = copy.deepcopy(ladder)
    cost["memory"] = {"node": quantity(80), "far": quantity(120)}
    cost["occupancy"] = {"bus": quantity(10), "shared_read": quantity(10)}
    return {
        "schema": 1,
        "name": "mine",
        "title": "A machine",
        "description": "For tests.",
        "topology": {
            "nodes": 2,
            "cores_per_node": 2,
            "threads_per_core": 2,
            "line_bytes": 64,
            "clock_ghz": 2.5,
            "node_classes": ["node", "far"],
            "distance": "matrix",
            "node_distance": [[0, 1], [1, 0]],
        },
        "protocol": {
            "directory": "pipelined",
            "clean_supplier": "memory",
            "bus": "node",
            "store_buffer_entries": 16,
        },
        "cost": cost,
    }


def changed(key: str, value: Any) -> dict[str, Any]:
    """The sound profile with one dotted key set, or removed."""
    data = document()
    table = data
    *outer, last = key.split(".")
    for name in outer:
        table = table[name]
    if value is REMOVE:
        del table[last]
    else:
        table[last] = value
    return data


def refusal(data: dict[str, Any]) -> str:
    """What parse says against a document, without the file's name."""
    with pytest.raises(MachineError) as caught:
        parse(data, WHERE)
    return str(caught.value).removeprefix(f"{WHERE}: ")


def test_the_sound_profile_is_accepted() -> None:
    """What the refusals below start from is itself a machine of eight CPUs."""
    assert 8 == parse(document(), WHERE).n_cpus


REFUSALS: list[tuple[str, Any, str]] = [
    # Keys
    ("cost.store", REMOVE,
     "cost.store: missing quantity; add [cost.store] with value, unit, source and role"),
    ("cost.transfer.far", REMOVE,
     "cost.transfer.far: missing quantity; "
     "add [cost.transfer.far] with value, unit, source and role"),
    ("cost.memory", REMOVE,
     "cost.memory: missing table; add [cost.memory.node] and one table for each farther class"),
    ("protocol", REMOVE, "protocol: missing table; add [protocol]"),
    ("title", REMOVE, "title: missing key; add title = ..."),
    ("cost.store.source", REMOVE, "cost.store.source: missing key; add source = ..."),
    ("cost.store.value", REMOVE,
     "cost.store.value: missing; add a number, such as value = 1.3"),
    ("cost.store.unit", REMOVE, "cost.store.unit: missing; add unit = 'ns', 'ps' or 'cycles'"),
    ("cost.stroe", quantity(5), "cost.stroe: unknown key; did you mean 'store'?"),
    ("cost.store.vlaue", 5, "cost.store.vlaue: unknown key; did you mean 'value'?"),
    ("cost.occupancy.buss", quantity(5), "cost.occupancy.buss: unknown key; did you mean 'bus'?"),
    ("topology.node", 8, "topology.node: unknown key; did you mean 'nodes'?"),
    ("colour", "red",
     "colour: unknown key; known: "
     "cache, cost, description, name, origin, placement, protocol, schema, starting_order, title, "
     "topology"),
    ("cost.transfer.fra", quantity(95),
     "cost.transfer.fra: unknown distance class 'fra'; did you mean 'far'?"),
    ("cost.memory.core", quantity(5),
     "cost.memory.core: unknown distance class 'core'; known: far, node"),
    # Caches
    ("cache", {}, "cache.private: missing table; add [cache.private]"),
    ("cache", {"private": level(8, 2), "l2": level(8, 2)},
     "cache.l2: unknown key; known: l1, private, shared"),
    ("cache", {"private": level(8, 2) | {"size": 8}},
     "cache.private.size: unknown key; known: role, sets, source, ways"),
    ("cache", {"private": level(6, 2)},
     "cache.private.sets: 6 is not a power of two; write one such as 1024"),
    ("cache", {"private": level(8, 0)},
     "cache.private.ways: Input should be greater than or equal to 1, found 0; correct the value"),
    ("cache", {"private": level(8, 2), "l1": level(8, 4)},
     "cache.l1: 32 lines, but the private cache, which contains the L1 cache, has only 16; "
     "check both"),
    ("cache", {"private": level(8, 2), "l1": level(4, 2)},
     "cost.private_hit: missing quantity; "
     "add [cost.private_hit] with value, unit, source and role"),
    ("cache", {"private": level(8, 2), "shared": level(8, 8) | {"policy": "exclusive"}},
     "cache.shared.policy: 'exclusive' is unknown; use 'inclusive' or 'victim'"),
    ("cache", {"private": level(8, 2), "shared": level(8, 1) | {"policy": "inclusive"}},
     "cache.shared: 8 lines, but a private cache has 16, and an inclusive cache contains them all; "
     "check both, or set policy to 'victim'"),
    ("cache", {"private": level(8, 2), "shared": level(8, 1) | {"policy": "victim"}},
     "cost.shared_hit: missing quantity; "
     "add [cost.shared_hit] with value, unit, source and role"),
    ("cost.shared_hit", quantity(9),
     "cost.shared_hit: it has no effect without [cache.shared]; remove it or add that table"),
    ("cost.private_hit", quantity(9),
     "cost.private_hit: it has no effect without [cache.l1]; remove it or add that table"),
    # Figures
    ("cost.store.value", -1, "cost.store.value: -1 is negative; a cost is zero or more"),
    ("starting_order", -1, "starting_order: -1 is negative; this is zero or more"),
    ("cost.store.value", float("nan"),
     "cost.store.value must be a finite number (got nan)"),
    ("cost.store.value", float("inf"),
     "cost.store.value must be a finite number (got inf)"),
    ("cost.store.value", "5",
     "cost.store.value: Input should be a valid number, found '5'; correct the value"),
    ("cost.store.value", 0,
     "cost.store: is zero (below half a picosecond); give a positive cost"),
    ("cost.store.value", 0.0004,
     "cost.store: is zero (below half a picosecond); give a positive cost"),
    ("cost.wake.value", 2e9, "cost.wake: is 2 s; at most 1 s: check the unit"),
    ("cost.store.unit", "us",
     "cost.store.unit: 'us' is unknown; use 'ns', 'ps' or 'cycles'"),
    ("cost.store.role", "guessed",
     "cost.store.role: 'guessed' is unknown; "
     "use 'published', 'measured', 'fitted', 'derived' or 'assumed'"),
    ("cost.store.source", "  ", "cost.store.source: empty; say it in words"),
    ("cost.transfer.far.value", 40,
     "cost.transfer.far: 40 ns is cheaper than transfer.node at 50 ns; "
     "a farther line cannot be: check both"),
    ("cost.transfer.core.value", 51,
     "cost.transfer.node: 50 ns is cheaper than transfer.core at 51 ns; "
     "a farther line cannot be: check both"),
    ("cost.l1_hit.value", 7,
     "cost.transfer.core: 6 ns is cheaper than l1_hit at 7 ns; "
     "a farther line cannot be: check both"),
    ("cost.memory.far.value", 79,
     "cost.memory.far: 79 ns is cheaper than memory.node at 80 ns; "
     "a farther line cannot be: check both"),
    # Relative quantities
    ("cost.fence.of", "rmw",
     "cost.fence: both value/unit and of/times; keep one of the two pairs"),
    ("cost.fence", {"of": "rmw", "source": "a test", "role": "derived"},
     "cost.fence.times: missing; a relative quantity needs both 'of' and 'times'"),
    ("cost.fence", {"of": "rmw", "times": "0/3", "source": "a test", "role": "derived"},
     "cost.fence.times: '0/3' is not a positive fraction; write one such as '10/15'"),
    ("cost.fence", {"of": "rmw", "times": "1/0", "source": "a test", "role": "derived"},
     "cost.fence.times: '1/0' is not a positive fraction; write one such as '10/15'"),
    ("cost.fence", {"of": "rmw", "times": "1", "source": "a test", "role": "published"},
     "cost.fence.role: 'published' on a relative quantity; use 'derived' or 'assumed'"),
    ("cost.fence", {"of": "rwm", "times": "1", "source": "a test", "role": "derived"},
     "cost.fence.of: unknown quantity 'rwm'; did you mean 'rmw'?"),
    ("cost.fence", {"of": "fence", "times": "1", "source": "a test", "role": "derived"},
     "cost.fence.of: 'fence' is relative itself; refer to an absolute quantity"),
    # Topology
    ("topology.nodes", 0,
     "topology.nodes: Input should be greater than or equal to 1, found 0; correct the value"),
    ("topology.nodes", 600,
     "topology.nodes: 2400 CPUs in all; at most 1024 are supported"),
    ("topology.line_bytes", 96,
     "topology.line_bytes: 96 is not a power of two; write 32, 64 or 128"),
    ("topology.line_bytes", 8,
     "topology.line_bytes: Input should be greater than or equal to 16, found 8; "
     "correct the value"),
    ("topology.interleave_bytes", 96,
     "topology.interleave_bytes: 96 on 2 nodes; it must be a power of two, not less than "
     "line_bytes, and needs two nodes; write 4096 (a page of x86), or remove it"),
    ("topology.interleave_bytes", 32,
     "topology.interleave_bytes: 32 on 2 nodes; it must be a power of two, not less than "
     "line_bytes, and needs two nodes; write 4096 (a page of x86), or remove it"),
    ("topology.node_distance", [[0, 1]],
     "topology.node_distance: 1 rows for 2 nodes; give one row for each node"),
    ("topology.node_distance", [[0, 1], [1]],
     "topology.node_distance: row 1 has 1 entries for 2 nodes; make it square"),
    ("topology.node_distance", [[0, 1], [1, 1]],
     "topology.node_distance[1][1]: 1 on the diagonal; write 0, a node's distance from itself"),
    ("topology.node_distance", [[0, 1], [2, 0]],
     "topology.node_distance[0][1]: 1, but [1][0] is 2; make the matrix symmetric"),
    ("topology.node_distance", [[0, 2], [2, 0]],
     "topology.node_distance[0][1]: 2 is not a distance class; write a number from 1 to 1"),
    ("topology.node_distance", REMOVE,
     "topology.node_distance: missing; distance = 'matrix' needs it (nodes x nodes)"),
    ("topology.distance", "uniform",
     "topology.node_distance: given, but distance = 'uniform'; set it to 'matrix'"),
    ("topology.distance", "halves",
     "topology.distance: 'halves' with 2 nodes; it needs an even number from 4 up"),
    ("topology.node_classes", ["home", "far"],
     "topology.node_classes: begins with 'home'; the first must be 'node'"),
    ("topology.node_classes", ["node", "node"],
     "topology.node_classes: names a class twice or uses 'core'; "
     "give each further distance its own name"),
    ("topology.node_classes", ["node", "far", "farther"],
     "topology.node_classes: 'farther' occurs nowhere in node_distance; remove it"),
    ("topology.threads_per_core", 1,
     "cost.transfer.core: given, but threads_per_core is 1; remove it"),
    ("topology.clock_ghz", 0,
     "topology.clock_ghz: Input should be greater than 0, found 0; correct the value"),
    # Protocol
    ("protocol.bus", "none",
     "cost.occupancy.bus: it has no effect with bus = 'none'; "
     "remove it or set bus to 'node' or 'global'"),
    ("protocol.directory", "blocking",
     "cost.occupancy.shared_read: it has no effect with directory = 'blocking'; "
     "remove it or set directory to 'pipelined'"),
    ("cost.occupancy.bus", REMOVE,
     "cost.occupancy.bus: missing quantity; "
     "add [cost.occupancy.bus] with value, unit, source and role"),
    ("protocol.directory", "lazy",
     "protocol.directory: 'lazy' is unknown; use 'blocking' or 'pipelined'"),
    ("cost.rmw.spread", 0.5,
     "cost.rmw.spread: never drawn; only the line hold times (tenure) have a spread: remove it"),
    ("cost.tenure.spread", 1.5,
     "cost.tenure.spread: Input should be less than or equal to 1, found 1.5; correct the value"),
    ("cost.tenure_class", {"fra": quantity(5)},
     "cost.tenure_class.fra: unknown distance class 'fra'; did you mean 'far'?"),
    ("cost.occupancy.link", {"core": quantity(5)},
     "cost.occupancy.link.core: unknown distance class 'core'; known: far, node"),
    ("cost.occupancy.home", {"far": quantity(0)},
     "cost.occupancy.home.far: is zero (below half a picosecond); give a positive cost"),
    ("cost.far_atomic", {"node": quantity(5)},
     "cost.far_atomic: it has no effect with atomics = 'near'; remove it or set atomics to 'far'"),
    ("cost.occupancy.far_atomic", quantity(5),
     "cost.occupancy.far_atomic: it has no effect with atomics = 'near'; "
     "remove it or set atomics to 'far'"),
    ("protocol.shared_l1", 1,
     "protocol.shared_l1: Input should be a valid boolean, found 1; correct the value"),
    ("protocol.atomics", "far",
     "cost.far_atomic.node: missing quantity; "
     "add [cost.far_atomic.node] with value, unit, source and role"),
    ("cost.run_ahead", quantity(0),
     "cost.run_ahead: is zero (below half a picosecond); give a positive cost"),
    ("protocol.shared_issue_percent", 50,
     "protocol.shared_issue_percent: Input should be greater than or equal to 100, found 50; "
     "correct the value"),
    ("protocol.arbitration", "fair",
     "protocol.arbitration: 'fair' is unknown; use 'fifo', 'near' or 'random'"),
    ("protocol.arbitration", "near",
     "protocol.arbitration_passes: missing with arbitration = 'near'; say how often a request may "
     "be passed, such as arbitration_passes = 8"),
    ("protocol.arbitration_passes", 8,
     "protocol.arbitration_passes: never used with arbitration = 'fifo'; "
     "remove it or set arbitration to 'near'"),
    ("schema", 2, f"it has schema 2, and LockLab {version('locklab')} reads schema 1; "
     "write a new profile: locklab machine new NAME"),
    ("name", "My Machine",
     "name: 'My Machine' is not a name; use small letters, digits, '-' and '.'"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value", "message"), REFUSALS)
def test_each_fault_is_refused_with_what_where_and_how(key: str, value: Any, message: str) -> None:
    """One fault in an otherwise sound profile gives one exact message."""
    assert message == refusal(changed(key, value))


def cached() -> dict[str, Any]:
    """The sound profile with two levels of cache."""
    data = changed("cost.private_hit", quantity(9))
    return data | {"cache": {"private": level(8, 2), "l1": level(4, 1)}}


def test_the_caches_are_in_tables_and_parameters() -> None:
    """Sets, ways and the cost of the second level reach the engines, and sizes are reported."""
    machine = parse(cached(), WHERE)
    tables = machine.tables(2)
    assert (8, 2, 4, 1) == (
        *(tables.private_sets, tables.private_ways),
        *(tables.l1_sets, tables.l1_ways),
    )
    assert 9_000 == tables.private_hit_ps
    told = {p.name: (p.value, p.unit) for p in machine.parameters() if p.name.startswith("cache")}
    assert {
        "cache.private.size": (1.0, "KB"),
        "cache.private.ways": (2, "lines a set"),
        "cache.l1.size": (0.25, "KB"),
        "cache.l1.ways": (1, "lines a set"),
    } == told


def test_a_second_level_is_no_nearer_than_the_first() -> None:
    """A private_hit below l1_hit is refused."""
    data = cached()
    data["cost"]["private_hit"] = quantity(4)
    message = (
        "cost.private_hit: 4 ns is cheaper than l1_hit at 5 ns; a farther line cannot be: "
        "check both"
    )
    assert message == refusal(data)


def with_shared_cache(hit_ns: float) -> dict[str, Any]:
    """The sound profile with three levels of cache."""
    data = cached()
    data["cache"]["shared"] = level(16, 4) | {"policy": "victim"}
    data["cost"]["shared_hit"] = quantity(hit_ns)
    return data


def test_a_shared_cache_is_in_tables_and_parameters() -> None:
    """Its shape, its policy, the cost of its lines; without it the machine is the old one."""
    machine = parse(with_shared_cache(20), WHERE)
    tables = machine.tables(2)
    assert (16, 4, 0, 20_000) == (
        *(tables.shared_sets, tables.shared_ways),
        *(tables.shared_inclusive, tables.shared_hit_ps),
    )
    told = {p.name: p.value for p in machine.parameters() if p.name.startswith("cache.shared")}
    assert {"cache.shared.size": 4.0, "cache.shared.ways": 4} == told
    assert parse(cached(), WHERE) == machine.without_shared_cache()
    assert parse(document(), WHERE) == machine.without_caches()


@pytest.mark.parametrize(
    ("hit_ns", "message"),
    [
        (8, "cost.shared_hit: 8 ns is cheaper than private_hit at 9 ns; "),
        (81, "cost.memory.node: 80 ns is cheaper than shared_hit at 81 ns; "),
    ],
)
def test_a_shared_cache_lies_between_private_cache_and_memory(hit_ns: float, message: str) -> None:
    """A hit that costs less than one of them or more than the other is refused."""
    assert message + "a farther line cannot be: check both" == refusal(with_shared_cache(hit_ns))


def test_caches_can_be_taken_away() -> None:
    """For ablations: the same machine whose CPUs keep every line, as a profile without them is."""
    bare = parse(cached(), WHERE).without_caches()
    assert parse(document(), WHERE) == bare
    assert 0 == bare.tables(2).private_sets


def test_costs_can_be_replaced_beside_caches() -> None:
    """The caches stay as they are, and their sizes are no costs."""
    machine = parse(cached(), WHERE)
    dearer = machine.with_costs(private_hit=10_000)
    assert machine.cache == dearer.cache
    assert 10_000 == dearer.tables(1).private_hit_ps
    with pytest.raises(MachineError, match=r"no cost 'cache.l1.size'"):
        machine.with_costs(**{"cache.l1.size": 5})


def test_the_rule_of_arbitration_is_in_the_tables() -> None:
    """As a number, with its bound; a profile that does not name it serves in order of arrival."""
    machine = parse(document(), WHERE)
    rules = ({}, {"arbitration": "near", "arbitration_passes": 8}, {"arbitration": "random"})
    found = [machine.with_protocol(**rule).tables(1) for rule in rules]
    assert [(0, 0), (1, 8), (2, 0)] == [(t.arbitration, t.arbitration_passes) for t in found]


def test_line_hold_times_by_class_and_their_spread_are_in_the_tables() -> None:
    """A class that is not named keeps the single value; a replaced cost keeps its spread."""
    assert (((5_000,) * 4,) * 2, ((0,) * 4,) * 2) == _tenures(document())
    data = document()
    data["cost"]["tenure"]["spread"] = 0.5
    data["cost"]["tenure_class"] = {"far": quantity(20, spread=1.0), "core": quantity(0)}
    assert (
        ((5_000,) * 4, (5_000, 0, 5_000, 20_000)),
        ((2_500,) * 4, (2_500, 0, 2_500, 20_000)),
    ) == _tenures(data)
    data["cost"]["tenure_plain"] = quantity(1)
    longer = parse(data, WHERE).with_costs(tenure=8_000).tables(1)
    assert (1_000, 8_000) == (longer.tenure_plain_class_ps[2], longer.tenure_class_ps[2])
    assert (0, 4_000) == (
        longer.tenure_plain_class_spread_ps[2],
        longer.tenure_class_spread_ps[2],
    )


def _tenures(data: dict[str, Any]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    tables = parse(data, WHERE).tables(1)
    return (
        (tables.tenure_plain_class_ps, tables.tenure_class_ps),
        (tables.tenure_plain_class_spread_ps, tables.tenure_class_spread_ps),
    )


def test_links_and_home_agents_are_in_the_tables() -> None:
    """By class, 0 for one that is not named; they are reported and can be replaced."""
    assert ((0,) * 4, (0,) * 4) == _paths(parse(document(), WHERE))
    data = document()
    data["cost"]["occupancy"]["link"] = {"far": quantity(6)}
    data["cost"]["occupancy"]["home"] = {"node": quantity(2), "far": quantity(4)}
    machine = parse(data, WHERE)
    assert ((0, 0, 0, 6_000), (0, 2_000, 2_000, 4_000)) == _paths(machine)
    dearer = machine.with_costs(**{"occupancy.link.far": 7_000})
    assert (0, 0, 0, 7_000) == _paths(dearer)[0]


def _paths(machine: Machine) -> tuple[tuple[int, ...], ...]:
    tables = machine.tables(1)
    return tables.link_ps, tables.home_agent_ps


def test_what_a_core_does_besides_is_in_the_tables() -> None:
    """Shared issue and private work behind a miss; without siblings the former is refused."""
    data = document()
    assert (100, 0) == _core(data)
    data["protocol"]["shared_issue_percent"] = 150
    data["cost"]["run_ahead"] = quantity(20)
    assert (150, 20_000) == _core(data)
    data["topology"]["threads_per_core"] = 1
    for kind in ("transfer", "invalidate"):
        del data["cost"][kind]["core"]
    message = "protocol.shared_issue_percent: given, but threads_per_core is 1; remove it"
    assert message == refusal(data)


def _core(data: dict[str, Any]) -> tuple[int, int]:
    tables = parse(data, WHERE).tables(1)
    return tables.shared_issue_percent, tables.run_ahead_ps


def test_far_atomics_are_in_the_tables() -> None:
    """Their times by class and the occupancy of the line; a farther home is no nearer."""
    data = document()
    assert ((0,) * 4, 0) == _far(data)
    data["protocol"]["atomics"] = "far"
    data["cost"]["far_atomic"] = {"node": quantity(20), "far": quantity(60)}
    data["cost"]["occupancy"]["far_atomic"] = quantity(4)
    assert ((0, 20_000, 20_000, 60_000), 4_000) == _far(data)
    data["cost"]["far_atomic"]["far"] = quantity(10)
    message = (
        "cost.far_atomic.far: 10 ns is cheaper than far_atomic.node at 20 ns; "
        "a farther line cannot be: check both"
    )
    assert message == refusal(data)


def _far(data: dict[str, Any]) -> tuple[tuple[int, ...], int]:
    tables = parse(data, WHERE).tables(1)
    return tables.far_atomic_ps, tables.far_atomic_busy_ps


def test_a_misspelt_key_is_named_before_the_key_it_leaves_missing() -> None:
    """Of two faults the misspelling is told, and the other is counted."""
    data = changed("cost.pause", REMOVE)
    data["cost"]["puase"] = quantity(5)
    assert "cost.puase: unknown key; did you mean 'pause'? (and 1 more)" == refusal(data)


def test_cycles_need_a_clock() -> None:
    """A quantity in cycles without clock_ghz is refused."""
    data = changed("topology.clock_ghz", REMOVE)
    data["cost"]["store"]["unit"] = "cycles"
    message = "cost.store.unit: 'cycles' without a clock; add clock_ghz to [topology]"
    assert message == refusal(data)


@given(st.integers(0, 10**12))
def test_picoseconds_survive_nanoseconds(ps: int) -> None:
    """A whole number of picoseconds written in ns comes back exactly."""
    in_ns = Quantity(value=ps / 1000, unit="ns", source="a test", role="assumed")
    in_ps = Quantity(value=ps, unit="ps", source="a test", role="assumed")
    assert ps == in_ns.picoseconds(None) == in_ps.picoseconds(None)


@pytest.mark.parametrize(
    ("value", "unit", "clock_ghz", "expected_ps"),
    [
        (1.3, "ns", None, 1300),
        (7, "ps", None, 7),
        (5, "cycles", 2.5, 2000),
        (109, "cycles", 2.13, 51174),
    ],
)
def test_units_convert_to_picoseconds(
    value: float, unit: str, clock_ghz: float | None, expected_ps: int
) -> None:
    """ns, ps and cycles become whole picoseconds, rounded to the nearest."""
    found = Quantity(value=value, unit=unit, source="a test", role="assumed")  # type: ignore[arg-type]
    assert expected_ps == found.picoseconds(clock_ghz)


def test_with_costs_changes_a_copy_only() -> None:
    """The copy has the new cost, its role and the quantity replaced; the original is untouched."""
    machine = parse(document(), WHERE)
    copied = machine.with_costs(role="measured", **{"transfer.far": 95_500, "store": 1_000})
    assert 90_000 == machine.cost_ps()["transfer.far"]
    assert 95_500 == copied.cost_ps()["transfer.far"]
    assert 1_000 == copied.tables(1).store_ps
    found = {p.name: p for p in copied.parameters()}["transfer.far"]
    assert (95.5, "ns", "measured") == (found.value, found.unit, found.role)
    assert "replaces 90 ns (assumed; a test)" == found.source


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({"transfer.fra": 1}, "mine has no cost 'transfer.fra'; did you mean 'transfer.far'?"),
        (
            {"transfer.far": 49_000},
            "mine with changed costs: cost.transfer.far: 49 ns is cheaper than transfer.node "
            "at 50 ns; a farther line cannot be: check both",
        ),
        (
            {"store": -1000},
            "mine with changed costs: cost.store.value: -1.0 is negative; a cost is zero or more",
        ),
    ],
)
def test_with_costs_refuses_what_a_profile_could_not_hold(
    costs: dict[str, int], message: str
) -> None:
    """An unknown name or an absurd cost is refused as in a file."""
    machine = parse(document(), WHERE)
    with pytest.raises(MachineError) as caught:
        machine.with_costs(**costs)
    assert message == str(caught.value)


def test_a_machine_cannot_be_changed_in_place() -> None:
    """Machines are frozen, so that a run's machine stays what it was."""
    machine: Machine = parse(document(), WHERE)
    with pytest.raises(ValueError, match="frozen"):
        machine.name = "other"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A missing file is answered with its path."""
    path = tmp_path / "none.toml"
    with pytest.raises(MachineError) as caught:
        load(path)
    message = f"{path}: cannot be read (No such file or directory); name a profile file that exists"
    assert message == str(caught.value)


def test_a_file_that_is_not_toml_is_named_with_the_line(tmp_path: Path) -> None:
    """A syntax error is answered with the file and the parser's line."""
    path = tmp_path / "bad.toml"
    path.write_text("schema = 1\nname\n")
    with pytest.raises(MachineError, match=r"bad\.toml: not valid TOML \(.*line 2.*\); correct"):
        load(str(path))


def test_a_profile_file_of_ones_own_loads_by_path(tmp_path: Path) -> None:
    """A copied and renamed profile loads from its path, and its refusals name that path."""
    source = Path(load.__code__.co_filename).parent / "profiles" / "desktop-4.toml"
    path = tmp_path / "mine.toml"
    path.write_text(source.read_text().replace('name = "desktop-4"', 'name = "mine"'))
    assert "mine" == load(path).name
    path.write_text(path.read_text().replace("nodes = 1", "nodes = 0"))
    with pytest.raises(MachineError, match=r"mine\.toml: topology\.nodes: "):
        load(path)


def test_errors_ask_for_exit_code_two() -> None:
    """The command line exits with 2 on any MachineError."""
    assert 2 == MachineError.exit_code


def measured(**more: Any) -> dict[str, Any]:
    """A sound profile whose tenure was measured."""
    found = document()
    found["cost"]["tenure"] = quantity(5, low=4.5, high=6, trials=10) | more
    return found


def test_a_measured_figure_has_an_interval() -> None:
    """The interval and the trials are reported with the quantity."""
    (tenure,) = (p for p in parse(measured(), WHERE).parameters() if p.name == "tenure")
    assert (4.5, 6, 10) == (tenure.low, tenure.high, tenure.trials)


@pytest.mark.parametrize("wrong", [{"low": 5.5}, {"high": 4.9}, {"low": None}])
def test_an_interval_holds_its_figure(wrong: dict[str, Any]) -> None:
    """Half an interval, or one beside the quantity, is refused."""
    with pytest.raises(MachineError, match=r"cost\.tenure\.low: "):
        parse(measured(**wrong), WHERE)


def test_a_calibrated_profile_says_where_from() -> None:
    """The origin names a real CPU for each simulated one."""
    found = document()
    found["origin"] = {
        "date": "2026-01-01",
        "cpu_model": "A CPU",
        "kernel": "6.0",
        "virtualised": True,
        "turn_ns": 0.3,
        "cpus": list(range(8)),
        "note": "none",
    }
    origin = parse(found, WHERE).origin
    assert origin is not None
    assert tuple(range(8)) == origin.cpus
    assert origin.expected_error is None
    error = {"value": 0.4, "low": 0.2, "high": 0.9, "left_out": 8, "checked": 6}
    stated = parse({**found, "origin": {**found["origin"], "expected_error": error}}, WHERE).origin
    assert stated is not None
    assert "40% (95% interval 20% to 90%)" in str(stated.expected_error)
    found["origin"]["cpus"] = [0]
    with pytest.raises(MachineError, match=r"origin\.cpus: 1 numbers for 8 CPUs"):
        parse(found, WHERE)


def test_overlap_is_none_unless_given() -> None:
    """Without the tables a request gains nothing by its wait; with them, each class has its own."""
    found = document()
    assert (0, 0, 0, 0) == parse(found, WHERE).tables(2).overlap_ps
    found["cost"]["overlap"] = {"core": quantity(1), "node": quantity(20), "far": quantity(40)}
    assert (0, 1000, 20000, 40000) == parse(found, WHERE).tables(2).overlap_ps


@pytest.mark.parametrize(
    ("overlap", "message"),
    [
        ({"core": 1, "node": 20}, r"cost\.overlap\.far: missing quantity"),
        ({"core": 1, "node": 0, "far": 40}, r"cost\.overlap\.node: is zero"),
        (
            {"core": 1, "node": 50, "far": 60},
            r"cost\.overlap\.node: 50 ns is not less than transfer\.node at 50 ns, of which it is",
        ),
        ({"core": 1, "node": 20, "far": 40, "moon": 1}, r"unknown distance class 'moon'"),
    ],
)
def test_refuses_an_overlap_that_is_none(overlap: dict[str, float], message: str) -> None:
    """A class without a quantity or with nothing, all of a transfer, a class that there is not."""
    found = document()
    found["cost"]["overlap"] = {name: quantity(value) for name, value in overlap.items()}
    with pytest.raises(MachineError, match=message):
        parse(found, WHERE)


def test_refuses_an_overlap_with_more_than_an_invalidation() -> None:
    """It is a part of that too."""
    found = document()
    found["cost"]["overlap"] = {"core": quantity(1), "node": quantity(20), "far": quantity(40)}
    found["cost"]["invalidate"]["node"] = quantity(19)
    with pytest.raises(MachineError, match=r"not less than invalidate\.node at 19 ns"):
        parse(found, WHERE)


def test_plain_tenure_is_the_tenure_unless_given() -> None:
    """Profiles that have one tenure use it for everything."""
    found = document()
    assert 5000 == parse(found, WHERE).tables(2).tenure_plain_ps
    found["cost"]["tenure_plain"] = quantity(0)
    tables = parse(found, WHERE).tables(2)
    assert (5000, 0) == (tables.tenure_ps, tables.tenure_plain_ps)
