"""The old cache's pool: nodes are conserved, and the hand gives second chances."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.core.result import SimulationError
from locksim.lang import NULL, Workload, note, param, part, random_below
from locksim.lang.ops import Kind
from locksim.library.avc.avc_pool import AvcNode
from locksim.library.avc.avc_rwlock import AvcRWLock
from locksim.library.avc.avc_spinlock import AvcSpinlock

TCLASS = 1


class Keys(Workload):
    """Checks of random keys on every CPU."""

    n_keys = param(12)
    checks = param(15)
    cache = part(AvcSpinlock)

    def thread(self):
        for _ in range(self.checks):
            yield from self.cache.has_perm(1, random_below(self.n_keys), TCLASS, 1)


class SecondChance(Workload):
    """Fills three nodes and then asks for a fourth key, with key 0 used again before that."""

    cache = part(AvcSpinlock)

    def thread(self):
        for tsid in (0, 1, 2, 3, 0, 4):
            yield from self.cache.has_perm(0, tsid, 0, 1)
            yield note(tsid)


def walk(run, first):
    """Addresses of a chain's nodes."""
    found = []
    while first != NULL:
        found.append(first)
        assert len(found) <= run.root.cache.n_nodes
        first = run.word(run.view(AvcNode, first).next)
    return found


def cached_keys(run):
    """The tsid of every node on a chain."""
    cache = run.root.cache
    nodes = [n for i in range(cache.n_slots) for n in walk(run, run.word(cache.slots[i]))]
    return sorted(run.word(run.view(AvcNode, n).tsid) for n in nodes)


@pytest.mark.parametrize("kind", [AvcSpinlock, AvcRWLock])
@given(n_threads=st.integers(1, 5), n_nodes=st.integers(1, 8), seed=st.integers(0, 2**32))
def test_nodes_are_conserved(interleave, kind, n_threads, n_nodes, seed):
    """Every node is on the free list or on exactly one chain, whatever the schedule."""
    run = interleave(Keys(cache=kind(n_slots=4, n_nodes=n_nodes)), n_threads, seed)
    cache = run.root.cache
    chained = [n for i in range(cache.n_slots) for n in walk(run, run.word(cache.slots[i]))]
    everything = chained + walk(run, run.word(cache.free_list))
    assert sorted(int(cache.nodes[i]) for i in range(n_nodes)) == sorted(everything)


def test_the_hand_spares_a_used_node(interleave):
    """The fourth key takes all marks and one node away; a key used after that is spared."""
    run = interleave(SecondChance(cache=AvcSpinlock(n_slots=4, n_nodes=3)), 1, 0)
    # All keys share slot 0; the chain, newest first, is 2 1 0. Key 3 finds all marked, takes the
    # marks, and on the second round takes the first node, 2. Then 0 is marked again; 4 takes 1.
    assert [0, 3, 4] == cached_keys(run)


@pytest.mark.parametrize("slots", [3, 6, 12])
def test_slots_are_a_power_of_two(interleave, slots):
    """Another number of slots would leave some unused: refused before the run starts."""
    with pytest.raises((AssertionError, SimulationError)):
        interleave(Keys(cache=AvcSpinlock(n_slots=slots)), 1, 0)


def test_reference_skips_the_hash(interleave):
    """With a reference a repeated check loads no slot, and gives the same answer."""

    class Repeat(Workload):
        cache = part(AvcSpinlock)

        def thread(self):
            for _ in range(5):
                yield from self.cache.has_perm(1, 1, TCLASS, 1)

    loads = {}
    for use in (0, 1):
        run = interleave(Repeat(cache=AvcSpinlock(n_slots=4, use_reference=use)), 1, 0)
        cache = run.root.cache
        slots = {int(cache.slots[i]) for i in range(cache.n_slots)}
        loads[use] = sum(op.kind == Kind.LOAD and op.address in slots for _, op in run.performed)
    # A miss looks at the slot three times: before it computes, when it searches again, and to link.
    assert {0: 3 + 4, 1: 3} == loads
