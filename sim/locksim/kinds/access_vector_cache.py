"""Access vector caches: what the kernel asks at every permission check.

They have no base class of their own: ``has_perm`` makes a struct one.

The test clients make the cache as small as it can be: one slot, so that all keys share a chain, and
as many entries as the question needs. Where nothing may be reclaimed, there is room for all keys
and for an entry more from each thread: threads that miss one key at once may each count an entry
before they see that one is enough. A subject's policy denies it one bit of its own key. An
update grants that bit; as long as nothing is reclaimed, no thread may see it denied again that has
seen it granted. With room for one entry and two keys every miss reclaims, and an entry that is
still read then gives another key's answer, or is dead memory.
"""

from __future__ import annotations

from locksim.core.client import Client
from locksim.kinds.kind import StructKind, resized
from locksim.kinds.load import LoadError, LoadSettings
from locksim.lang import *
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.workloads.avc_mix import AvcMix
from locksim.library.workloads.rcutest import RcuTest

KEYS = 2
SMALL = {"n_slots": 1, "reclaim_every": 99}
"""Sizes of one slot, for those caches that have them."""
CROWDED = {"n_slots": 1, "n_nodes": 1, "threshold": 1, "reclaim_count": 1, "reclaim_every": 1}
"""Sizes with room for one key."""
AVC_FAULTS = {"memory": "use of a reclaimed entry", "assertion": "wrong or outdated answer"}
"""What a use of dead memory and a failed assertion are called here."""


class AccessVectorCacheKind(StructKind):
    """``has_perm``, ``update`` and ``syscall_exit``."""

    base = Struct
    methods = ("has_perm",)
    unit = "permission checks"
    paced = False

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Permission checks."""
        return checks(struct, settings)

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Permission checks and updates. A miss is cheap, so that more happens."""
        cheap = {"security_server_ps": think_ps} if "security_server_ps" in struct.FIELDS else {}
        return checks_and_updates(struct(**cheap), think_ps)

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """One thread alone; an update beside checks, and beside updates; reclaim beside checks."""
        room = KEYS + threads
        roomy = resized(struct, **SMALL, n_nodes=room, threshold=room)
        crowded = resized(struct, **CROWDED)
        loads: dict[str, Workload] = {
            "alone": AskingAlone(cache=roomy),
            "update beside checks": AskingWhileUpdated(cache=roomy, rounds=rounds),
            "update beside updates": UpdatingTogether(cache=roomy),
            "reclaim beside checks": AskingForOne(cache=crowded, rounds=rounds),
            "reclaim beside an update": UpdatingWhileReclaimed(cache=crowded, rounds=rounds),
        }
        if getattr(struct, "UPDATES_MAY_BE_LOST", 0):
            del loads["update beside updates"]
            loads["update after updates"] = UpdatingAgain(cache=roomy)
        return [Client(name, load, means=AVC_FAULTS) for name, load in loads.items()]


def checks(cache: Struct | type[Struct], settings: LoadSettings) -> Workload:
    """A load of permission checks.

    Raises:
        LoadError: without time between two checks.
    """
    if settings.think_ps < NS:
        raise LoadError(
            f"--think must be at least 1 ns for a decision cache (got {settings.think_ps // NS})"
        )
    jitter_ps = settings.think_ps // 10
    return RcuTest(cache=cache, other_ps=settings.think_ps, jitter_ps=jitter_ps)


