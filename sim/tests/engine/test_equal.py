"""Both engines give the same trace, row for row, for every lock and cache of the library."""

import itertools

import pytest
from engine import golden_traces
from engine.engine_pair import compare, idle_rows, run_pair

from locksim import machine
from locksim.core.result import RunResult
from locksim.kinds import kind_of
from locksim.lang import Lock
from locksim.library import registry

MACHINES = {"itanium2-32": 16, "pentium3-8way": 8, "xeon-8176-8x28": 16}
CPUS = (1, 2, 3, 4, 8, 16)
THINK_PS = 400_000
UNTIL_PS = 20_000_000
SHORT_PS = 12_000_000
ENTRIES = registry.entries()


def shapes(cpus):
    """The machines and placements that have so many CPUs."""
    names = [name for name, most in MACHINES.items() if cpus <= most]
    return list(itertools.product(names, ("compact", "scatter")))


def every_shape():
    """Every entry on every number of CPUs, each time on another machine and placement.

    All but one of an entry's numbers are slow.
    """
    for i, entry in enumerate(ENTRIES):
        for j, cpus in enumerate(CPUS):
            name, placement = shapes(cpus)[(i + j) % len(shapes(cpus))]
            yield pytest.param(
                entry,
                name,
                placement,
                cpus,
                id=f"{entry.name}-{name}-{placement}-{cpus}",
                marks=() if j == i % len(CPUS) else pytest.mark.slow,
            )


def agree(entry, name, placement, cpus, until_ps):
    """Compare the engines on every load of an entry's kind; none is idle."""
    tables = machine.load(name).tables(cpus, placement)
    for workload in kind_of(entry.struct).test_loads(entry.struct, THINK_PS):
        pair = run_pair(workload, tables, seed=cpus, until_ps=until_ps, heap_lines=512)
        compare(pair)
        assert isinstance(pair.expected, RunResult)
        assert pair.expected.trace is not None
        assert 5 * cpus < len(pair.expected.trace)


every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)


@pytest.mark.covering("entry", every=2)
@pytest.mark.parametrize(("entry", "name", "placement", "cpus"), list(every_shape()))
def test_traces_counters_meters_and_memory(entry, name, placement, cpus):
    """Trace, counters, lock meters, transactions, memory and end agree, jumping or not."""
    agree(entry, name, placement, cpus, SHORT_PS)


@pytest.mark.slow
@every_entry
@pytest.mark.parametrize("cpus", CPUS)
def test_every_machine_and_placement(entry, cpus):
    """As above for a longer time, on all machines and in both placements."""
    for name, placement in shapes(cpus):
        agree(entry, name, placement, cpus, UNTIL_PS)


@pytest.mark.covering("entry", every=2)
@pytest.mark.parametrize("entry", [e for e in ENTRIES if issubclass(e.struct, Lock)], ids=str)
def test_waiting_for_a_lock_is_jumped_over(entry):
    """On a crowded machine the fast engine leaves out idle rounds, or the lock has none."""
    tables = machine.load("xeon-8176-8x28").tables(16, "scatter")
    pair = run_pair(
        kind_of(entry.struct).test_loads(entry.struct, 1_000)[0], tables, seed=1, until_ps=UNTIL_PS
    )
    compare(pair)
    spins_idly = entry.name != "tas"  # which writes the word in every round
    assert spins_idly == (idle_rows(pair) > 0)


def test_the_lock_meters_are_compared():
    """Locks that are taken under contention do leave counts in the meters that are compared."""
    tables = machine.load("itanium2-32").tables(4)
    for entry in ENTRIES:
        if issubclass(entry.struct, Lock):
            pair = run_pair(
                kind_of(entry.struct).test_loads(entry.struct, 1_000)[0],
                tables,
                seed=1,
                until_ps=UNTIL_PS // 8,
            )
            assert isinstance(pair.plain, RunResult)
            assert pair.plain.locks.any()


def test_every_golden_trace_is_stored():
    """A new lock or cache gets its line: see golden_traces.py for the command."""
    assert list(golden_traces.stored()) == list(golden_traces.current())


@every_entry
def test_golden_traces(entry):
    """Physics, locks and random streams are what they were: see golden_traces.py."""
    stored = golden_traces.stored()
    for workload in kind_of(entry.struct).test_loads(entry.struct, golden_traces.THINK_PS):
        name = f"{entry.name} {type(workload).__name__}"
        assert stored[name] == golden_traces.golden(workload)
