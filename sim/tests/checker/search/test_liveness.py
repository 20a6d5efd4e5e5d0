"""Starvation, livelock and bypass: the known answers, and cycles that can be gone round."""

import pytest
from checker import counters, zoo
from checker.classics import Bakery, DekkerFence, PetersonFence, Szymanski
from hypothesis import given, settings
from hypothesis.strategies import integers

from locksim.checker import CheckError, check_lock, replay
from locksim.kinds.checking import endless_clients_of
from locksim.lang import RELAXED, SEQ_CST, Lock, array, fence, pause, thread, word
from locksim.library.locks.clh import CLHLock
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.locks.ttas_backoff import TTASBackoffLock

UNFAIR = [TASLock, TTASLock, TTASBackoffLock, ReaderPreferenceRWLock]
FIFO = [TicketLock, MCSLock, CLHLock]
strong_models = pytest.mark.parametrize("memory", ["sc", "tso"])


class Polite(Lock):
    """Wrong: who sees that the other wants in steps back, and tries again; so does the other."""

    wants = array(2, word())

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        yield fence(SEQ_CST)
        while (yield self.wants[1 - me].load(RELAXED)):
            yield self.wants[me].store(0, RELAXED)
            yield pause()
            yield self.wants[me].store(1, RELAXED)
            yield fence(SEQ_CST)

    def release(self):
        yield self.wants[thread()].store(0, RELAXED)


def confirm(verdict, lock):
    """Go round a cycle on the generators."""
    client = next(c for c in endless_clients_of(lock) if c.name == verdict.client)
    return replay(verdict.counterexample, client, memory=verdict.counterexample.memory)


@pytest.mark.covering("lock", "threads", "memory")
@strong_models
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("lock", UNFAIR)
def test_unfair_lock_may_starve_somebody(lock, threads, memory):
    """Each thread acts again and again, one never gets in, and there is no bound on overtaking."""
    for asked in ("starvation", "bypass"):
        verdict = check_lock(lock, threads=threads, memory=memory, property=asked)
        assert ("violated", asked) == (verdict.verdict, verdict.found)
        assert asked == confirm(verdict, lock)


@strong_models
@pytest.mark.parametrize(("lock", "threads"), [(lock, n) for lock in FIFO for n in (2, 3)])
def test_queue_starves_nobody(lock, threads, memory):
    """Who waits is overtaken by those before it only: once by each."""
    verdict = check_lock(lock, threads=threads, memory=memory, property="starvation")
    assert "proven" == verdict.verdict
    verdict = check_lock(lock, threads=threads, memory=memory, property="bypass")
    assert ("proven", threads - 1) == (verdict.verdict, verdict.bypass)


@pytest.mark.parametrize(
    ("lock", "bypass"), [(PetersonFence, 1), (DekkerFence, None), (Szymanski(), 2)]
)
def test_classics_starve_nobody(lock, bypass):
    """Dekker's waits for its turn, but others may be overtaken without bound."""
    assert "proven" == check_lock(lock, threads=2, property="starvation").verdict
    assert bypass == check_lock(lock, threads=2, property="bypass").bypass


@strong_models
def test_livelock_is_told_from_starvation(memory):
    """Two that give way to each other for ever can still finish, so no deadlock is found."""
    assert "proven" == check_lock(Polite, threads=2, memory=memory).verdict
    verdict = check_lock(Polite, threads=2, memory=memory, property="starvation")
    assert ("violated", "livelock") == (verdict.verdict, verdict.found)
    assert "no thread acquires the lock" in verdict.counterexample.message
    assert "livelock" == confirm(verdict, Polite)


def test_sleepers_may_starve():
    """Who is woken has to compete again."""
    verdict = check_lock(zoo.SleepingLock, threads=2, property="starvation")
    assert ("violated", "starvation") == (verdict.verdict, verdict.found)
    assert "starvation" == confirm(verdict, zoo.SleepingLock)


