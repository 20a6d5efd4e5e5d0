"""Caches of decisions: a right one is proven, and each wrong one is caught."""

import json

import pytest
from typer.testing import CliRunner

from locksim.checker import CheckError, check_lock, replay
from locksim.cli.check import app
from locksim.kinds.checking import clients_of
from locksim.lang import RELAXED, DecisionCache, array, free, param, part, pause
from locksim.library.avc.decisions_spinlock import N_SLOTS, DecisionEntry, DecisionsSpinlock
from locksim.library.locks.rcu_qsbr import QSBR


class Forgetful(DecisionsSpinlock):
    """Wrong: nothing is ever there."""

    def lookup(self, key):
        yield pause()
        return 0


class WithoutTheLock(DecisionsSpinlock):
    """Wrong: a lookup does not take the lock, so it reads halves and freed entries."""

    def lookup(self, key):
        decision = 0
        entry = yield self.slots[key % N_SLOTS].load(RELAXED)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(RELAXED)
        if entry:
            yield entry.used.store(1, RELAXED)
            allowed = yield entry.allowed.load(RELAXED)
            audit = yield entry.audit.load(RELAXED)
            decision = allowed + (audit << 32)
        return decision


class NeverFrees(DecisionsSpinlock):
    """Wrong: a reclaim takes out and keeps."""

    def reclaim(self):
        taken = 0
        yield from self.lock.acquire()
        for i in range(N_SLOTS):
            link = self.slots[i]
            entry = yield link.load(RELAXED)
            while entry:
                if (yield entry.used.load(RELAXED)):
                    yield entry.used.store(0, RELAXED)
                    link = entry.next
                else:
                    rest = yield entry.next.load(RELAXED)
                    yield link.store(rest, RELAXED)
                    taken = taken + 1
                entry = yield link.load(RELAXED)
        yield from self.lock.release()
        return taken


class ReclaimsAll(DecisionsSpinlock):
    """Wrong: a reclaim takes out what is in use too."""

    def reclaim(self):
        taken = 0
        yield from self.lock.acquire()
        for i in range(N_SLOTS):
            entry: DecisionEntry = yield self.slots[i].load(RELAXED)
            yield self.slots[i].store(0, RELAXED)
            while entry:
                rest = yield entry.next.load(RELAXED)
                yield free(entry)
                taken = taken + 1
                entry = rest
        yield from self.lock.release()
        return taken


class ReclaimsUnlocked(DecisionsSpinlock):
    """Wrong: a reclaim changes chains without the lock."""

    def reclaim(self):
        taken = 0
        for i in range(N_SLOTS):
            link = self.slots[i]
            entry = yield link.load(RELAXED)
            while entry:
                if (yield entry.used.load(RELAXED)):
                    yield entry.used.store(0, RELAXED)
                    link = entry.next
                else:
                    rest = yield entry.next.load(RELAXED)
                    yield link.store(rest, RELAXED)
                    yield free(entry)
                    taken = taken + 1
                entry = yield link.load(RELAXED)
        return taken


class ForgetsBehindAHead(DecisionsSpinlock):
    """Wrong: a lookup sees the first entry of a chain only."""

    def lookup(self, key):
        decision = 0
        yield from self.lock.acquire()
        entry = yield self.slots[key % N_SLOTS].load(RELAXED)
        if entry and (yield entry.tag.load(RELAXED)) == key:
            yield entry.used.store(1, RELAXED)
            decision = (yield entry.allowed.load(RELAXED)) * (1 + (1 << 32))
        yield from self.lock.release()
        return decision


