"""Tests of the shipped profiles: they load, are sourced, and give back what was published."""

import pickle

import pytest

from locksim.machine import MachineError, Parameter, load, names

ROLES = {"published", "measured", "fitted", "derived", "assumed"}


def parameters(name: str) -> dict[str, Parameter]:
    """A profile's quantities by name."""
    return {p.name: p for p in load(name).parameters()}


def test_the_promised_machines_are_there() -> None:
    """The shipped profiles have the CPU counts that their machines had."""
    expected = {
        "desktop-4": 4,
        "epyc-7742-2x64": 256,
        "epyc-7773x-64": 128,
        "epyc-7r13-2x48": 192,
        "graviton2-64": 64,
        "graviton3-64": 64,
        "itanium2-32": 32,
        "pentium2-333": 1,
        "pentium3-8way": 8,
        "power7-2x8": 16,
        "westmere-ex-8x10": 80,
        "two-hosts-2006": 4,
        "xeon-8176-8x28": 448,
        "xeon-8375c-2x32": 128,
        "xeon-e5-2680v4-2x14": 56,
    }
    assert expected == {name: load(name).n_cpus for name in names()}


@pytest.mark.parametrize("name", names())
def test_every_quantity_has_a_source_and_a_role(name: str) -> None:
    """No quantity of a shipped profile stands without source, role and unit."""
    for p in load(name).parameters():
        assert len(p.source) > 10, p
        assert p.role in ROLES, p
        assert p.unit in ("ns", "ps", "cycles", "KB", "lines a set"), p


def test_the_machine_of_2001_holds_two_megabytes() -> None:
    """The source says 2 MB of cache a CPU; 16 KB of data in L1 are those of every P6."""
    found = {p.name: p.value for p in load("pentium3-8way").parameters() if p.unit == "KB"}
    assert {"cache.private.size": 2048, "cache.l1.size": 16} == found


@pytest.mark.parametrize("name", names())
def test_shipped_profiles_make_tables_of_the_whole_machine(name: str) -> None:
    """Every shipped machine can be used to its last CPU."""
    machine = load(name)
    assert machine.n_cpus == machine.tables(machine.n_cpus).n_cpus


@pytest.mark.parametrize("cpus", [1, 2, 63, 64, 1000, 1024])
def test_ideal_machines_are_uniform(cpus: int) -> None:
    """ideal-N has N CPUs, all in one node, and only assumed quantities."""
    machine = load(f"ideal-{cpus}")
    tables = machine.tables(cpus)
    assert cpus == tables.n_cpus
    assert {d for row in tables.distance for d in row} <= {0, 2}
    assert {"assumed"} == {p.role for p in machine.parameters()}


def test_every_ideal_machine_exists() -> None:
    """ideal-1 to ideal-1024 all load, and cost the same whatever N is."""
    machines = [load(f"ideal-{n}") for n in range(1, 1025)]
    assert list(range(1, 1025)) == [m.n_cpus for m in machines]
    assert all(machines[0].cost == m.cost for m in machines)


@pytest.mark.parametrize(
    "name", ["ideal-0", "ideal-1025", "ideal-08", "ideal-N", "ideal-" + "9" * 99]
)
def test_other_ideal_machines_are_refused(name: str) -> None:
    """N outside 1 to 1024 is refused with the range."""
    with pytest.raises(MachineError) as caught:
        load(name)
    assert (
        f"unknown machine '{name}'; the ideal ones are ideal-1 to ideal-1024, as in ideal-64"
        == str(caught.value)
    )


@pytest.mark.parametrize(
    ("cls", "blind_ns", "load_cas_ns"),
    [("node", 47.5, 101.9), ("socket", 148.8, 442.9), ("interconnect", 336.6, 944.8)],
)
def test_xeon_8176_gives_back_perfbook(cls: str, blind_ns: float, load_cas_ns: float) -> None:
    """Transfer + rmw is perfbook's blind CAS; with the invalidation, its load and CAS."""
    cost = load("xeon-8176-8x28").cost_ps()
    blind = cost[f"transfer.{cls}"] + cost["rmw"]
    assert round(blind_ns * 1000) == blind
    assert round(load_cas_ns * 1000) == blind + cost[f"invalidate.{cls}"]


def test_pentium3_gives_back_mckenney() -> None:
    """Transfer, invalidation and a local cmpxchg of 107.3 ns make the published 360.9 ns."""
    cost = load("pentium3-8way").cost_ps()
    assert 360_900 == cost["transfer.node"] + cost["invalidate.node"] + 107_300


def test_westmere_gives_back_the_sosp_cycles() -> None:
    """109, 289 and 400 cycles at 2.13 GHz are 51, 136 and 188 ns."""
    tables = load("westmere-ex-8x10").tables(80)
    assert [51, 136, 188] == [round(ps / 1000) for ps in tables.transfer_ps[2:]]


def test_westmere_has_three_neighbours_a_socket() -> None:
    """Every socket has three others at one hop and four at two."""
    tables = load("westmere-ex-8x10").tables(8, "scatter")
    for row in tables.distance:
        assert [0, 3, 3, 3, 4, 4, 4, 4] == sorted(row)


def test_itanium_has_two_free_distances() -> None:
    """transfer.half moves the farther distances in the ratio 15 / 20, transfer.node the near."""
    machine = load("itanium2-32").with_costs(**{"transfer.node": 120_000, "transfer.half": 480_000})
    tables = machine.tables(32)
    for costs in (tables.transfer_ps, tables.memory_ps, tables.invalidate_ps):
        assert [120_000, 480_000, 640_000] == list(costs[2:])
    fitted = [p.name for p in machine.parameters() if p.role == "fitted"]
    assert ["transfer.node", "transfer.half"] == fitted


def test_an_unknown_machine_is_answered_with_the_nearest_name() -> None:
    """A misspelt name gets a suggestion, a foreign one the list."""
    with pytest.raises(MachineError) as caught:
        load("itanium2-23")
    assert "unknown machine 'itanium2-23'; did you mean 'itanium2-32'?" == str(caught.value)
    with pytest.raises(MachineError) as caught:
        load("vax")
    assert (
        "unknown machine 'vax'; known: desktop-4, epyc-7742-2x64, epyc-7773x-64, epyc-7r13-2x48, "
        "graviton2-64, graviton3-64, ideal-N, itanium2-32, pentium2-333, pentium3-8way, "
        "power7-2x8, two-hosts-2006, westmere-ex-8x10, xeon-8176-8x28, xeon-8375c-2x32, "
        "xeon-e5-2680v4-2x14" == str(caught.value)
    )


@pytest.mark.parametrize("name", names())
def test_a_profile_goes_to_another_process(name: str) -> None:
    """Its classes are found again by module and name."""
    profile = load(name)
    assert profile == pickle.loads(pickle.dumps(profile))
