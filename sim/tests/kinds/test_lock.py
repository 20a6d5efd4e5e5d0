"""What users expect of a lock, each broken once: the client finds it, and no earlier one did."""

import pytest
from kinds.verdicts import verdict_of

from locksim.checker.check import check_clients
from locksim.checker.question import Question
from locksim.kinds.checking import clients_of
from locksim.kinds.lock import Counting, Trying
from locksim.lang import ACQUIRE, RELAXED, RELEASE, Lock, n_cpus, pause, thread, word
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock


class TakesTurns(Lock):
    """Wrong: strict alternation. Who stays away keeps all others out."""

    turn = word()

    def acquire(self):
        while (yield self.turn.load(ACQUIRE)) != thread():
            yield pause()

    def release(self):
        turn = yield self.turn.load(RELAXED)
        yield self.turn.store((turn + 1) % n_cpus(), RELEASE)


class TakesTurnsOnceMet(TASLock):
    """Wrong: who had to wait is to be followed by another thread, and so must not come again."""

    last = word(-1)

    def acquire(self):
        while (yield self.last.load(RELAXED)) == thread():
            yield pause()
        waited = 0
        while (yield self.locked.swap(1, ACQUIRE)):
            waited = 1
            yield pause()
        yield self.last.store(thread() if waited else -1, RELAXED)


class TryNeverSucceeds(TASLock):
    """Wrong, unless the class says that its tries may fail."""

    def try_acquire(self):
        yield pause()
        return 0


class TryMayFail(TryNeverSucceeds):
    """Right: it says so."""

    TRY_MAY_FAIL = 1


class TryOnceOnly(TicketLock):
    """Wrong: a try succeeds only before the lock was ever used."""

    def try_acquire(self):
        return (yield self.next_ticket.compare_swap(0, 1, ACQUIRE)) == 0


class TryWaits(TASLock):
    """Wrong: a try waits for the holder."""

    def try_acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()
        return 1


class TryQueues(TicketLock):
    """Wrong: a try that finds nobody inside waits for those who come before it."""

    def try_acquire(self):
        if (yield self.next_ticket.load(RELAXED)) > (yield self.now_serving.load(RELAXED)) + 1:
            return 0
        ticket = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.now_serving.load(ACQUIRE)) != ticket:
            yield pause()
        return 1


AWAY = "acquire and count up; thread 0 stays away"
MORE = "acquire and count up; thread 1 comes once more"
TRY = "try a lock that is held, then free"
FOUND = {
    (TakesTurns, AWAY): "deadlock",
    (TakesTurnsOnceMet, MORE): "deadlock",
    (TryNeverSucceeds, TRY): "assertion",
    (TryOnceOnly, TRY): "assertion",
    (TryWaits, TRY): "deadlock",
    (TryQueues, TRY): "deadlock",
}


@pytest.mark.parametrize(("lock", "client"), FOUND, ids=lambda x: getattr(x, "__name__", x))
def test_what_users_expect_is_asked(lock, client):
    """One client asks, and it alone: where all come equally often and wait, nothing is wrong."""
    assert FOUND[lock, client] == verdict_of(lock, client)
    known = clients_of(lock, 2, 1)
    usual = [found for found in known if type(found.workload) in (Counting, Trying)]
    assert "proven" == check_clients(usual, Question(name="usual", threads=2)).verdict


def test_a_try_waits_for_nobody():
    """Nor for those who wait: here the third thread's try would queue behind the second."""
    assert "deadlock" == verdict_of(TryQueues, TRY, threads=3)
    assert "proven" == verdict_of(TicketLock, TRY, threads=3)


def test_a_try_may_fail_where_the_class_says_so():
    """C++ allows that, for instance."""
    assert "proven" == verdict_of(TryMayFail, "")