class SplitForgetsBehindAHead(DecisionCache):
    """Wrong: a part takes an entry that is not the first of its chain for missing."""

    ways = param(8)
    parts = array("ways", ForgetsBehindAHead, padded=True)

    def lookup(self, key):
        return (yield from self.parts[self.way_of(key)].lookup(key))

    def replace(self, key, allowed, audit):
        yield from self.parts[self.way_of(key)].replace(key, allowed, audit)

    def reclaim(self):
        taken = 0
        for i in range(self.ways):
            taken = taken + (yield from self.parts[i].reclaim())
        return taken

    def way_of(self, key):
        return (((key * 2654435769) & 0xFFFFFFFF) >> 16) % self.ways

    def quiescent(self):
        yield pause()

    def offline(self):
        yield pause()


class WaitsForReaders(DecisionsSpinlock):
    """Right: a replacement comes back when all threads have been in a quiescent state."""

    rcu = part(QSBR)

    def replace(self, key, allowed, audit):
        yield from super().replace(key, allowed, audit)
        yield from self.rcu.synchronize_rcu()

    def quiescent(self):
        yield from self.rcu.quiescent()

    def offline(self):
        yield from self.rcu.offline()


class NeverQuiescent(WaitsForReaders):
    """Wrong: only a way offline lets a replacement come back."""

    def quiescent(self):
        yield pause()


CAUGHT = {
    (Forgetful, "alone"): "assertion",
    (WithoutTheLock, "replace"): "assertion",
    (WithoutTheLock, "reclaim beside readers"): "memory",
    (NeverFrees, "alone"): "leak",
    (ReclaimsAll, "alone"): "assertion",
    (ReclaimsUnlocked, "reclaim beside writers"): "memory",
    (SplitForgetsBehindAHead, "alone, many keys"): "assertion",
    (NeverQuiescent, "replace beside readers that stay online"): "assertion",
}


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_a_cache_under_a_lock_is_proven(memory):
    """By all clients, with two threads."""
    verdict = check_lock(DecisionsSpinlock, threads=2, memory=memory)
    assert verdict.is_proof()


def test_a_thread_alone_waits_for_no_reader():
    """Clients are sized by the threads."""
    assert check_lock(DecisionsSpinlock, threads=1).is_proof()


@pytest.mark.parametrize("threads", [2, 3])
def test_a_replacement_may_wait_for_quiescent_states(threads):
    """Readers that stay online let it come back."""
    verdict = check_lock(WaitsForReaders, threads=threads, client="replace beside")
    assert verdict.is_proof()


@pytest.mark.parametrize("client", ["replace", "writers", "reclaim"])
def test_parts_hide_chains_from_few_keys(client):
    """Only many keys meet in a chain of a part."""
    verdict = check_lock(SplitForgetsBehindAHead, threads=2, client=client)
    assert verdict.is_proof()


@pytest.mark.parametrize(("cache", "client"), CAUGHT, ids=lambda x: getattr(x, "__name__", x))
def test_wrong_caches_are_caught(cache, client):
    """By the client, for the reason; and the generators confirm it."""
    verdict = check_lock(cache, threads=2, client=client, property=CAUGHT[cache, client])
    assert ("violated", CAUGHT[cache, client]) == (verdict.verdict, verdict.found)
    known = next(c for c in clients_of(cache, 2, 1) if c.name == verdict.client)
    confirmed = replay(verdict.counterexample, known, memory="sc", types=[DecisionEntry])
    assert verdict.found == confirmed


def test_clients_are_chosen_by_the_beginning_of_their_names():
    """An unknown name tells those that there are."""
    assert 9 == len(clients_of(DecisionsSpinlock, 2, 1))
    with pytest.raises(
        CheckError, match=r"unknown client 'replay'.*alone; replace, thread 0 first"
    ):
        check_lock(DecisionsSpinlock, client="replay")


def test_the_command_checks_with_one_client():
    """The verdict names it; an unknown one is refused with those that there are."""
    asked = ["decisions_spinlock", "--threads", "1", "--only"]
    found = CliRunner().invoke(app, [*asked, "writers", "--json"])
    assert ("proven", "writers") == tuple(
        json.loads(found.stdout)[k] for k in ("verdict", "client")
    )
    assert 2 == CliRunner().invoke(app, [*asked, "nobody"]).exit_code
