"""The label cache: rings hold, references are conserved, the old index uses four buckets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locksim.lang import RELAXED, Workload, note, param, part, random_below
from locksim.library.avc.cipso import (
    BUCKET_SIZE,
    BUCKETS,
    INDEX_ALL,
    INDEX_AS_IT_WAS,
    REORDER_LIMIT,
    Cipso,
    CipsoEntry,
    CipsoLabel,
)
from locksim.library.kernel.netlabel import NetLabel
from locksim.library.workloads.label_lookups import LabelLookups
from locksim.study.simulation import simulate

TYPES = (CipsoLabel, CipsoEntry)


class Messages(Workload):
    """Random labels, asked for on every CPU."""

    n_labels = param(30)
    messages = param(25)
    labels = part(NetLabel(option_ps=1, translate_ps=10))

    def thread(self):
        for _ in range(self.messages):
            yield from self.labels.getattr(random_below(self.n_labels))


class Busy(Workload):
    """Two labels of one bucket, then the one at the back again and again; notes its place."""

    asked = param(12)
    cache = part(Cipso(index_mask=0))

    def thread(self):
        for key in range(2):
            label = yield from self.cache.label_new(100 + key)
            yield from self.cache.add(key, label)
            yield from self.cache.label_put(label)
        for _ in range(self.asked):
            label = yield from self.cache.lookup(0)
            yield note((yield label.secid.load(RELAXED)))
            yield from self.cache.label_put(label)


def entries(run, cache):
    """The entries of each bucket, front first; fails if a ring is broken."""
    found = []
    for i in range(BUCKETS):
        bucket = cache.buckets[i]
        ring, at, chain = bucket.list, run.word(bucket.list.after), []
        while at != int(ring):
            entry = run.view(CipsoEntry, at)
            assert at == run.word(run.view(type(ring), run.word(entry.list.after)).before)
            chain.append(entry)
            assert len(chain) <= BUCKET_SIZE
            at = run.word(entry.list.after)
        assert len(chain) == run.word(bucket.size)
        found.append(chain)
    return found


@pytest.mark.parametrize("mask", [INDEX_ALL, INDEX_AS_IT_WAS, 0])
@given(n_threads=st.integers(1, 4), n_labels=st.integers(1, 60), seed=st.integers(0, 2**32))
@settings(max_examples=15)
def test_rings_and_references(interleave, mask, n_threads, n_labels, seed):
    """Every ring is as long as its bucket says, and each label has its entry's reference only."""
    labels = NetLabel(option_ps=1, translate_ps=10, cache=Cipso(index_mask=mask))
    run = interleave(Messages(labels=labels, n_labels=n_labels), n_threads, seed, types=TYPES)
    cache = run.root.labels.cache
    for i, chain in enumerate(entries(run, cache)):
        for entry in chain:
            assert i == run.word(entry.hash) & mask
            label = run.view(CipsoLabel, run.word(entry.label))
            assert 1 == run.word(label.references)
            assert run.word(label.secid) == run.word(entry.option)


def test_the_old_index_reaches_four_buckets(interleave):
    """``hash & 6``: buckets 0, 2, 4 and 6, whatever the labels."""
    labels = NetLabel(option_ps=1, cache=Cipso(index_mask=INDEX_AS_IT_WAS))
    run = interleave(Messages(labels=labels, n_labels=400, messages=300), 1, 1, types=TYPES)
    chains = entries(run, run.root.labels.cache)
    assert [0, 2, 4, 6] == [i for i, chain in enumerate(chains) if chain]
    assert 4 * BUCKET_SIZE == sum(map(len, chains))


def test_the_mended_index_spreads_keys(interleave):
    """A hundred labels fall into at least half as many buckets, and none is evicted."""
    labels = NetLabel(option_ps=1)
    run = interleave(Messages(labels=labels, n_labels=100, messages=1200), 1, 1, types=TYPES)
    chains = entries(run, run.root.labels.cache)
    assert 100 == sum(map(len, chains))
    assert 50 <= sum(bool(chain) for chain in chains)


@pytest.mark.parametrize(
    ("asked", "front"), [(REORDER_LIMIT, [101, 100]), (REORDER_LIMIT + 1, [100, 101])]
)
def test_a_busy_label_comes_to_the_front(interleave, asked, front):
    """When it leads by more than ten it changes places with its neighbour."""
    run = interleave(Busy(asked=asked), 1, 0, types=TYPES)
    chain = entries(run, run.root.cache)[0]
    seen = [run.word(run.view(CipsoLabel, run.word(entry.label)).secid) for entry in chain]
    assert front == seen


def test_the_index_decides_what_many_labels_cost():
    """At 200 labels the old index misses most of the time, the mended one never."""
    rate = {}
    for mask in (INDEX_ALL, INDEX_AS_IT_WAS):
        labels = NetLabel(option_ps=1000, translate_ps=10_000_000, cache=Cipso(index_mask=mask))
        run = simulate(
            LabelLookups(labels=labels, n_labels=200, other_ps=1_000_000),
            machine="ideal-1",
            operations=2000,
            warmup=2000,
            replications=1,
        )
        rate[mask] = run.throughput().mean
    assert rate[INDEX_ALL] > 5 * rate[INDEX_AS_IT_WAS]
