"""Random schedules: broken locks are found, failures are small and replay, seeds repeat."""

import pytest
from checker import zoo, zoo_weak

from locksim.checker import CheckError, Sampling, check_lock, replay, sample_lock
from locksim.kinds.checking import clients_of
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock

FOUND = [
    (zoo.TASTestThenSet, "sc", 8),
    (zoo.TicketSkipsOne, "sc", 8),
    (zoo.MCSLockedTooLate, "tso", 6),
    (zoo.MCSNoWaitForLink, "tso", 5),
    (zoo.RWWriterClearsAll, "sc", 6),
    (zoo_weak.MCSSpinNoAcquire, "c11", 6),
    (zoo_weak.CLHTailNoRelease, "c11", 5),
]


def confirm(verdict, lock):
    """Replay what was found."""
    client = next(c for c in clients_of(lock, verdict.threads, 1) if c.name == verdict.client)
    return replay(verdict.counterexample, client, memory=verdict.memory)


@pytest.mark.parametrize("depth", [0, 3])
@pytest.mark.parametrize(("lock", "memory", "threads"), FOUND)
def test_broken_lock_is_found_with_many_threads(lock, memory, threads, depth):
    """Too many to explore; what is left of the failure holds on the generators."""
    verdict = sample_lock(lock, Sampling(3000, depth), threads=threads, memory=memory)
    assert "violated" == verdict.verdict
    assert verdict.found == confirm(verdict, lock)


@pytest.mark.covering("memory", "lock")
@pytest.mark.parametrize("lock", [TicketLock, MCSLock])
@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_right_lock_is_not_accused_nor_proven(lock, memory):
    """However many schedules there were, they are no proof."""
    for depth in (0, 3):
        verdict = sample_lock(lock, Sampling(300, depth, seed=7), threads=8, memory=memory)
        assert ("unfinished", None) == (verdict.verdict, verdict.counterexample)
        assert "no proof" in verdict.limits[0]
        assert "seeds from 7" in verdict.limits[0]


def test_failure_is_shrunk():
    """Of a long schedule of eight threads only what matters is left."""
    shortest = len(check_lock(zoo.TASTestThenSet, threads=2).counterexample.steps)
    verdict = sample_lock(zoo.TASTestThenSet, Sampling(100), threads=8, rounds=3)
    assert shortest == len(verdict.counterexample.steps)


def test_seed_repeats_the_schedule():
    """The seed that failed fails at once when it comes first."""
    first = sample_lock(zoo.MCSLockedTooLate, Sampling(2000), threads=3)
    seed = int(first.limits[0].partition("seed ")[2].partition(")")[0])
    again = sample_lock(zoo.MCSLockedTooLate, Sampling(1, seed=seed), threads=3)
    assert first.counterexample == again.counterexample


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "schedules must be between"),
        ((1, -1), "depth must be between"),
        ((1, 0, -1), "seed must be between"),
    ],
)
def test_sampling_that_makes_no_sense_is_refused(arguments, message):
    """One message that says what is wrong."""
    with pytest.raises(CheckError, match=message):
        Sampling(*arguments)


def test_liveness_is_not_sampled():
    """A schedule that ends says nothing about one that does not."""
    with pytest.raises(CheckError, match="random schedules cannot check the property 'starvation'"):
        sample_lock(TicketLock, Sampling(1), property="starvation")
