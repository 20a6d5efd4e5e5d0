"""The RCU cache: reads write nothing, memory is bounded and comes back, no memory is no denial."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.core.result import SimulationError
from locksim.lang import RELAXED, RELEASE, Workload, alloc, free, note, param, part, random_below
from locksim.lang.ops import Kind, Mark
from locksim.library.avc.avc_rcu import AvcRCU, AvcRcuNode

TCLASS = 1
TYPES = (AvcRcuNode,)


class Keys(Workload):
    """Checks and updates of random keys on every CPU, then this CPU leaves."""

    n_keys = param(12)
    rounds = param(15)
    update_percent = param(30)
    cache = part(AvcRCU)

    def thread(self):
        for _ in range(self.rounds):
            key = random_below(self.n_keys)
            if random_below(100) < self.update_percent:
                yield from self.cache.update(key, 1, TCLASS, 1)
            else:
                denied = yield from self.cache.has_perm(key, 1, TCLASS, 0xFF)
                yield note(denied)
            yield from self.cache.syscall_exit()
        yield from self.cache.rcu.offline()


class FreeingAVC(AvcRCU):
    """Wrong: an update frees the old entry at once."""

    def update(self, ssid, tsid, tclass, granted):
        new = yield alloc(AvcRcuNode)
        link = self.slots[self.slot_of(ssid, tsid, tclass)]
        yield from self.slot_locks[self.slot_of(ssid, tsid, tclass)].acquire()
        node = yield link.load(RELAXED)
        if node:
            yield from self.fill(new, ssid, tsid, tclass, granted)
            yield from self.link_copy(node, new)
            yield link.store(new, RELEASE)
            yield free(node)
        else:
            yield free(new)
        yield from self.slot_locks[self.slot_of(ssid, tsid, tclass)].release()


def cached(run):
    """Addresses of all entries."""
    found = []
    for i in range(run.root.cache.n_slots):
        link = run.root.cache.slots[i]
        while run.word(link):
            found.append(run.word(link))
            link = run.view(AvcRcuNode, found[-1]).next
    return found


@given(
    n_threads=st.integers(1, 5),
    threshold=st.integers(1, 6),
    reclaim_count=st.integers(1, 16),
    seed=st.integers(0, 2**32),
)
def test_bounded_and_nothing_leaks(interleave, n_threads, threshold, reclaim_count, seed):
    """Entries stay near the threshold; after the drain exactly the cached ones are allocated."""
    cache = AvcRCU(n_slots=4, threshold=threshold, reclaim_count=reclaim_count)
    run = interleave(Keys(cache=cache), n_threads, seed, types=TYPES)
    entries = cached(run)
    assert len(entries) == run.word(run.root.cache.active_nodes)
    assert len(entries) == run.live_objects
    # One CPU's excess over the threshold lasts until the next insertion that takes out two.
    if reclaim_count > n_threads:
        assert len(entries) <= threshold + n_threads


@given(seed=st.integers(0, 2**32))
def test_entries_are_reclaimed_16_at_a_time(interleave, seed):
    """The insertion that passes the threshold takes out no more than the reclaim's number."""
    cache = AvcRCU(n_slots=64, threshold=40)
    run = interleave(
        Keys(n_keys=64, rounds=120, update_percent=0, cache=cache), 1, seed, types=TYPES
    )
    # One CPU: entries climb to the threshold and fall by 16, so they end between the two.
    assert 40 - 16 <= len(cached(run)) <= 41


def test_no_memory_is_no_denial(interleave):
    """Where no entry can be allocated the answers are right all the same, and nothing is cached."""
    answers = []
    for no_memory in (False, True):
        workload = Keys(update_percent=0, cache=AvcRCU(n_slots=4))
        run = interleave(workload, 1, 4, types=TYPES, no_memory=no_memory)
        answers.append([value for _, mark, value in run.log if mark == Mark.NOTE])
    assert answers[0] == answers[1]
    assert 0 < len(answers[1])
    assert [] == cached(run)


def test_updates_without_memory_change_nothing(interleave):
    """An update that gets no memory leaves the cache as it was."""
    run = interleave(Keys(update_percent=100), 2, 4, types=TYPES, no_memory=True)
    assert 0 == run.live_objects
    assert 0 == run.word(run.root.cache.active_nodes)


def test_a_hit_writes_nothing(interleave):
    """After the first checks of one key no CPU writes anything but what going offline takes."""
    run = interleave(Keys(n_keys=1, rounds=30, update_percent=0), 3, 1, types=TYPES)
    cache = run.root.cache
    entry = run.view(AvcRcuNode, cached(run)[0])
    late = run.performed[len(run.performed) // 2 :]
    written = {op.address for _, op in late if Kind.STORE <= op.kind <= Kind.FETCH_XOR}
    rcu = cache.rcu
    bookkeeping = {int(w) for w in (rcu.lock.locked, rcu.online, rcu.waiting_for, rcu.current)}
    bookkeeping |= {int(rcu.completed), int(rcu.asked)}
    for i in range(3):
        mine = rcu.cpus[i]
        bookkeeping |= {int(w) for w in (mine.passed, mine.batch, mine.this_batch, mine.next_batch)}
    assert written <= bookkeeping
    assert int(entry.used) not in written


def test_freeing_at_once_is_caught(interleave):
    """An update that frees the entry it replaced is found by some schedule."""
    caught = 0
    for seed in range(40):
        workload = Keys(n_keys=1, update_percent=50, cache=FreeingAVC(n_slots=1))
        try:
            interleave(workload, 3, seed, types=TYPES)
        except AssertionError as error:
            caught += "dead memory" in str(error) or "no live object" in str(error)
    assert caught > 0


@pytest.mark.parametrize("slots", [3, 100])
def test_slots_are_a_power_of_two(interleave, slots):
    """Another number of slots is refused before the run starts."""
    with pytest.raises((AssertionError, SimulationError)):
        interleave(Keys(cache=AvcRCU(n_slots=slots)), 1, 0, types=TYPES)
