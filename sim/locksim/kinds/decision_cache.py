"""Caches of decisions: looked up by all threads, replaced by few, reclaimed.

Both halves of every decision in the test clients are equal, so a reader can detect half an old and
half a new one. The keys lie far apart by a power of two, so they share a slot however many slots
there are, and an entry has others before and behind it in its chain. An entry that is freed too
early is a use of dead memory, here called a grace-period violation; one that is never freed is a
leak.
"""

from __future__ import annotations

from typing import Any

from locksim.core.client import Client
from locksim.kinds.access_vector_cache import checks, checks_and_updates
from locksim.kinds.kind import StructKind
from locksim.kinds.load import LoadSettings
from locksim.kinds.rcu import QUIESCENT_STATES, EndsBesideReaders
from locksim.lang import *
from locksim.library.avc.avc_of import AvcOf
from locksim.library.avc.decisions_spinlock import DecisionsSpinlock

KEY, APART, HALF = 5, 1 << 12, 1 << 32
MEASURED_KEY = 1 + 11 + (42 << 12) + (6 << 24)
"""A key as AvcOf makes them: that of rcutest."""
BOTH = HALF + 1
"""A decision whose halves are equal is this many times its half."""
FAULTS = {"memory": "grace-period violation", "assertion": "torn or lost decision"}
"""What a use of dead memory and a failed assertion are called here."""


class DecisionCacheKind(StructKind):
    """``lookup``, ``replace``, ``reclaim``, ``quiescent`` and ``offline``.

    An access vector cache around it puts it under load (:mod:`locksim.library.avc.avc_of`).
    """

    base = DecisionCache
    part = "cache"
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
        """The first and the last need only one thread to go wrong; the others mix two programs."""
        return self._clients(struct, rounds, KEY)

    def wearing(
        self, struct: Struct | type[Struct], rounds: int, on: tuple[int, ...], number: int
    ) -> Workload:
        """Lookups and replacements, a number of its own for each thread; reclaims in odd runs."""
        stay = {"first": on[0], "second": on[1]}
        return WearingDecisions(cache=struct, rounds=rounds, reclaims=number % 2, **stay)

    def worn_clients(self, struct: Struct | type[Struct], threads: int) -> list[Client]:
        """The same with a key of the benchmarks', and a reader that stays inside for long."""
        held = [
            Client(f"{what} beside a reader that stays", workload, means=FAULTS)
            for what, workload in (
                ("replace", StayingReader(cache=struct, first_key=MEASURED_KEY)),
                ("reclaim", StayingReader(cache=struct, first_key=MEASURED_KEY, reclaims=1)),
            )
        ]
        return self._clients(struct, 1, MEASURED_KEY) + held

    def _clients(self, cache: Struct | type[Struct], rounds: int, key: int) -> list[Client]:
        shared: dict[str, Any] = {"cache": cache, "rounds": rounds, "first_key": key}
        alone = Alone(**shared)
        many = ManyDecisions(cache=cache, first_key=key)
        mixed: dict[str, Workload] = {
            f"replace, thread {s} first": ReplacingDecisions(**shared, shift=s) for s in (0, 1)
        }
        between = StayingReader(cache=cache, first_key=key, times=1)
        mixed["replace between two others"] = between
        mixed["writers"] = WritingDecisions(**shared)
        for writers, beside in enumerate(("readers", "writers")):
            mixed[f"reclaim beside {beside}"] = ReclaimingDecisions(**shared, writers=writers)
        online = StayingOnline(cache=cache, first_key=key)
        ends = EndsBesideReaders("replace()")
        beside = "replace beside readers that stay online"
        return [
            Client("alone", alone, means={"assertion": "wrong answer"}),
            *(Client(name, workload, means=FAULTS) for name, workload in mixed.items()),
            Client(beside, online, means=FAULTS, end=ends, once=True),
            Client("alone, many keys", many, means={"assertion": "wrong answer"}),
        ]


