"""Flat profiles: of any parts of a trace, beside the reference engine's, and of runs not kept."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim import machine as machines
from locksim.core.result import RunResult
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.lang import Workload, block, compute, cpu, done, n_cpus, part, wake, word
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.token_ring import TokenRing
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.study.reports import calls
from locksim.study.traces.flat_profile import FlatProfile

NS = 1000
UNTIL_PS = 200_000 * NS
LOCK = {"inline": ("TicketLock.release",), "acquires": ("TicketLock.acquire",)}


class TwoCallers(Workload):
    """A lock that two methods take and hold for different times; one counts under it."""

    lock = part(TicketLock, padded=True)

    def thread(self):
        for _ in range(20):
            yield from self.short()
            yield from self.long()
            yield done()

    def short(self):
        yield from self.lock.acquire()
        yield compute(100 * NS)
        yield from self.lock.release()

    def long(self):
        for _ in range(2):
            yield compute(50 * NS)
            yield from self.lock.acquire()
            yield compute(400 * NS)
            yield from self.lock.release()


class Sleepers(Workload):
    """Whoever is woken misses at once, in another method than the one that slept.

    CPU 0 takes two locks in a row, and wakes the others.
    """

    first = part(TicketLock, padded=True)
    second = part(TicketLock, padded=True)
    turn = word(padded=True)

    def thread(self):
        for _ in range(10):
            if cpu():
                yield from self.nap()
                yield self.turn.load()
            else:
                yield from self.first.acquire()
                yield from self.second.acquire()
                yield self.turn.fetch_add(1)
                yield from self.second.release()
                yield from self.first.release()
                yield compute(900 * NS)
                for other in range(1, n_cpus()):
                    yield wake(other)

    def nap(self):
        yield block()


WORKLOADS = {
    "two callers": TwoCallers,
    "sleepers": Sleepers,
    "threads": lambda: TokenRing(tasks=6, rounds=10),
}
"""They end before ``UNTIL_PS``: a wait for a line that is under way at a run's end is in no row."""


@cache
def traced(name: str, n_cpus: int = 4) -> RunResult:
    """A run with its trace kept."""
    tables = machines.load("ideal-8").tables(n_cpus)
    image, memory = prepare(WORKLOADS[name](), tables)
    return fast.run(image, memory, tables, seed=1, until_ps=UNTIL_PS, trace=True)


def profile_of(result: RunResult, cuts: list[int]) -> FlatProfile:
    """The profile of a kept trace, taken in parts."""
    assert result.trace is not None
    assert result.origins is not None
    tables = machines.load("ideal-8").tables(len(result.cpu))
    profile = FlatProfile(result.places, tables, **LOCK)
    for rows, origins in zip(
        np.split(result.trace, cuts), np.split(result.origins, cuts), strict=True
    ):
        profile.add(rows, origins)
    return profile


@given(name=st.sampled_from(sorted(WORKLOADS)), data=st.data())
def test_any_parts_give_one_profile(name: str, data: st.DataObject) -> None:
    """Wherever a trace is cut, also into parts of no rows and of one."""
    result = traced(name)
    assert result.trace is not None
    at = st.integers(0, len(result.trace))
    cuts = data.draw(st.lists(at, max_size=8).map(sorted))
    whole, parts = profile_of(result, []), profile_of(result, cuts)
    assert whole.time_ps(result.end_ps) == parts.time_ps(result.end_ps)
    assert whole.acquisitions == parts.acquisitions
    assert whole.acquisitions


