"""Memory that many CPUs have used, and checks that begin there."""

import pytest
from kinds.wear import ON, used

from locksim.checker.check import check_clients
from locksim.checker.client import Client
from locksim.checker.errors import CheckError
from locksim.checker.question import Question
from locksim.core.result import DeadlockError, SimulationError
from locksim.kinds import kind_of
from locksim.kinds.checking import clients_of
from locksim.lang import (
    ACQUIRE,
    RELEASE,
    Lock,
    RWLock,
    Struct,
    Workload,
    alloc,
    cpu,
    free,
    n_cpus,
    part,
    pause,
    pointer,
    word,
)
from locksim.library.locks.brlock import BigReaderLock
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.ticket import TicketLock
from locksim.study.use import drawn_cpus


class Alternating(Lock):
    """A lock for those who come in turns: the next CPU is let in, whether it wants to or not."""

    turn = word()

    def acquire(self):
        while (yield self.turn.load(ACQUIRE)) != cpu():
            yield pause()

    def release(self):
        yield self.turn.store((cpu() + 1) % n_cpus(), RELEASE)


class FewBigReaders(RWLock):
    """Wrong on more than four CPUs: its writer takes the locks of the first four."""

    locks = part(BigReaderLock)

    def read_acquire(self):
        yield from self.locks.read_acquire()

    def read_release(self):
        yield from self.locks.read_release()

    def write_acquire(self):
        for i in range(min(n_cpus(), 4)):
            yield from self.locks.locks[i].write_acquire()

    def write_release(self):
        for i in range(min(n_cpus(), 4)):
            yield from self.locks.locks[i].write_release()


def test_words_keep_what_they_have_counted() -> None:
    """A ticket lock's two words stand at the number of acquisitions, and no update is lost."""
    left = used(TicketLock)
    served = {left.words[name] for name in left.words if name.startswith("lock.")}
    assert {left.acquired} == served
    assert (left.acquired, 0) == (left.words["count"], left.violations)


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("lock", [TicketLock, MCSLock])
def test_a_check_begins_there(lock, memory) -> None:
    """A right lock is proven from any moment, by threads on CPUs 5 and 2 of eight."""
    left = used(lock)
    for client in clients_of(lock, 2, 1):
        verdict = check_clients([client], Question(threads=2, memory=memory, used=left.used))
        assert verdict.is_proof()


def test_a_ring_is_stuck_when_a_cpu_stays_away() -> None:
    """It runs as long as all come; here each comes a number of times of its own."""
    with pytest.raises(DeadlockError):
        used(Alternating)


def test_a_program_is_asked_on_its_cpus() -> None:
    """Before anything was done the turn is CPU 0's, so CPUs 5 and 2 of eight wait for ever."""
    left = used(Alternating, rounds=0)
    (client,) = clients_of(Alternating, 2, 1)[:1]
    verdict = check_clients([client], Question(threads=2, used=left.used))
    assert "deadlock" == verdict.found
    assert check_clients([client], Question(threads=2)).is_proof()


def test_a_proof_says_which_operations_it_reached() -> None:
    """Both of its methods, and nothing of a method that the clients do not call."""
    (counting, *_) = clients_of(TicketLock, 2, 1)
    verdict = check_clients([Client("", counting.workload)], Question(threads=2))
    assert verdict.is_proof()
    with_try = check_clients(clients_of(TicketLock, 2, 1), Question(threads=2))
    names = [{p.method for p in v.ran if p.method[0] == "T"} for v in (verdict, with_try)]
    assert {"TicketLock.acquire", "TicketLock.release"} == names[0]
    assert "TicketLock.try_acquire" in names[1]


class Thing(Struct):
    """What the client allocates, and the load does not."""

    value = word()


class Owners(Workload):
    """The setup takes a share for each thread; the last one that gives its share back frees."""

    lock = part(TicketLock)
    thing = pointer(Thing)
    shares = word()

    def setup(self):
        thing = yield alloc(Thing)
        yield self.thing.store(thing)
        for _ in range(n_cpus()):
            yield self.shares.fetch_add(1)

    def thread(self):
        yield from self.lock.acquire()
        shares = yield self.shares.fetch_add(-1)
        yield from self.lock.release()
        if shares == 1:
            thing = yield self.thing.load()
            yield free(thing)


def test_the_setup_of_a_client_runs_in_that_memory() -> None:
    """Once, with the number of the check's threads."""
    client = Client("", Owners(lock=TicketLock), {"shares": 0})
    verdict = check_clients([client], Question(threads=2, used=used(TicketLock).used))
    assert verdict.is_proof()


def test_requests_that_make_no_sense_are_refused() -> None:
    """Too many threads; threads without a CPU of their own; another struct in the part."""
    with pytest.raises(SimulationError, match="3 threads need 3 CPUs"):
        drawn_cpus(1, 3, 2)
    left = used(TicketLock)
    with pytest.raises(CheckError, match="has another address in"):
        check_clients(clients_of(MCSLock, 2, 1), Question(threads=2, used=left.used))
    with pytest.raises(CheckError, match="on the CPUs it names"):
        check_clients(clients_of(TicketLock, 3, 1), Question(threads=3, used=left.used))


def test_cpus_are_different_and_drawn() -> None:
    """As many as there are threads; another seed draws others."""
    assert 8 == len({*drawn_cpus(1, 8, 8)})
    assert drawn_cpus(1, 2, 64) != drawn_cpus(2, 2, 64)


def test_a_reader_writer_lock_is_used_too() -> None:
    """Readers and writers of eight CPUs; a proof begins with the word that they have left."""
    left = used(ReaderPreferenceRWLock, rounds=10)
    assert (0, 0) == (left.violations, left.words["lock.state"])
    assert 0 < left.words["written"] == left.words["copied"]
    (client,) = clients_of(ReaderPreferenceRWLock, 2, 1)[:1]
    assert check_clients([client], Question(threads=2, used=left.used)).is_proof()


def test_a_big_reader_lock_of_four_cpus_is_found() -> None:
    """Right with the CPUs of a proof, wrong with those of a measurement."""
    left = used(FewBigReaders, rounds=20)
    assert left.violations > 0


def test_only_every_second_cpu_comes_to_a_reader_writer_lock() -> None:
    """Those of a long run; a load without these parameters would let all come."""
    load = kind_of(ReaderPreferenceRWLock).wearing(ReaderPreferenceRWLock, 4, ON, 0)
    assert {"step", "offset", "think_ps"} <= load.FIELDS.keys()
