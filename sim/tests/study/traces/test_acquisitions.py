"""Acquisitions: what the lock meters count, as single passages with a beginning and an end."""

import pytest
from study.traces.traced import ENGINES, read_mostly, traced
from tiny_machine import tables

from locksim.engine.counters import LOCK_COUNTERS
from locksim.kinds import kind_of
from locksim.lang import Lock, RWLock
from locksim.library import registry
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.traces.acquisitions import ACQUIRE, HOLD, NOTHING, RELEASE

LOCKS = [e for e in registry.entries() if issubclass(e.struct, Lock | RWLock)]


@pytest.mark.covering("entry", "engine", every=8)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("entry", LOCKS, ids=lambda entry: entry.name)
def test_sums_are_those_of_the_lock_meters(entry, engine):
    """Successes, failures and hold times, of writers and readers."""
    for workload in kind_of(entry.struct).test_loads(entry.struct, 2_000):
        trace = traced(workload, tables(4), engine=engine, until_ps=50_000)
        found = trace.attribution.acquisitions
        for lock, row in enumerate(trace.result.locks.tolist()):
            meter = dict(zip(LOCK_COUNTERS, row, strict=True))
            mine = [a for a in found if a.lock == lock]
            for mode, prefix in (("write", ""), ("read", "read_")):
                taken = [a for a in mine if a.mode == mode and a.acquired_ps != NOTHING]
                hold = sum(a.released_ps - a.acquired_ps for a in taken if a.complete)
                assert meter[f"{prefix}total"] == len(taken)
                assert meter[f"{prefix}hold_ps"] == hold
            assert meter["rejected"] == sum(a.failed for a in mine)


def test_times_are_in_order():
    """Start, success, release and the release's last operation follow one another."""
    trace = read_mostly(ReaderPreferenceRWLock)
    complete = [a for a in trace.attribution.acquisitions if a.complete]
    assert {"read", "write"} == {a.mode for a in complete}
    for a in complete:
        assert a.start_ps <= a.acquired_ps <= a.released_ps <= a.end_ps


def test_every_row_belongs_to_the_phase_that_it_is_in():
    """Rows of the lock's own source lie in acquire or release, never in hold."""
    workload = CriticalSection(lock=TicketLock, think_ps=500, words=1)
    trace = traced(workload, tables(4))
    found = trace.attribution
    seen = set()
    for k, (place, _, _) in enumerate(trace.origins.tolist()):
        if place == NOTHING or trace.rows[k, 1] & 1:
            continue
        method = trace.place(place).method
        phase = found.phase_of_row[k]
        seen.add((method, phase))
    assert ("TicketLock.acquire", ACQUIRE) in seen
    assert ("TicketLock.release", RELEASE) in seen
    assert not {("TicketLock.acquire", HOLD), ("TicketLock.release", HOLD)} & seen
    assert ("CriticalSection.section", HOLD) in seen
    assert {NOTHING} == {p for method, p in seen if method == "CriticalSection.next_request"}
