"""Time by method and caller: it adds up to the picosecond, and equals what the engines count."""

import pytest
from arrays import reference_run

from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.prepared import prepare
from locksim.lang import (
    RELEASE,
    SEQ_CST,
    Lock,
    Workload,
    block,
    compute,
    cpu,
    done,
    part,
    wake,
    word,
)
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.rcutest import RcuTest
from locksim.library.workloads.readers_writers import ReadersWriters
from locksim.library.workloads.token_ring import TokenRing
from locksim.study.reports import awr, calls, detect, kernprof, lockmeter
from locksim.study.reports.identities import check

NS = 1000


class Nap(Lock):
    """Two CPUs; who finds the lock taken sleeps."""

    taken = word()

    def acquire(self):
        while (yield self.taken.swap(1, SEQ_CST)):
            yield block()

    def release(self):
        yield self.taken.store(0, RELEASE)
        yield wake(1 - cpu())


class TwoPaths(Workload):
    """A lock taken by two methods, which hold it for different times."""

    lock = part(TicketLock, padded=True)

    def thread(self):
        while True:
            yield from self.short()
            yield from self.long()
            yield compute(700 * NS)
            yield done()

    def short(self):
        yield from self.lock.acquire()
        yield compute(100 * NS)
        yield from self.lock.release()

    def long(self):
        for _ in range(2):
            yield from self.lock.acquire()
            yield compute(400 * NS)
            yield from self.lock.release()


class Napping(TwoPaths):
    """The same on a lock whose waiters sleep."""

    lock = part(Nap, padded=True)


def profile(workload: Workload, cpus: int = 4, warmup_ps: int = 0) -> calls.CallProfile:
    """Fifty microseconds of a workload."""
    return calls.profile_calls(
        workload, machine="ideal-8", cpus=cpus, window_ps=50_000 * NS, warmup_ps=warmup_ps
    )


@pytest.mark.covering("workload", "warmup_ps")
@pytest.mark.parametrize("warmup_ps", [0, 12_345_678])
@pytest.mark.parametrize(
    ("workload", "cpus"),
    [(TwoPaths(), 4), (Napping(), 2), (RcuTest(cache=AvcSpinlock()), 8), (ReadersWriters(), 3)],
)
def test_all_time_is_somewhere(workload: Workload, cpus: int, warmup_ps: int) -> None:
    """Methods and idle time are the window times the CPUs, and the parts are all of it."""
    found = profile(workload, cpus, warmup_ps)
    assert found.window_ps * cpus == found.total_ps
    parts = ("user", "system", "lock", "idle")
    assert found.total_ps == sum(found.part_ps(part) for part in parts)  # type: ignore[arg-type]


def test_callers_have_their_calls_and_times() -> None:
    """long() takes the lock twice as often as short() and holds it four times as long."""
    locks = profile(TwoPaths()).locks
    whole, long, short = locks.rows
    assert ["", "TwoPaths.long", "TwoPaths.short"] == [r.caller for r in (whole, long, short)]
    assert whole.total == (long.total or 0) + (short.total or 0)
    assert 2.0 == pytest.approx((long.total or 0) / (short.total or 1), rel=0.1)
    assert 4.0 == pytest.approx((long.hold_ns or 0) / (short.hold_ns or 1), rel=0.1)


def test_the_table_by_caller_agrees_with_itself() -> None:
    """Every equation, the sum over callers included, exact and as printed."""
    for workload in (TwoPaths(), ReadersWriters(read_percent=60)):
        table = profile(workload, warmup_ps=7_000_000).locks
        assert [] == check(table).breaches
        assert check(table).held["callers"] == len(table.locks)
        (printed,) = detect.parse(lockmeter.text(table))
        assert [] == check(printed).breaches


def test_calls_and_arcs() -> None:
    """A method's calls are its callers' sum; children are what it called."""
    of = {one.name: one for one in kernprof.functions(profile(TwoPaths()))}
    acquire = of["TicketLock.acquire"]
    assert acquire.calls == sum(arc[2] for arc in acquire.callers.values())
    assert {"TwoPaths.long", "TwoPaths.short"} == set(acquire.callers)
    root = of["TwoPaths.thread"]
    assert profile(TwoPaths()).total_ps == root.total_ps
    assert sum(sum(arc[:2]) for arc in root.callees.values()) == root.children_ps


def test_sleeping_is_idle_and_belongs_to_who_sleeps() -> None:
    """The blocks are the calls of idle, and its time is no time in the lock."""
    found = profile(Napping(), cpus=2)
    (idle,) = [one for one in kernprof.functions(found) if one.name == calls.IDLE]
    assert {"Nap.acquire"} == set(idle.callers)
    assert found.part_ps("idle") == idle.self_ps > 0


def test_a_thread_that_is_put_aside_is_not_called_again() -> None:
    """More threads than CPUs: all time is somewhere, and a task's program is begun once at most."""
    found = profile(TokenRing(tasks=6), cpus=2)
    assert found.window_ps * 2 == found.total_ps
    of = {one.name: one for one in kernprof.functions(found)}
    assert 1 <= of["TokenRing.task"].calls <= 6


def test_a_profile_changes_nothing() -> None:
    """The meters of the profiled run are those of the engine itself."""
    from locksim import machine

    tables = machine.load("ideal-8").tables(4)
    _, memory = prepare(TwoPaths(), tables)
    plain = reference_run(memory, tables, seed=1, until_ps=50_000 * NS)
    (whole,) = profile(TwoPaths()).locks.locks
    assert plain.locks[0, 0] == whole.total
    assert plain.cpu[:, CPU_COUNTERS.index("done")].sum() > 0


def test_texts_have_the_layout_of_their_sources() -> None:
    """Kernprof's columns with microseconds called so, its call graph's rules, AWR's shares."""
    found = profile(TwoPaths())
    head, units, first = kernprof.flat(found).splitlines()[:3]
    assert ["%", "cumulative", "self", "self", "total"] == head.split()
    assert ["time", "usecs", "usecs", "calls", "us/call", "us/call", "name"] == units.split()
    assert len(first.split()) in (4, 7)
    shares_ = [float(line[:6]) for line in kernprof.flat(found).splitlines()[2:]]
    assert shares_ == sorted(shares_, reverse=True)
    assert 100.0 == pytest.approx(sum(shares_), abs=0.05)
    graph = kernprof.call_graph(found)
    assert len(kernprof.functions(found)) == graph.count("-" * 47)
    assert "[1]    100.0" in graph
    share = awr.shares(found)
    assert 1.0 == pytest.approx(share.user + share.system + share.idle)
    assert 0 < share.spinlock <= share.system
    assert 2 == len(awr.text(share).splitlines())
