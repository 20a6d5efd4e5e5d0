"""All access vector caches: the same answers as a dictionary, alone and together with others."""

from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locksim.lang import NULL, Workload, note, part, pause, random_below
from locksim.lang.ops import Kind
from locksim.library.avc.avc import AVC
from locksim.library.avc.avc_2_4 import AvcTwoFour
from locksim.library.avc.avc_pool import AvcNode
from locksim.library.avc.avc_rcu import AvcRCU, AvcRcuNode
from locksim.library.avc.avc_rwlock import AvcRWLock
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.avc.no_check import NoCheck
from locksim.library.locks.mcs import MCSLock

TCLASS = 2
N_KEYS = 9
ROOMY = [
    AvcSpinlock(n_slots=4, n_nodes=16),
    AvcSpinlock(n_slots=4, n_nodes=16, use_reference=1, lock=MCSLock),
    AvcRWLock(n_slots=4, n_nodes=16, store_used=0),
    AvcRCU(n_slots=4, threshold=16),
    AvcRCU(n_slots=4, threshold=16, store_used=1),
    AvcTwoFour(n_slots=4, n_nodes=16),
]
TIGHT = [
    AvcSpinlock(n_slots=4, n_nodes=3),
    AvcSpinlock(n_slots=2, n_nodes=3, use_reference=1),
    AvcRWLock(n_slots=4, n_nodes=3),
    AvcRWLock(n_slots=1, n_nodes=1),
    AvcRCU(n_slots=4, threshold=3, reclaim_count=2),
    AvcRCU(n_slots=1, threshold=1, reclaim_count=16),
    AvcTwoFour(n_slots=4, n_nodes=3),
]
every_cache = pytest.mark.parametrize("cache", ROOMY + TIGHT, ids=str)


def key_of(number):
    """A key's (ssid, tsid): several keys share a slot."""
    return 1 + number % 3, 1 + number // 3


def base(ssid, tsid):
    """What the security server allows."""
    return AVC().policy(ssid, tsid, TCLASS)


class Script(Workload):
    """Performs a list of steps on one CPU and notes every answer."""

    cache = part(AvcSpinlock)
    STEPS: ClassVar[list[tuple[str, int, int]]] = []

    def thread(self):
        for what, number, bits in self.STEPS:
            ssid, tsid = key_of(number)
            if what == "check":
                answer = yield from self.cache.has_perm(ssid, tsid, TCLASS, bits)
            else:
                answer = yield from self.cache.update(ssid, tsid, TCLASS, bits)
            yield from self.cache.syscall_exit()
            yield note(answer)


class Crowd(Workload):
    """Random checks and updates on every CPU; each answer must be one that is possible then.

    ``GRANTED`` is the model: all bits for which an update has begun, by key.
    """

    cache = part(AvcSpinlock)
    GRANTED: ClassVar[dict[tuple[int, int], int]] = {}

    def thread(self):
        for _ in range(12):
            ssid, tsid = key_of(random_below(N_KEYS))
            bits = random_below(1 << 32)
            if random_below(4) == 0:
                self.GRANTED[ssid, tsid] = self.GRANTED.get((ssid, tsid), 0) | bits
                yield from self.cache.update(ssid, tsid, TCLASS, bits)
            else:
                denied = yield from self.cache.has_perm(ssid, tsid, TCLASS, bits)
                allowed = base(ssid, tsid)
                assert denied & ~(bits & ~allowed) == 0
                assert bits & ~allowed & ~self.GRANTED.get((ssid, tsid), 0) & ~denied == 0
            yield from self.cache.syscall_exit()
        if isinstance(self.cache, AvcRCU):
            yield from self.cache.rcu.offline()


def node_type(run):
    """The class of the cache's nodes."""
    return AvcRcuNode if isinstance(run.root.cache, AvcRCU) else AvcNode


def chains(run):
    """The addresses of the nodes on each chain, found by walking memory."""
    found = []
    for i in range(run.root.cache.n_slots):
        link, chain = run.root.cache.slots[i], []
        while run.word(link) != NULL:
            chain.append(run.word(link))
            link = run.view(node_type(run), chain[-1]).next
        found.append(chain)
    return found


steps = st.lists(
    st.tuples(
        st.sampled_from(["check", "check", "update"]),
        st.integers(0, N_KEYS - 1),
        st.integers(0, 2**32 - 1),
    ),
    max_size=30,
)


