"""A class of locks: who takes which, how holds vary, and what readers do."""

import numpy as np
import pytest

from locksim import simulate
from locksim.lang.ops import Kind
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rcu_qsbr import QSBR
from locksim.library.workloads.lock_class import (
    Exclusive,
    LockClass,
    RcuClass,
    Sequenced,
    Shared,
    Unlocked,
)

MEAN = 1_000
US = 1_000_000


def totals(load: LockClass, cpus: int = 4) -> list[int]:
    """Acquisitions of each lock."""
    found = simulate(load, machine="ideal-8", cpus=cpus, operations=1_000, replications=1)
    own = [i for i, name in enumerate(found.lock_names) if name.endswith("].lock")]
    return found.replications[0].locks[own, 0].tolist()


@pytest.mark.parametrize("variation", [0, 40, 100, 180])
def test_holds_have_their_mean_and_variation(interleave, variation):
    """Whatever the coefficient of variation; one CPU alone, so that nothing else is computed."""
    load = LockClass(hold_ps=MEAN, think_ps=0, spread_percent=variation)
    run = interleave(load, 1, 3, steps=30_000, finite=False)
    drawn = np.array([op.a for _, op in run.performed if op.kind == Kind.COMPUTE][1:])
    assert pytest.approx(drawn.mean(), rel=0.08) == MEAN
    assert pytest.approx(drawn.std() / drawn.mean(), abs=0.1) == variation / 100


def test_a_part_of_a_lock_is_taken_as_often():
    """Of 2.5 locks the third is taken half as often as each of the others."""
    first, second, third = totals(LockClass(locks_milli=2_500, locks=3, think_ps=US))
    assert pytest.approx(first, rel=0.1) == second
    assert pytest.approx(first / 2, rel=0.1) == third


def test_a_lock_of_its_own_is_never_waited_for():
    """Each CPU takes its own, or one lock is shared by its neighbours."""
    own = LockClass(locks_milli=4_000, locks=4, random_percent=0, think_ps=US, hold_ps=US)
    found = simulate(own, machine="ideal-8", cpus=4, operations=200, replications=1)
    assert [0.0] * 4 == found.by_lock()["con"].tolist()
    assert 4 == len(totals(own, cpus=8))


def test_a_part_of_its_own_lock_is_taken_at_random():
    """Two CPUs with a lock each, of three parts: each part of either is taken as often."""
    load = LockClass(locks_milli=2_000, parts=3, locks=6, random_percent=0, think_ps=US)
    found = np.array(totals(load, cpus=2))
    assert found == pytest.approx(found.mean(), rel=0.15)


def test_a_batch_counts_its_sections():
    """Ten units of work for each acquisition."""
    load = LockClass(batch=10, think_ps=US, hold_ps=MEAN)
    found = simulate(load, machine="ideal-8", cpus=2, operations=1_000, replications=1)
    (run,) = found.replications
    assert pytest.approx(10, rel=0.05) == sum(found.done()) / run.locks[0, 0]


@pytest.mark.parametrize(
    ("instances", "waits"),
    [(Exclusive, True), (Exclusive(lock=MCSLock), True), (Shared, False), (Unlocked, False)],
)
def test_readers_wait_only_for_what_they_take(instances, waits):
    """All sections read: under an exclusive lock they wait for one another, else they do not."""
    load = LockClass(
        instances=instances, read_milli=1_000, read_hold_ps=US, think_ps=US, hold_ps=US
    )
    found = simulate(load, machine="ideal-8", cpus=8, operations=200, replications=1)
    pace = found.operation_ps().mean / US
    assert (pace > 6) == waits
    assert (pace < 3) != waits


def test_optimistic_readers_and_rcu_run_beside_writers():
    """Both do their share of reading sections, and each section is one unit of work."""
    for load in (
        LockClass(instances=Sequenced, read_milli=900, read_hold_ps=MEAN, think_ps=US),
        RcuClass(rcu=QSBR, read_milli=900, read_hold_ps=MEAN, hold_ps=MEAN, think_ps=US),
    ):
        found = simulate(load, machine="ideal-8", cpus=4, operations=500, replications=1)
        (writers,) = [
            run.locks[i, 0]
            for run in found.replications
            for i, name in enumerate(found.lock_names)
            if name == "instances[0].lock"
        ]
        assert pytest.approx(0.1, rel=0.2) == writers / sum(found.done())