@strong_models
@pytest.mark.parametrize(
    "lock",
    [
        counters.Ticket(step=2),
        counters.Ticket(start=-3, step=5),
        counters.Ticket(step=-1),
        counters.TicketAtLeast(),
        counters.Array(),
    ],
    ids=repr,
)
def test_numbers_that_grow_for_ever_are_fair(lock, memory):
    """Whatever their steps, and with ``<`` too: each other overtakes once; no word wraps."""
    verdict = check_lock(lock, threads=2, memory=memory, property="starvation")
    assert ("proven", []) == (verdict.verdict, verdict.limits)
    verdict = check_lock(lock, threads=2, memory=memory, property="bypass")
    assert ("proven", 1, []) == (verdict.verdict, verdict.bypass, verdict.limits)


@given(start=integers(-(2**40), 2**40), step=integers(1, 9))
@settings(max_examples=10, deadline=None)
def test_where_a_counter_starts_does_not_matter(start, step):
    """The same bound and, but for the first one, the same states."""
    lock, plain = counters.Ticket(start=start, step=step), counters.Ticket()
    moved, expected = (check_lock(x, threads=2, property="bypass") for x in (lock, plain))
    assert ("proven", expected.bypass) == (moved.verdict, moved.bypass)
    assert 0 <= moved.states - expected.states <= 1


@strong_models
@pytest.mark.parametrize("lock", [counters.TASWithStatistics, counters.TicketSkipping])
def test_starvation_beside_a_counter_is_found(lock, memory):
    """A word that counts for ever does not hide it, and the generators go round it."""
    verdict = check_lock(lock, threads=2, memory=memory, property="starvation")
    assert "violated" == verdict.verdict
    assert verdict.found == confirm(verdict, lock)


def test_how_a_cycle_counts_is_said():
    """The steps repeat, the counter does not."""
    verdict = check_lock(counters.TASWithStatistics, threads=2, property="starvation")
    assert {"lock.failures": 1} == verdict.counterexample.grows
    assert "lock.failures is larger by 1 each time" in verdict.counterexample.message


@strong_models
def test_a_value_that_falls_behind_is_held(memory):
    """A thread may fail for ever to claim a ticket; who has one is overtaken once."""
    verdict = check_lock(counters.TicketByRetries, threads=2, memory=memory, property="starvation")
    assert ("violated", "starvation") == (verdict.verdict, verdict.found)
    assert "starvation" == confirm(verdict, counters.TicketByRetries)
    verdict = check_lock(counters.TicketByRetries, threads=2, memory=memory, property="bypass")
    assert ("proven", 1, []) == (verdict.verdict, verdict.bypass, verdict.limits)


@pytest.mark.parametrize("asked", ["starvation", "bypass"])
@pytest.mark.parametrize(
    ("lock", "word", "why"),
    [
        (Bakery, "lock.number", "a number that the program names"),
        (counters.TASWithLimit, "lock.failures", "compared with a number"),
        (counters.TASWithSquare, "lock.failures", "multiples decide"),
        (counters.TicketByDistance, "in TicketByDistance.acquire", "the value that it keeps"),
        (counters.TicketKeepsRemainder, "lock.next_ticket", "compare their remainders"),
    ],
)
def test_what_cannot_be_moved_is_refused(lock, word, why, asked):
    """No bound and no violation: the word is named, and the reason."""
    verdict = check_lock(lock, threads=2, property=asked)
    assert ("unfinished", None, None) == (verdict.verdict, verdict.counterexample, verdict.bypass)
    assert word in verdict.limits[0]
    assert why in verdict.limits[0]


@pytest.mark.parametrize(
    ("lock", "bypass"),
    [
        (counters.GatedTicket, 1),
        (counters.MarkedTicket, 1),
        (counters.MarkedTooEarly, None),
        (TASLock, None),
    ],
)
def test_where_waiting_begins(lock, bypass):
    """At the mark; else at the first loop that is not an announcement tried again."""
    assert bypass == check_lock(lock, threads=2, property="bypass").bypass


def test_fairness_under_c11_is_refused():
    """C11 does not say when a store must become visible."""
    with pytest.raises(CheckError, match="starvation under c11"):
        check_lock(TASLock, property="starvation", memory="c11")
