"""Any number of rounds: the same verdicts, in finitely many states, or the reason why not."""

import pytest
from checker import counters, nested, zoo

from locksim.checker import CheckError, Sampling, check_lock, replay, sample_lock
from locksim.checker.verdict import UNBOUNDED
from locksim.kinds.checking import clients_of, walk_of_lock
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rcu import RCU
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock

RIGHT = [
    counters.Ticket(step=2),
    counters.TicketAtLeast,
    counters.TicketModulo,
    counters.TicketRemainder(room=3),
    counters.Array,
    counters.TASWithStatistics,
    nested.Recursive,
    MCSLock,
    ReaderPreferenceRWLock,
    TASLock,
    TicketLock,
    counters.TicketByRetries,
]
WRONG = [zoo.TicketSkipsOne, zoo.TASTestThenSet, zoo.MCSLockedTooLate, counters.TicketSkipping]
WRONG += [counters.TicketRemainder(room=1), counters.TicketModuloAtLeast(mask=3)]
WRONG += [counters.TicketImpatient]
strong_models = pytest.mark.parametrize("memory", ["sc", "tso"])


@strong_models
@pytest.mark.parametrize("lock", RIGHT, ids=repr)
def test_a_right_lock_is_proven_for_ever(lock, memory):
    """With and without reduction."""
    for reduction in (True, False):
        verdict = check_lock(lock, threads=2, rounds=UNBOUNDED, memory=memory, reduction=reduction)
        assert ("proven", []) == (verdict.verdict, verdict.limits)


@strong_models
@pytest.mark.parametrize("lock", WRONG, ids=repr)
def test_a_wrong_lock_is_found(lock, memory):
    """The generators confirm it."""
    verdict = check_lock(lock, threads=2, rounds=UNBOUNDED, memory=memory)
    assert "violated" == verdict.verdict
    client = next(c for c in clients_of(lock, 2, UNBOUNDED) if c.name == verdict.client)
    assert verdict.found == replay(
        verdict.counterexample, client, memory=verdict.counterexample.memory
    )


def test_a_value_that_falls_behind_is_refused():
    """Where the distance to a value matters that a thread keeps while the others go on."""
    verdict = check_lock(counters.TicketByDistance, threads=2, rounds=UNBOUNDED)
    assert "unfinished" == verdict.verdict
    assert "the value that it keeps" in verdict.limits[0]


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("room", [1, 2, 3, 4])
def test_remainders_need_a_number_for_each_thread(room, threads):
    """Moving remainders keeps them apart exactly where the lock does."""
    lock = counters.TicketRemainder(room=room)
    verdict = check_lock(lock, threads=threads, rounds=UNBOUNDED)
    assert ("proven" if room >= threads else "violated") == verdict.verdict


def test_what_has_no_rounds_is_refused():
    """Clients that end, and a model in which old values stay."""
    with pytest.raises(CheckError, match="any number of rounds"):
        check_lock(RCU, threads=2, rounds=UNBOUNDED)
    with pytest.raises(CheckError, match="unbounded rounds under c11"):
        check_lock(TASLock, threads=2, rounds=UNBOUNDED, memory="c11")
    with pytest.raises(CheckError, match="only a whole check"):
        sample_lock(TASLock, Sampling(1), threads=2, rounds=UNBOUNDED)
    with pytest.raises(CheckError, match="only a whole check"):
        walk_of_lock(TASLock, rounds=UNBOUNDED)