@pytest.mark.parametrize("room", [1, 7, 500])
def test_a_trace_that_is_read_is_not_kept(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the room for rows, the profile is that of the kept trace; nothing stays behind."""
    result = traced("two callers")
    tables = machines.load("ideal-8").tables(4)
    image, memory = prepare(TwoCallers(), tables)
    assert result.trace is not None
    monkeypatch.setattr(fast, "TRACE_ROWS", len(image.code) + 16 + room)
    profile = FlatProfile(image.places, tables, **LOCK)
    parts = []

    def read(rows, origins):  # type: ignore[no-untyped-def]
        parts.append(len(rows))
        profile.add(rows, origins)

    session = fast.Session(image, memory, tables, seed=1, trace=read)
    session.advance(UNTIL_PS)
    assert ([], None, None) == (session.rows, session.result().trace, session.result().origins)
    assert len(result.trace) == sum(parts)
    assert fast.TRACE_ROWS >= max(parts)
    assert len(parts) > 3
    kept = profile_of(result, [])
    assert kept.time_ps(result.end_ps) == profile.time_ps(result.end_ps)
    assert kept.acquisitions == profile.acquisitions


def test_a_run_longer_than_the_room_for_rows() -> None:
    """Several times as many rows as a part holds: all time is there, each CPU's to its end."""
    tables = machines.load("ideal-8").tables(4)
    image, memory = prepare(TokenRing(tasks=6), tables)
    profile = FlatProfile(image.places, tables)
    seen = []

    def read(rows, origins):  # type: ignore[no-untyped-def]
        seen.append(len(rows))
        profile.add(rows, origins)

    until_ps = 40 * UNTIL_PS
    fast.run(image, memory, tables, seed=1, until_ps=until_ps, trace=read)
    assert 3 * fast.TRACE_ROWS < sum(seen)
    assert 4 * until_ps == pytest.approx(sum(profile.time_ps(until_ps).values()), rel=1e-4)


@pytest.mark.parametrize("name", sorted(WORKLOADS))
def test_times_are_those_of_the_reference_engine(name: str) -> None:
    """Every method to the picosecond, from the issue of its operations to that of the next ones."""
    result = traced(name)
    assert result.trace is not None
    assert result.origins is not None
    profile = FlatProfile(result.places, machines.load("ideal-8").tables(4))
    profile.add(result.trace, result.origins)
    exact = calls.profile_calls(
        WORKLOADS[name](), machine="ideal-8", cpus=4, window_ps=result.end_ps
    )
    assert own_times(exact) == profile.time_ps(result.end_ps)


@pytest.mark.covering("kernel", every=2)
@pytest.mark.parametrize("kernel", franke_2001.KERNELS)
def test_times_of_a_kernel_are_those_of_the_reference_engine(kernel: str) -> None:
    """A whole Chatroom, read as it goes by; what an L2 hit adds to a load is in no trace."""
    costs = franke_2001.Costs()
    workload = franke_2001.workload(kernel, 1, costs, messages=1, users=3)
    machine = franke_2001.machine_of(machines.load(franke_2001.MACHINE), costs).without_caches()
    tables = machine.tables(4)
    image, memory = prepare(workload, tables)
    profile = FlatProfile(image.places, tables)
    run = fast.run(image, memory, tables, seed=1, until_ps=10**12, trace=profile.add)
    exact = calls.profile_calls(workload, machine=machine, cpus=4, window_ps=run.end_ps)
    assert own_times(exact) == profile.time_ps(run.end_ps)


def own_times(profile: calls.CallProfile) -> dict[str, int]:
    """Time by method, sleep in the method that blocks; CPUs that have returned are left out."""
    found: dict[str, int] = {}
    for path, node in profile.nodes.items():
        inner = [method for method in path if method != calls.IDLE]
        if inner and node.self_ps:
            found[inner[-1]] = found.get(inner[-1], 0) + node.self_ps
    return found


def test_a_lock_is_its_callers() -> None:
    """Its waits and its own code, to the picosecond, and its acquisitions as lockmeter has them."""
    result = traced("two callers")
    profile = profile_of(result, [])
    exact = calls.profile_calls(TwoCallers(), machine="ideal-8", cpus=4, window_ps=result.end_ps)
    callers = ("TwoCallers.long", "TwoCallers.short")
    assert {
        caller: sum(node.self_ps for path, node in exact.nodes.items() if caller in path)
        for caller in callers
    } == profile.time_ps(result.end_ps)
    rows = {row.caller: row.total for row in exact.locks.rows if row.caller}
    assert rows == profile.acquisitions
    assert {"TwoCallers.long": 160, "TwoCallers.short": 80} == rows


def test_locks_taken_in_a_row_are_two() -> None:
    """Nothing stands between the acquisitions, so one operation goes on with both."""
    assert {"Sleepers.thread": 20} == profile_of(traced("sleepers"), []).acquisitions


def test_a_cut_acquisition_is_the_locks() -> None:
    """Nobody has gone on with the lock yet: what was waited for it is its own."""
    tables = machines.load("ideal-8").tables(4)
    image, memory = prepare(TwoCallers(), tables)
    profile = FlatProfile(image.places, tables, **LOCK)
    end_ps = 500 * NS
    fast.run(image, memory, tables, seed=1, until_ps=end_ps, trace=profile.add)
    times = profile.time_ps(end_ps)
    assert times["TicketLock.acquire"] > end_ps
    assert sum(times.values()) <= 4 * end_ps
