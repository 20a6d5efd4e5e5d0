"""Label caches: what NetLabel asks for every labelled packet.

They have no base class of their own: ``label_put`` makes a struct one.

In the test clients all keys share a bucket, and a label's number is its key: another key's label,
or one that has been freed, is found. At the end every label is in the cache or has been freed, as
each reference is put back once; the checker reports any other as a leak.
"""

from __future__ import annotations

from locksim.core.client import Client
from locksim.kinds.kind import StructKind, resized
from locksim.kinds.load import LoadSettings
from locksim.lang import *
from locksim.library.avc.cipso import Cipso
from locksim.library.kernel.netlabel import NetLabel
from locksim.library.workloads.label_lookups import LabelLookups

SMALL = {"index_mask": 0, "n_buckets": 1, "reorder_limit": 0}
"""Sizes of one bucket, whose entries change places soon."""
LABEL_FAULTS = {"memory": "use of a freed label", "assertion": "wrong or lost label"}
"""What a use of dead memory and a failed assertion are called here."""


class LabelCacheKind(StructKind):
    """``lookup``, ``add``, ``label_new`` and ``label_put``."""

    base = Struct
    methods = ("label_put",)
    unit = "label lookups"
    paced = False

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Label lookups; a miss costs the hold time."""
        labels = NetLabel(cache=struct, option_ps=NS, translate_ps=settings.hold_ps)
        return LabelLookups(labels=labels, other_ps=max(settings.think_ps, 1))

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Label lookups of a few labels."""
        labels = NetLabel(cache=struct(), option_ps=think_ps // 10, translate_ps=think_ps)
        return [LabelLookups(labels=labels, other_ps=think_ps, n_labels=6)]

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """One thread alone; a key for each; one key for all; and eviction beside look-ups."""
        roomy = resized(struct, **SMALL, bucket_size=threads)
        crowded = resized(struct, **SMALL, bucket_size=1)
        loads: dict[str, Workload] = {
            "alone": LabellingAlone(cache=crowded),
            "a key for each": Labelling(cache=roomy, keys=threads, rounds=rounds, kept=1),
            "one key for all": Labelling(cache=roomy, rounds=rounds, kept=1),
            "eviction beside look-ups": Labelling(cache=crowded, keys=2, rounds=rounds),
        }
        return [Client(name, load, means=LABEL_FAULTS) for name, load in loads.items()]


class Labelling(Workload):
    """Every thread looks its key's label up, adds one if there is none, and looks it up again.

    Arguments:
        rounds: of each thread. keys: different ones, at least 1.
        kept: 1 if there is room for what all threads add.
    """

    rounds = param(1)
    keys = param(1)
    kept = param(0)
    cache = part(Cipso)

    def thread(self):
        for _ in range(self.rounds):
            found = yield from self.use(1 + thread() % self.keys)
            assert found or not self.kept

    def use(self, key):
        """Find a label, or make one."""
        label = yield from self.cache.lookup(key)
        if not label:
            label = yield from self.cache.label_new(key)
            added = yield from self.cache.add(key, label)
            assert added
        assert (yield label.secid.load(RELAXED)) == key
        yield from self.cache.label_put(label)
        again = yield from self.cache.lookup(key)
        if again:
            assert (yield again.secid.load(RELAXED)) == key
            yield from self.cache.label_put(again)
        return again != NULL


class LabellingAlone(Labelling):
    """Thread 0 adds one key and then another, for which there is room only in place of the first.

    Arguments:
        rounds, keys, kept: not used.
    """

    def thread(self):
        if thread() == 0:
            found = yield from self.use(1)
            assert found  # what was added is there
            found = yield from self.use(2)
            assert found
            first = yield from self.cache.lookup(1)
            assert not first  # it was evicted
