"""Threads that are exchanged for one another: the same verdicts, fewer states, real runs."""

import pytest
from checker import counters, nested, zoo

from locksim.checker import check_lock, replay
from locksim.checker.check import check_clients
from locksim.checker.client import Client
from locksim.checker.models.model import model
from locksim.checker.question import Question
from locksim.checker.replay.counterexample import of_path
from locksim.checker.search.explore import Request, explore
from locksim.checker.search.loop import NO_PROGRESS
from locksim.checker.verdict import UNBOUNDED
from locksim.kinds.checking import clients_of
from locksim.lang import RELAXED, Workload, part, thread, word
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.qspinlock import QueuedSpinlock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas_backoff import TTASBackoffLock

EXCHANGED = [
    TicketLock,
    TASLock,
    TTASBackoffLock,
    counters.TicketAtLeast,
    counters.Array,
    counters.TicketSkipping,
    nested.AcquireByRacyTry,
    zoo.TASTestThenSet,
    zoo.TicketSkipsOne,
]
TOLD_APART = [MCSLock, QueuedSpinlock, ReaderPreferenceRWLock, nested.Recursive, zoo.SleepingLock]


@pytest.mark.covering("lock", "memory", "reduction")
@pytest.mark.parametrize("reduction", [True, False])
@pytest.mark.parametrize("memory", ["sc", "tso"])
@pytest.mark.parametrize("lock", EXCHANGED, ids=lambda lock: lock.__name__)
def test_the_verdict_is_the_same(lock, memory, reduction):
    """With fewer states; a violation is then looked for once more, with every thread for itself."""
    asked = {"threads": 3, "memory": memory, "reduction": reduction}
    told_apart, exchanged = (check_lock(lock, **asked, symmetry=s) for s in (False, True))
    assert "" == next(iter(exchanged.told_apart.values()))
    assert (told_apart.verdict, told_apart.found) == (exchanged.verdict, exchanged.found)
    if exchanged.counterexample is None:
        assert exchanged.states < told_apart.states
    else:
        assert told_apart.counterexample == exchanged.counterexample
        client = next(c for c in clients_of(lock, 3, 1) if c.name == exchanged.client)
        assert exchanged.found == replay(
            exchanged.counterexample, client, memory=exchanged.counterexample.memory
        )


@pytest.mark.parametrize("memory", ["sc", "tso"])
@pytest.mark.parametrize("rounds", [1, UNBOUNDED])
@pytest.mark.parametrize("lock", [zoo.TASTestThenSet, counters.TicketSkipping])
def test_a_path_has_the_numbers_of_real_threads(lock, rounds, memory):
    """Though the states that it passes do not have them; the generators confirm it."""
    client = clients_of(lock, 3, rounds)[0]
    built = model(client.workload, 3, memory, again=rounds == UNBOUNDED, symmetry=True)
    found = explore(built, Request(deadlock=False))
    lost = [] if found.status else found.doomed()
    path = found.violation if found.status else found.path(lost[0])
    run = of_path(found.relied, path, found.status or NO_PROGRESS)
    assert {0, 1, 2} >= {step.thread for step in run.steps}
    assert run.found == replay(run, client, memory=memory)


@pytest.mark.parametrize("lock", TOLD_APART, ids=lambda lock: lock.__name__)
def test_numbers_that_matter_tell_threads_apart(lock):
    """Nodes by number, parts by number, owners, sleepers: the verdict has the reason."""
    told_apart, asked = (check_lock(lock, threads=2, symmetry=s) for s in (False, True))
    assert told_apart.verdict == asked.verdict
    assert ".py:" in next(iter(asked.told_apart.values()))


class ByPart(Workload):
    """Even threads count up under the lock, odd ones look: the number is not needed again."""

    lock = part(TicketLock)
    count = word()

    def thread(self):
        if thread() % 2 == 0:
            yield from self.lock.acquire()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()
        else:
            assert (yield self.count.load(RELAXED)) <= 2


def test_a_part_that_is_chosen_at_the_start():
    """A thread may ask for its number before its first operation; its place then shows the part."""
    client = Client("by part", ByPart(), {"count": 2})
    told_apart, exchanged = (
        check_clients([client], Question(name="parts", threads=4, symmetry=s))
        for s in (False, True)
    )
    assert {"by part": ""} == exchanged.told_apart
    assert ("proven", "proven") == (told_apart.verdict, exchanged.verdict)
    assert exchanged.states < told_apart.states


@pytest.mark.parametrize(("threads", "most"), [(3, 100), (5, 1_000), (7, 10_000)])
def test_the_ticket_lock_for_many_threads_and_any_number_of_rounds(threads, most):
    """Growth stays far below that of the interleavings."""
    verdict = check_lock(TicketLock, threads=threads, rounds=UNBOUNDED, client="acquire")
    assert ("proven", []) == (verdict.verdict, verdict.limits)
    assert verdict.states <= most
