"""Leaks: what is alive in the end, and what still points to it."""

import pytest
from checker.zoo import HeapMCS

from locksim.checker import check_lock, check_workload, replay
from locksim.checker.client import Client
from locksim.lang import RELAXED, Struct, Workload, alloc, cpu, param, pointer, thread, word


class Link(Struct):
    """A node that points on."""

    next = pointer("Link")


class Chain(Workload):
    """Builds a chain, and lets go of it or not.

    Arguments:
        keeps: whether the first link is kept.
    """

    keeps = param(1)
    first = pointer(Link)
    other = word()

    def thread(self):
        if thread() == 0:
            one = yield alloc(Link)
            two = yield alloc(Link)
            yield one.next.store(two, RELAXED)
            yield self.first.store(one, RELAXED)
        elif not self.keeps:
            yield self.first.store(0, RELAXED)


class HeapMCSNeverFrees(HeapMCS):
    """Leak: the node is forgotten when the lock is released."""

    def release(self):
        node = yield self.mine[cpu()].load(RELAXED)
        if (yield self.tail.compare_swap(node, 0)) != node:
            after = yield node.next.load()
            while not after:
                after = yield node.next.load()
            yield after.locked.store(0)
        yield self.mine[cpu()].store(0, RELAXED)


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("asked", ["leak", "all"])
def test_what_nothing_points_to_is_a_leak(memory, asked):
    """One interleaving loses the chain; the generators lose it too."""
    workload = Chain(keeps=0)
    verdict = check_workload(workload, threads=2, memory=memory, property=asked, simplest=False)
    assert ("violated", "leak") == (verdict.verdict, verdict.found)
    assert "nothing points to &Link@" in verdict.counterexample.message
    assert ", &Link@" in verdict.counterexample.message
    client = Client("", workload)
    assert "leak" == replay(verdict.counterexample, client, memory=memory, types=[Link])


def test_what_is_reached_over_others_is_no_leak():
    """The second link is held by the first."""
    assert check_workload(Chain(), threads=2, property="leak").is_proof()


def test_lock_that_never_frees_leaks():
    """Its right relative does not."""
    assert check_lock(HeapMCS, threads=2, rounds=2, property="leak").is_proof()
    verdict = check_lock(HeapMCSNeverFrees, threads=2)
    assert ("violated", "leak") == (verdict.verdict, verdict.found)
    assert "HeapNode@" in verdict.counterexample.message
