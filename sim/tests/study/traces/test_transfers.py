"""Playing a trace back: the protocol's account of every transfer is the engine's."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_machines import contended, machines
from study.traces.traced import ENGINES, traced
from tiny_machine import run, tables

from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.trace import DRAINED
from locksim.kinds import kind_of
from locksim.lang import RELAXED, RELEASE, compute
from locksim.lang.ops import Kind
from locksim.library import registry
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.traces import TraceError
from locksim.study.traces.trace import Trace

FIRST = CPU_COUNTERS.index("upgrades")
COLUMNS = CPU_COUNTERS[FIRST:]


def booked(trace):
    """The ledger's sums as the engine's array of counters."""
    return [[cpu[name] for name in COLUMNS] for cpu in trace.ledger().counters()]


@pytest.mark.covering("entry", "engine", every=6)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("entry", registry.entries(), ids=lambda entry: entry.name)
def test_sums_are_the_counters_of_the_run(entry, engine):
    """Transfers by class, losses and times are those that the engine counted."""
    machine = tables(4, jitter_ps=30, tenure_ps=10, bus_kind=1, clean_nearest=1)
    for workload in kind_of(entry.struct).test_loads(entry.struct, 2_000):
        trace = traced(workload, machine, engine=engine, until_ps=30_000)
        assert trace.result.cpu[:, FIRST:].tolist() == booked(trace)
        assert trace.result.lines.sum() == sum(t.kind != "none" for t in trace.transfers)


@settings(max_examples=10)
@given(machine=machines(), seed=st.integers(0, 2**32))
def test_sums_are_the_counters_on_any_machine(machine, seed):
    """Whatever the costs and the topology, with everything falling on the same picoseconds."""
    workload = CriticalSection(lock=TicketLock, words=2, think_ps=50)
    trace = traced(workload, machine, seed=seed, until_ps=20_000)
    assert trace.result.cpu[:, FIRST:].tolist() == booked(trace)


@settings(max_examples=10)
@given(machine=contended(), seed=st.integers(0, 2**32))
def test_sums_are_the_counters_under_load(machine, seed):
    """Also with arbitration, links, hold times by class, siblings and far atomics."""
    workload = CriticalSection(lock=TicketLock, words=2, think_ps=50)
    trace = traced(workload, machine, engine="reference", seed=seed, until_ps=1_500)
    assert trace.result.cpu[:, FIRST:].tolist() == booked(trace)


def test_supplier_losers_and_kinds():
    """CPU 0 writes a word, CPU 1 reads it from there, and both take it from each other."""

    def writer(self):
        yield self.a.swap(1)
        yield compute(2_000)
        yield self.a.swap(2)

    def reader(self):
        yield compute(1_000)
        yield self.a.load(RELAXED)
        yield compute(2_000)
        yield self.a.swap(3)

    trace = of_board(run(writer, reader))
    told = [(t.cpu, t.kind, t.supplier, t.losers, t.sharers) for t in trace.transfers]
    expected = [
        (0, "write", None, (), (0,)),
        (1, "read", 0, (), (0, 1)),
        (0, "upgrade", None, (1,), (0,)),
        (1, "write", 0, (0,), (1,)),
    ]
    assert expected == told


def test_buffered_store_is_booked_where_it_was_issued():
    """Two stores to different lines: each transfer knows the row of its store."""

    def program(self):
        yield self.a.store(1, RELEASE)
        yield self.b.store(2, RELEASE)

    trace = of_board(run(program))
    rows = trace.rows
    found = [t for t in trace.transfers if t.buffered]
    assert 2 == len(found)
    for transfer in found:
        assert Kind.STORE == rows[transfer.issued, 2]
        assert DRAINED == rows[transfer.effect, 2]
        assert rows[transfer.issued, 3] == rows[transfer.effect, 3]


def test_queueing_is_from_the_request_on():
    """Of several CPUs that ask at once the later ones queue, each longer than the one before."""

    def program(self):
        yield self.a.fetch_add(1)

    trace = of_board(run(program, program, program))
    assert [0, 0, 0] == [t.asked_ps for t in trace.transfers]
    waits = [t.queue_ps for t in trace.transfers]
    assert 0 == waits[0] < waits[1] < waits[2]


def test_another_seed_or_machine_is_refused():
    """A trace that does not fit is an error, not a wrong picture."""
    workload = CriticalSection(lock=TicketLock, think_ps=500)
    jitters = tables(4, jitter_ps=30)
    trace = traced(workload, jitters)
    for wrong in ({"seed": 2}, {"tables": tables(4)}):
        with pytest.raises(TraceError, match="another machine, or with another seed"):
            _ = dataclasses.replace(trace, **wrong).transfers


def test_untraced_run_is_refused():
    """The message says how to mend it."""
    workload = CriticalSection(lock=TicketLock, think_ps=500)
    trace = traced(workload, tables(2))
    result = dataclasses.replace(trace.result, trace=None, origins=None)
    with pytest.raises(TraceError, match="trace=True"):
        dataclasses.replace(trace, result=result)


def of_board(result):
    """The trace of a run of bare programs on the tiny machine."""
    from tiny_machine import board

    return Trace(result, board(), tables(4), 1)


def test_line_that_no_cpu_owns_has_no_supplier():
    """Memory supplies what is in nobody's cache, and the counter says so."""

    def program(self):
        yield self.a.load(RELAXED)

    trace = of_board(run(program))
    (transfer,) = trace.transfers
    assert (None, "memory", "read") == (transfer.supplier, transfer.counter, transfer.kind)
    assert np.int64(transfer.ready_ps) == trace.rows[transfer.effect, 0]