class Alone(Workload):
    """Thread 0 does everything that a cache can do, one after another; no other thread uses it.

    Arguments:
        rounds: how often. first_key: of the keys; all others lie a multiple of APART behind it.
    """

    rounds = param(1)
    first_key = param(KEY)
    cache = part(DecisionsSpinlock)

    def thread(self):
        if thread() == 0:
            for _ in range(self.rounds):
                yield from self.fill()
                yield from self.empty()
        yield from self.cache.offline()

    def fill(self):
        """Three keys of one slot; each is replaced, wherever it stands in its chain."""
        found = yield from self.cache.lookup(self.first_key)
        assert found == 0  # nothing has been put in
        for i in range(5):
            yield from self.cache.replace(self.first_key + APART * (i % 3), 1 + i, 1 + i)
        yield from self.cache.quiescent()
        yield from self.look(4, 5, 3)
        yield from self.cache.replace(self.first_key + APART * 2, 6, 6)
        yield from self.cache.quiescent()
        yield from self.look(4, 5, 6)

    def look(self, first, second, third):
        """Look the three keys up; each has the half that was put in last."""
        found = yield from self.cache.lookup(self.first_key)
        assert found == first * BOTH  # what replaced the first decision
        found = yield from self.cache.lookup(self.first_key + APART)
        assert found == second * BOTH  # the second key is there, and up to date
        found = yield from self.cache.lookup(self.first_key + APART * 2)
        assert found == third * BOTH  # the third key is there, and up to date

    def empty(self):
        """Only what was not looked up since the last reclaim goes."""
        taken = yield from self.cache.reclaim()
        assert taken == 0  # all were looked up
        found = yield from self.cache.lookup(self.first_key + APART)
        assert found == 5 * BOTH  # a reclaim leaves what is used
        taken = yield from self.cache.reclaim()
        assert taken == 2  # the other two were not looked up again
        found = yield from self.cache.lookup(self.first_key)
        assert found == 0  # it has been taken out
        taken = yield from self.cache.reclaim()
        assert taken == 1  # now the one between was not, either
        found = yield from self.cache.lookup(self.first_key + APART)
        assert found == 0  # the cache is empty


class ManyDecisions(Workload):
    """Thread 0 fills the cache and empties it, several times with other keys; the others are gone.

    A cache in parts spreads keys over them, so the few keys of the other clients may all lie in
    chains of their own. Of these keys some share a part and a chain, as they do under load. Their
    distances are those of squares, which no remainder and no multiplication spreads evenly.

    Arguments:
        batches: how often. batch: keys of each, all times at most 64. first_key: as for Alone.
    """

    batches = param(12)
    batch = param(5)
    first_key = param(KEY)
    cache = part(DecisionsSpinlock)
    gone = word()

    def thread(self):
        if thread() == 0:
            while (yield self.gone.load(ACQUIRE)) != n_threads() - 1:
                yield pause()
            for b in range(self.batches):
                yield from self.fill_and_empty(b * self.batch)
        yield from self.cache.offline()
        yield self.gone.fetch_add(1, RELEASE)

    def fill_and_empty(self, begin):
        """Put a batch of keys in, look them up, replace one and take them out in two steps."""
        end = begin + self.batch
        for j in range(begin, end):
            yield from self.cache.replace(self.key_of(j), 1 + j, 1 + j)
        yield from self.cache.quiescent()
        yield from self.cache.replace(self.key_of(end - 1), end, end)
        taken = yield from self.cache.reclaim()
        assert taken == 0  # a new entry counts as used
        for j in range(begin, end, 2):
            found = yield from self.cache.lookup(self.key_of(j))
            assert found == (1 + j) * BOTH  # this key's decision
        yield from self.cache.quiescent()
        taken = yield from self.cache.reclaim()
        assert taken == self.batch // 2  # those that were not looked up
        for j in range(begin, end):
            found = yield from self.cache.lookup(self.key_of(j))
            assert (found > 0) == ((j - begin) % 2 == 0)  # they are gone, the others are not
        taken = yield from self.cache.reclaim()
        taken = taken + (yield from self.cache.reclaim())
        assert taken == self.batch - self.batch // 2  # all are gone
        yield from self.cache.quiescent()

    def key_of(self, number):
        return self.first_key + APART * number * number


