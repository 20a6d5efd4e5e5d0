"""A waiter that sleeps is contended, in both engines: the meter counts blocks as it does pauses."""

from engine.engine_pair import compare, run_pair

from locksim import machine
from locksim.core.result import RunResult
from locksim.engine.counters import LOCK_COUNTERS
from locksim.lang import RELEASE, SEQ_CST, Lock, block, cpu, wake, word
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.simulation import simulate


class SleepingLock(Lock):
    """Two CPUs: who finds the lock taken sleeps until the other one lets go. It never spins."""

    taken = word()

    def acquire(self):
        while (yield self.taken.swap(1, SEQ_CST)):
            yield block()

    def release(self):
        yield self.taken.store(0, RELEASE)
        yield wake(1 - cpu())


WORKLOAD = CriticalSection(lock=SleepingLock, hold_ps=500_000, think_ps=300_000)


def test_who_sleeps_is_contended() -> None:
    """Waits without a single pause are waits: counted, and not longer than the window."""
    (row,) = simulate(WORKLOAD, machine="ideal-2", replications=2).by_lock().to_dict("records")
    assert 0.2 < row["con"] < 1
    assert row["wait_ns"] > 100
    assert row["con_ww"] <= row["con"]


def test_both_engines_count_sleepers_alike() -> None:
    """Trace, counters and meters; and there is something in the meter to compare."""
    tables = machine.load("ideal-2").tables(2)
    pair = run_pair(WORKLOAD, tables, seed=1, until_ps=20_000_000)
    compare(pair)
    assert isinstance(pair.plain, RunResult)
    assert pair.plain.locks[0, LOCK_COUNTERS.index("contended")] > 0