@pytest.mark.parametrize("cache", ROOMY, ids=str)
@given(script=steps)
def test_answers_equal_a_dictionary(interleave, cache, script):
    """With room for every key the cache is a dictionary of decisions, filled by checks."""
    workload = type("Scripted", (Script,), {"STEPS": script})(cache=cache)
    run = interleave(workload, 1, 0, types=(AvcRcuNode,))
    model: dict[int, int] = {}
    expected = []
    for what, number, bits in script:
        if what == "check":
            allowed = model.setdefault(number, base(*key_of(number)))
            expected.append(bits & ~allowed)
        else:
            expected.append(int(number in model))
            if number in model:
                model[number] |= bits
    assert expected == [value for _, mark, value in run.log if mark.name == "NOTE"]


def check_crowd(interleave, cache, n_threads, seed):
    """Run a crowd, whose answers are asserted in it; no key may be cached twice at its end.

    When two CPUs miss one key at once, one entry remains, in the slot of its hash.
    """
    workload = type("Crowded", (Crowd,), {"GRANTED": {}})(cache=cache)
    run = interleave(workload, n_threads, seed, types=(AvcRcuNode,))
    nodes = [node for chain in chains(run) for node in chain]
    assert len(nodes) == len(set(nodes))
    assert len(nodes) == run.word(run.root.cache.active_nodes)
    seen = []
    for slot, chain in enumerate(chains(run)):
        for address in chain:
            node = run.view(node_type(run), address)
            key = run.word(node.ssid), run.word(node.tsid), run.word(node.tclass)
            assert slot == run.root.cache.slot_of(*key)
            seen.append(key)
    assert len(seen) == len(set(seen))


@pytest.mark.covering("cache", every=2)
@every_cache
@given(n_threads=st.integers(1, 5), seed=st.integers(0, 2**32))
@settings(max_examples=8)
def test_answers_are_possible_and_keys_cached_once(interleave, cache, n_threads, seed):
    """Under any schedule an answer is the policy's, or has bits granted by an update as well."""
    check_crowd(interleave, cache, n_threads, seed)


@pytest.mark.slow
@every_cache
@given(n_threads=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_many_crowds(interleave, cache, n_threads, seed):
    """As above, under more schedules."""
    check_crowd(interleave, cache, n_threads, seed)


class CheckTwice(Workload):
    """Misses once, then hits."""

    cache = part(AvcSpinlock)

    def thread(self):
        yield from self.cache.has_perm(1, 1, TCLASS, 1)
        yield pause()
        yield from self.cache.has_perm(1, 1, TCLASS, 1)


def second_check(run):
    """Operations of the second check of CheckTwice."""
    boundary = next(i for i, (_, op) in enumerate(run.performed) if op.kind == Kind.PAUSE)
    return [op for _, op in run.performed[boundary + 1 :]]


@every_cache
def test_a_hit_copies_the_whole_decision(interleave, cache):
    """A hit loads all five words of the decision, and computes nothing."""
    run = interleave(CheckTwice(cache=cache), 1, 0, types=(AvcRcuNode,))
    (chain,) = [chain for chain in chains(run) if chain]
    node = run.view(node_type(run), chain[0])
    words = {
        int(w) for w in (node.allowed, node.decided, node.auditallow, node.auditdeny, node.seqno)
    }
    loaded = {op.address for op in second_check(run) if op.kind == Kind.LOAD}
    assert words <= loaded
    assert [] == [op for op in second_check(run) if op.kind == Kind.COMPUTE]


@every_cache
def test_used_is_stored_as_asked(interleave, cache):
    """store_used = 1 stores the mark on a hit; 0 finds it set and leaves it."""
    run = interleave(CheckTwice(cache=cache), 1, 0, types=(AvcRcuNode,))
    (chain,) = [chain for chain in chains(run) if chain]
    used = int(run.view(node_type(run), chain[0]).used)
    stores = [op for op in second_check(run) if op.kind == Kind.STORE and op.address == used]
    assert run.root.cache.store_used == len(stores)
    assert run.word(run.view(node_type(run), chain[0]).used) == 1


@every_cache
def test_times_are_charged(interleave, cache):
    """A check costs check_ps and search_ps, a miss the security server's time as well."""
    timed = type(cache)(check_ps=7, search_ps=11, security_server_ps=13)
    run = interleave(CheckTwice(cache=timed), 1, 0, types=(AvcRcuNode,))
    assert [7, 11, 13, 7, 11] == [op.a for _, op in run.performed if op.kind == Kind.COMPUTE]


def test_no_check_grants_everything_for_nothing(interleave):
    """SELinux disabled: no denied bit, no operation that takes time."""
    script = [("check", 1, 0xFFFFFFFF), ("update", 1, 1), ("check", 2, 5)]
    workload = type("Scripted", (Script,), {"STEPS": script})(cache=NoCheck)
    run = interleave(workload, 1, 0)
    assert [0, 0, 0] == [value for _, mark, value in run.log if mark.name == "NOTE"]
    assert {Kind.FENCE} == {op.kind for _, op in run.performed}