class ReplacingDecisions(Workload):
    """Some threads replace one key's decision again and again, the others look it up.

    Arguments:
        rounds: lookups of each reader; a writer replaces once more than that.
        shift: thread t writes if t + shift is even. first_key: as for Alone.
    """

    rounds = param(1)
    shift = param(0)
    first_key = param(KEY)
    cache = part(DecisionsSpinlock)

    def thread(self):
        if (thread() + self.shift) % 2 == 0:
            for i in range(self.rounds + 1):
                half = 1 + i + (self.rounds + 1) * thread()
                yield from self.cache.replace(self.first_key, half, half)
            found = yield from self.cache.lookup(self.first_key)
            assert found > 0  # what was put in is there
        else:
            for _ in range(self.rounds):
                found = yield from self.cache.lookup(self.first_key)
                assert found >> 32 == found % HALF  # both halves of one decision
                yield from self.cache.quiescent()
        yield from self.cache.offline()


class WritingDecisions(Workload):
    """Every thread puts in and replaces a key of its own; all keys share a slot.

    Arguments:
        rounds: replacements of each thread, after it has put its key in. first_key: as for Alone.
    """

    rounds = param(1)
    first_key = param(KEY)
    cache = part(DecisionsSpinlock)

    def thread(self):
        key = self.first_key + APART * thread()
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
        writers: 1 lets the others replace, 0 look up. first_key: as for Alone.
    """

    rounds = param(1)
    writers = param(0)
    first_key = param(KEY)
    cache = part(DecisionsSpinlock)

    def thread(self):
        if thread() == 0:
            yield from self.cache.replace(self.first_key, 1, 1)
            yield from self.cache.replace(self.first_key + APART, 2, 2)
            taken = 0
            for _ in range(self.rounds + 1):
                taken = taken + (yield from self.cache.reclaim())
            first = yield from self.cache.lookup(self.first_key)
            second = yield from self.cache.lookup(self.first_key + APART)
            if not self.writers:
                assert (first > 0) + (second > 0) + taken == 2  # what is not taken is there
        else:
            for _ in range(self.rounds):
                if self.writers:
                    yield from self.cache.replace(self.first_key, 1, 1)
                else:
                    found = yield from self.cache.lookup(self.first_key)
                    assert found == 0 or found == BOTH  # this key's decision, or none
                yield from self.cache.quiescent()
        yield from self.cache.offline()


class StayingReader(Workload):
    """Thread 1 looks a key up once, while thread 0 replaces and reclaims its entry for long.

    The reader has begun before the first of these, and may stay at any of its steps until all are
    over. So an entry that is freed after a while, or after some other entries, is freed under it.
    The entry has others of its slot before and behind it: a reader may stand on one of these while
    the entry is replaced, and must find the old one or the new one behind it.

    Arguments:
        times: replacements. reclaims: 1 reclaims the entry before each. first_key: the key.
    """

    times = param(192)
    reclaims = param(0)
    first_key = param(KEY)
    cache = part(DecisionsSpinlock)
    filled = word()
    begun = word()

    def thread(self):
        if thread() == 0:
            # The entry stands between two others of its slot.
            yield from self.cache.replace(self.first_key + APART, 1, 1)
            yield from self.cache.replace(self.first_key, 1, 1)
            yield from self.cache.replace(self.first_key + 2 * APART, 1, 1)
            yield self.filled.store(1, RELEASE)
            while n_cpus() > 1 and not (yield self.begun.load(ACQUIRE)):
                yield pause()
            for _ in range(self.times):
                if self.reclaims:
                    yield from self.cache.reclaim()
                    yield from self.cache.reclaim()
                yield from self.cache.replace(self.first_key, 1, 1)
        elif thread() == 1:
            while not (yield self.filled.load(ACQUIRE)):
                yield pause()
            yield self.begun.store(1, RELEASE)
            found = yield from self.cache.lookup(self.first_key)
            # Without reclaims the key is there, whichever of its entries the reader meets.
            assert found == BOTH or (self.reclaims and found == 0)
        yield from self.cache.offline()


class StayingOnline(Workload):
    """Thread 0 replaces; the others look up, and announce a few quiescent states before they go.

    In one run at least these let it come back, where elsewhere a way offline does too.

    Arguments:
        first_key: the key.
    """

    first_key = param(KEY)
    cache = part(DecisionsSpinlock)
    leaving = word()
    early = word()

    def thread(self):
        if thread() == 0:
            yield from self.cache.replace(self.first_key, 1, 1)
            yield from self.cache.replace(self.first_key, 1, 1)
            if (yield self.leaving.load(RELAXED)) == 0:
                yield self.early.store(1, RELAXED)
        else:
            found = yield from self.cache.lookup(self.first_key)
            assert found == 0 or found == BOTH
            for _ in range(QUIESCENT_STATES):
                yield from self.cache.quiescent()
            yield self.leaving.store(1, RELEASE)
        yield from self.cache.offline()


class WearingDecisions(Workload):
    """Threads use the cache, each a number of times of its own; then one of them empties it.

    Each key has one thread that replaces it and counts its versions, which are the halves of its
    decisions. Whoever knows of a version finds no older one, and without reclaims finds one. So a
    cache that keeps copies for each CPU and never learns of an update is found.

    When all have finished, thread ``first`` reclaims until nothing is left, fills the cache, and
    counts what two more reclaims take. The others wait for that in quiescent states. Then all but
    two go offline, so that checks can go on with these.

    Arguments:
        rounds: uses of a thread at most. first, second: CPUs of the two threads that stay.
        reclaims: 1 lets every thread reclaim at times.
        keys: how many there are, 1 to 64; the first ones are used more often.
        think_ps: mean time between two uses.
        step, offset: only every ``step``-th CPU comes, from ``offset`` on; the others go offline.
    """

    rounds = param(1)
    first = param(0)
    second = param(1)
    reclaims = param(0)
    keys = param(64)
    think_ps = param(1600 * NS)
    step = param(1)
    offset = param(0)
    cache = part(DecisionsSpinlock)
    finished = word(padded=True)
    empty = word(padded=True)
    versions = array(64, word(), padded=True)

    def thread(self):
        if thread() % self.step == self.offset:
            yield from self.use_often()
            yield self.finished.fetch_add(1, RELEASE)
            if thread() == self.first:
                while (yield self.finished.load(ACQUIRE)) != n_cpus() // self.step:
                    yield from self.rest()
                yield from self.count()
                yield self.empty.store(1, RELEASE)
            else:
                while not (yield self.empty.load(ACQUIRE)):
                    yield from self.rest()
        if thread() != self.first and thread() != self.second:
            yield from self.cache.offline()

    def use_often(self):
        """Use the cache a number of times, of this thread's own."""
        for _ in range(random_below(self.rounds + 1)):
            yield compute(random_below(2 * self.think_ps) + 1)
            yield from self.use_one(random_below(self.keys >> random_below(4)))
            yield from self.cache.quiescent()
            yield done()

    def use_one(self, number):
        """Look a key up; the thread whose key it is may replace it, and any thread reclaims."""
        key = MEASURED_KEY + number
        version = self.versions[number]
        known = yield version.load(ACQUIRE)
        if number % (n_cpus() // self.step) == thread() // self.step and random_below(2):
            yield from self.cache.replace(key, known + 1, known + 1)
            yield version.store(known + 1, RELEASE)
        elif self.reclaims and random_below(32) == 0:
            yield from self.cache.reclaim()
        else:
            found = yield from self.cache.lookup(key)
            assert found >> 32 == found % HALF  # both halves of one decision
            assert found == 0 or found % HALF >= known  # none that was replaced before
            assert found > 0 or known == 0 or self.reclaims  # none is forgotten

    def count(self):
        """Empty the cache, fill it, and count what is reclaimed of what was not looked up."""
        for _ in range(3):
            yield from self.cache.reclaim()
        for number in range(self.keys):
            yield from self.cache.replace(MEASURED_KEY + number, 1, 1)
        taken = yield from self.cache.reclaim()
        assert taken == 0  # a new entry counts as used
        for number in range(self.keys // 2):
            found = yield from self.cache.lookup(MEASURED_KEY + number)
            assert found == BOTH  # a reclaim leaves what is used
        taken = yield from self.cache.reclaim()
        assert taken == self.keys - self.keys // 2  # it takes what was not looked up since
        taken = yield from self.cache.reclaim()
        assert taken == self.keys // 2  # and at last all

    def rest(self):
        """Wait in quiescent states."""
        yield compute(self.think_ps)
        yield from self.cache.quiescent()
