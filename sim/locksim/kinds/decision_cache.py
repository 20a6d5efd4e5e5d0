"""Caches of decisions: looked up by all threads, replaced by few, reclaimed.

Both halves of every decision in the test clients are equal, so a reader can detect half an old and
half a new one. The keys lie far apart by a power of two, so they share a slot however many slots
there are, and an entry has others before and behind it in its chain. An entry that is freed too
early is a use of dead memory, here called a grace-period violation; one that is never freed is a
leak.
"""

from __future__ import annotations

from locksim.checker.client import Client
from locksim.kinds.access_vector_cache import checks, checks_and_updates
from locksim.kinds.kind import StructKind
from locksim.kinds.load import LoadSettings
from locksim.lang import *
from locksim.library.avc.avc_of import AvcOf
from locksim.library.avc.decisions_spinlock import DecisionsSpinlock

KEY, APART, HALF = 5, 1 << 12, 1 << 32
BOTH = HALF + 1
"""A decision whose halves are equal is this many times its half."""
FAULTS = {"memory": "grace-period violation", "assertion": "torn or lost decision"}
"""What a use of dead memory and a failed assertion are called here."""


class DecisionCacheKind(StructKind):
    """``lookup``, ``replace``, ``reclaim``, ``quiescent`` and ``offline``.

    An access vector cache around it puts it under load (:mod:`locksim.library.avc.avc_of`).
    """

    base = DecisionCache
    unit = "permission checks"
    paced = False

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Permission checks."""
        return checks(AvcOf(cache=struct), settings)

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Permission checks and updates, and many reclaims."""
        cache = AvcOf(cache=struct, security_server_ps=think_ps, reclaim_every=2)
        return checks_and_updates(cache, think_ps)

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """One needs only one thread to go wrong; the others mix two programs each."""
        alone = Alone(cache=struct, rounds=rounds)
        mixed: dict[str, Workload] = {
            f"replace, thread {s} first": ReplacingDecisions(cache=struct, rounds=rounds, shift=s)
            for s in (0, 1)
        }
        mixed["writers"] = WritingDecisions(cache=struct, rounds=rounds)
        for writers, beside in enumerate(("readers", "writers")):
            reclaiming = ReclaimingDecisions(cache=struct, rounds=rounds, writers=writers)
            mixed[f"reclaim beside {beside}"] = reclaiming
        return [
            Client("alone", alone, means={"assertion": "wrong answer"}),
            *(Client(name, workload, means=FAULTS) for name, workload in mixed.items()),
        ]


class Alone(Workload):
    """Thread 0 does everything that a cache can do, one after another; no other thread uses it.

    Arguments:
        rounds: how often.
    """

    rounds = param(1)
    cache = part(DecisionsSpinlock)

    def thread(self):
        if thread() == 0:
            for _ in range(self.rounds):
                yield from self.fill()
                yield from self.empty()
        yield from self.cache.offline()

    def fill(self):
        """Two keys of one slot; the first is replaced."""
        found = yield from self.cache.lookup(KEY)
        assert found == 0  # nothing has been put in
        yield from self.cache.replace(KEY, 1, 1)
        yield from self.cache.replace(KEY + APART, 2, 2)
        yield from self.cache.replace(KEY, 3, 3)
        yield from self.cache.quiescent()
        found = yield from self.cache.lookup(KEY)
        assert found == 3 * BOTH  # what replaced the first decision
        found = yield from self.cache.lookup(KEY + APART)
        assert found == 2 * BOTH  # the other key is still there

    def empty(self):
        """Only what was not looked up since the last reclaim goes."""
        taken = yield from self.cache.reclaim()
        assert taken == 0  # both were looked up
        found = yield from self.cache.lookup(KEY)
        assert found == 3 * BOTH  # a reclaim leaves what is used
        taken = yield from self.cache.reclaim()
        assert taken == 1  # the other was not looked up again
        found = yield from self.cache.lookup(KEY + APART)
        assert found == 0  # it has been taken out
        taken = yield from self.cache.reclaim()
        assert taken == 1  # now the first was not, either
        found = yield from self.cache.lookup(KEY)
        assert found == 0  # the cache is empty


class ReplacingDecisions(Workload):
    """Some threads replace one key's decision again and again, the others look it up.

    Arguments:
        rounds: lookups of each reader; a writer replaces once more than that.
        shift: thread t writes if t + shift is even.
    """

    rounds = param(1)
    shift = param(0)
    cache = part(DecisionsSpinlock)

    def thread(self):
        if (thread() + self.shift) % 2 == 0:
            for i in range(self.rounds + 1):
                half = 1 + i + (self.rounds + 1) * thread()
                yield from self.cache.replace(KEY, half, half)
            found = yield from self.cache.lookup(KEY)
            assert found > 0  # what was put in is there
        else:
            for _ in range(self.rounds):
                found = yield from self.cache.lookup(KEY)
                assert found >> 32 == found % HALF  # both halves of one decision
                yield from self.cache.quiescent()
        yield from self.cache.offline()


class WritingDecisions(Workload):
    """Every thread puts in and replaces a key of its own; all keys share a slot.

    Arguments:
        rounds: replacements of each thread, after it has put its key in.
    """

    rounds = param(1)
    cache = part(DecisionsSpinlock)

    def thread(self):
        key = KEY + APART * thread()
        for i in range(self.rounds + 1):
            yield from self.cache.replace(key, 1 + i, 1 + i)
        yield from self.cache.quiescent()
        found = yield from self.cache.lookup(key)
        assert found == (1 + self.rounds) * BOTH  # no other thread changes this key
        yield from self.cache.offline()


class ReclaimingDecisions(Workload):
    """Thread 0 puts two keys in and reclaims; the others look them up, or replace them.

    Arguments:
        rounds: reclaims, and what each of the others does.
        writers: 1 lets the others replace, 0 look up.
    """

    rounds = param(1)
    writers = param(0)
    cache = part(DecisionsSpinlock)

    def thread(self):
        if thread() == 0:
            yield from self.cache.replace(KEY, 1, 1)
            yield from self.cache.replace(KEY + APART, 2, 2)
            taken = 0
            for _ in range(self.rounds + 1):
                taken = taken + (yield from self.cache.reclaim())
            first = yield from self.cache.lookup(KEY)
            second = yield from self.cache.lookup(KEY + APART)
            if not self.writers:
                assert (first > 0) + (second > 0) + taken == 2  # what is not taken is there
        else:
            for _ in range(self.rounds):
                if self.writers:
                    yield from self.cache.replace(KEY, 1, 1)
                else:
                    found = yield from self.cache.lookup(KEY)
                    assert found == 0 or found == BOTH  # this key's decision, or none
                yield from self.cache.quiescent()
        yield from self.cache.offline()