def checks_and_updates(cache: Struct, think_ps: int) -> list[Workload]:
    """Loads of permission checks, and of those with updates among them."""
    mix = AvcMix(cache=cache, other_ps=think_ps, n_keys=8, updates_per_thousand=100)
    return [RcuTest(cache=cache, other_ps=think_ps, jitter_ps=think_ps // 10), mix]


class Asking(Workload):
    """What the clients have in common: subject s is denied bit s, of the bits 1, 2 and 3."""

    cache = part(AvcSpinlock)
    filled = word()

    def fill(self):
        """Thread 0 asks for subject 1, and the others go on after that."""
        if thread() == 0:
            denied = yield from self.ask(1)
            assert denied == 1 << 1
            yield self.filled.store(1, RELEASE)
        else:
            while not (yield self.filled.load(ACQUIRE)):
                yield pause()

    def ask(self, subject):
        """The bits that a subject is denied."""
        denied = yield from self.cache.has_perm(subject, 0, 0, 0b1110)
        yield from self.cache.syscall_exit()
        return denied

    def grant(self, subject, bit):
        """Grant a subject a bit; 1 if its entry was there. Grace periods may come to their end."""
        changed = yield from self.cache.update(subject, 0, 0, 1 << bit)
        yield from self.cache.syscall_exit()
        yield from self.cache.syscall_exit()
        yield from self.cache.syscall_exit()
        return changed


class AskingAlone(Asking):
    """Thread 0 does everything that a cache can do, one after another; no other thread uses it."""

    def thread(self):
        if thread() == 0:
            changed = yield from self.grant(1, 1)
            assert not changed  # nothing is there
            first = yield from self.ask(1)
            assert first == 1 << 1  # the policy
            second = yield from self.ask(2)
            assert second == 1 << 2
            changed = yield from self.grant(1, 1)
            assert changed
            first = yield from self.ask(1)
            assert first == 0  # what was granted
            second = yield from self.ask(2)
            assert second == 1 << 2  # to no other subject
            # Both have an entry now: an update of either leaves the other one where it is.
            changed = yield from self.grant(2, 2)
            assert changed
            first = yield from self.ask(1)
            assert first == 0
            changed = yield from self.grant(1, 3)
            assert changed
            second = yield from self.ask(2)
            assert second == 0


class AskingWhileUpdated(Asking):
    """Thread 0 grants subject 1 its bit and asks; the others ask again and again.

    Arguments:
        rounds: how often the others ask, once not counted.
    """

    rounds = param(1)

    def thread(self):
        yield from self.fill()
        if thread() == 0:
            changed = yield from self.grant(1, 1)
            assert changed
            denied = yield from self.ask(1)
            assert denied == 0  # an update is seen by who asks after it
        else:
            denied = 1 << 1
            for _ in range(self.rounds + 1):
                again = yield from self.ask(1)
                assert again == denied or again == 0  # and not taken back
                denied = again


class UpdatingTogether(Asking):
    """Every thread asks and grants the same subject: thread 0 the bit that the policy denies.

    The others grant what is granted already. So an update that writes back what it read before
    takes the bit away again.
    """

    def thread(self):
        yield from self.ask(1)
        changed = yield from self.cache.update(1, 0, 0, 1 << (1 if thread() == 0 else 2))
        assert changed
        yield from self.cache.syscall_exit()
        if thread() == 0:
            denied = yield from self.ask(1)
            assert denied == 0


class UpdatingAgain(Asking):
    """As ``UpdatingTogether``, of a cache that may lose one of two updates at a time.

    What it gives is what some of the updates leave. And when the others are done, thread 0 updates
    once more, which is not lost.
    """

    done = word()

    def thread(self):
        yield from self.ask(1)
        changed = yield from self.cache.update(1, 0, 0, 1 << (1 if thread() == 0 else 2))
        assert changed
        yield from self.cache.syscall_exit()
        if thread() != 0:
            yield self.done.fetch_add(1, RELEASE)
        else:
            denied = yield from self.ask(1)
            assert denied == 1 << 1 or denied == 0
            while (yield self.done.load(ACQUIRE)) != n_threads() - 1:
                yield pause()
            changed = yield from self.grant(1, 1)
            assert changed
            denied = yield from self.ask(1)
            assert denied == 0


class AskingForOne(Asking):
    """Thread 0 asks for subject 2, the others for subject 1, and there is room for one.

    Arguments:
        rounds: how often each asks.
    """

    rounds = param(1)

    def thread(self):
        yield from self.fill()
        for _ in range(self.rounds):
            subject = 2 if thread() == 0 else 1
            denied = yield from self.ask(subject)
            assert denied == 1 << subject


class UpdatingWhileReclaimed(Asking):
    """Thread 0 grants subject 1 its bit and asks for subject 2, the others ask for subject 1.

    There is room for one.

    Arguments:
        rounds: of each thread.
    """

    rounds = param(1)

    def thread(self):
        for _ in range(self.rounds):
            if thread() == 0:
                yield from self.grant(1, 1)
                second = yield from self.ask(2)
                assert second == 1 << 2
            else:
                first = yield from self.ask(1)
                assert first == 1 << 1 or first == 0
