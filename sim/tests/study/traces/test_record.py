"""Recording: as many rows as asked for, and nothing but what a run does."""

import numpy as np
import pytest
from study.traces.traced import traced
from tiny_machine import tables

from locksim.lang import Lock, Workload, compute, done, part, word
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.traces import TraceError, record

LOAD = CriticalSection(lock=TicketLock, think_ps=100_000)


@pytest.mark.parametrize("rows", [1, 100, 5_000])
def test_no_more_rows_than_asked_for(rows):
    """The trace ends before the moment of the row that would be too many."""
    trace = record(LOAD, machine="ideal-4", rows=rows)
    assert rows - 20 <= len(trace.rows) <= rows
    assert (trace.rows[:, 0] < trace.result.end_ps).all()


def test_same_seed_same_trace():
    """And another seed another one."""
    one, again, other = (record(LOAD, machine="ideal-4", rows=500, seed=s) for s in (1, 1, 2))
    assert np.array_equal(one.rows, again.rows)
    assert not np.array_equal(one.rows[:400], other.rows[:400])


def test_until_a_time():
    """The end can be named instead."""
    trace = record(LOAD, machine="ideal-4", until_ps=777_000)
    assert 777_000 == trace.result.end_ps


def test_program_that_ends_is_recorded_whole():
    """A run that is over before there are enough rows is all there is."""

    class Once(Workload):
        value = word()

        def thread(self):
            yield self.value.fetch_add(1)
            yield compute(10)
            yield done()

    trace = record(Once(), machine="ideal-2")
    assert 2 == trace.result.finished
    assert 2 == trace.result.cpu[:, 0].sum()


@pytest.mark.parametrize("rows", [0, -1, 10**7])
def test_absurd_numbers_are_refused(rows):
    """With the numbers that are possible."""
    with pytest.raises(TraceError, match="between 1 and 1,000,000"):
        record(LOAD, rows=rows)


def test_names_of_lines():
    """A line is called after its words; what they have in common is written once."""
    trace = traced(LOAD, tables(2))
    names = {trace.line(t.line) for t in trace.transfers}
    assert {"lock.{next_ticket, now_serving}", "data[0] … data[7]"} == names


def test_freed_objects_keep_their_names():
    """A node that lies in a free list at the end of the trace is still called by its class."""
    from checker.zoo import HeapMCS

    assert issubclass(HeapMCS, Lock)

    class Two(Workload):
        lock = part(HeapMCS)

        def thread(self):
            yield from self.lock.acquire()
            yield compute(10)
            yield from self.lock.release()

    trace = record(Two(), machine="ideal-2")
    words = {trace.word(a) for a in trace.rows[trace.rows[:, 2] == 1][:, 3].tolist()}
    assert any(name.startswith("HeapNode@") for name in words), words
