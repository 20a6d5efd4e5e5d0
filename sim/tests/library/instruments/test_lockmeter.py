"""Lockmeter inside a simulated kernel: what it counts, and what it adds to what it measures."""

import pytest
from engine.engine_pair import compare, run_pair

from locksim.core.result import RunResult
from locksim.engine.counters import LOCK_COUNTERS
from locksim.lang import NS, RELAXED, US, Workload, compute, done, param, part, word
from locksim.library.instruments.lockmeter import Lockmeter, MeteredLock
from locksim.machine import load

TABLES = 4
"""The first word of a workload on lines of 32 bytes."""
ROW = 3
HOLD_PS = 200 * NS


class Sections(Workload):
    """Threads that pass one critical section again and again."""

    rounds = param(10)
    think_ps = param(0)
    lockmeter = part(Lockmeter, padded=True)
    lock = part(MeteredLock(tables=TABLES, caller=ROW), padded=True)
    count = word(padded=True)

    def thread(self):
        for _ in range(self.rounds):
            yield from self.lock.acquire()
            count = yield self.count.load(RELAXED)
            yield compute(HOLD_PS)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()
            yield compute(self.think_ps)
            yield done()


def measured(cpus, **settings):
    """Lockmeter's row, the engine's own meter, and the count under the lock."""
    pair = run_pair(
        Sections(**settings), load("pentium3-8way").tables(cpus), seed=1, until_ps=10**9
    )
    compare(pair)
    result = pair.plain
    assert isinstance(result, RunResult)
    rows = [pair.memory.root.lockmeter.counts[i].rows[ROW] for i in range(cpus)]
    names = ("no_wait", "spin", "hold", "wait", "longest_hold", "longest_wait")
    table = {n: [int(result.memory[int(getattr(row, n))]) for row in rows] for n in names}
    meter = dict(zip(LOCK_COUNTERS, result.locks[0].tolist(), strict=True))
    return table, meter, int(result.memory[int(pair.memory.root.count)])


@pytest.mark.parametrize("cpus", [1, 3])
def test_every_acquisition_is_counted_once(cpus: int) -> None:
    """In no_wait or in spin, on the CPU that made it; both engines agree on all of it."""
    table, meter, count = measured(cpus)
    assert 10 * cpus == count == meter["total"]
    assert [10] * cpus == [a + b for a, b in zip(table["no_wait"], table["spin"], strict=True)]
    assert (sum(table["spin"]) > 0) == (cpus > 1)
    assert 0 == meter["violations"]


def test_a_hold_includes_a_reading_of_the_clock() -> None:
    """Alone, the hold is the section's time, one rdtsc and some thirty instructions."""
    table, _, _ = measured(1)
    shortest = HOLD_PS + MeteredLock()._params["clock_ps"]
    assert shortest < table["hold"][0] / 10 < shortest + 60 * NS
    assert table["hold"][0] / 10 <= table["longest_hold"][0] <= table["hold"][0]


def test_others_wait_longer_than_lockmeter_says_the_lock_is_held() -> None:
    """The look-up comes before the clock that begins a hold, and the waiters wait for it."""
    table, meter, _ = measured(2, rounds=20)
    acquired = sum(table["no_wait"]) + sum(table["spin"])
    alone, _, _ = measured(1, rounds=20)
    longest = max(table["longest_wait"])
    assert max(table["wait"]) >= longest > alone["hold"][0] / 20
    assert meter["contended"] == sum(table["spin"]) < acquired


def test_no_wait_without_company() -> None:
    """Threads that never meet leave the column empty."""
    table, _, _ = measured(1, think_ps=1 * US)
    assert [0] == table["wait"] == table["spin"]
