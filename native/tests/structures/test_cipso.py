"""The CIPSO label cache against a model: hits, the order in a bucket, who is evicted."""

from __future__ import annotations

import ctypes
from collections import defaultdict

import pytest
import shims
from hypothesis import given
from hypothesis import strategies as st

BUCKET_SIZE, REORDER_LIMIT = 10, 10
ALL, AS_IT_WAS = 127, 6
Ten = ctypes.c_uint32 * 10


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return the compiled cache."""
    library = shims.load(tmp_path_factory.mktemp("cipso"), "cipso")
    library.shim_new.restype = ctypes.c_void_p
    library.shim_count.restype = ctypes.c_size_t
    library.shim_hash.restype = library.shim_lookup.restype = ctypes.c_uint32
    return library


class Model:
    """Buckets of [secid, activity], front first."""

    def __init__(self) -> None:
        self.buckets: dict[int, list[list[int]]] = defaultdict(list)

    def lookup(self, bucket: int, secid: int) -> bool:
        """Return whether the label is there; it rises, its neighbour sinks."""
        entries = self.buckets[bucket]
        place = next((i for i, entry in enumerate(entries) if entry[0] == secid), None)
        if place is None:
            return False
        entries[place][1] += 1
        if place > 0:
            before = entries[place - 1]
            before[1] = max(0, before[1] - 1)
            if entries[place][1] - before[1] > REORDER_LIMIT:
                entries[place - 1 : place + 1] = [entries[place], before]
        return True

    def add(self, bucket: int, secid: int) -> bool:
        """Put the label to the front; return whether another had to go."""
        entries = self.buckets[bucket]
        full = len(entries) == BUCKET_SIZE
        if full:
            entries.pop()
        entries.insert(0, [secid, 0])
        return full


def key_of(number: int) -> bytes:
    """Return an option's bytes; the secid is the number plus 1."""
    return b"\x86\x06" + number.to_bytes(4, "big")


# Runs of the same label let activities grow apart.
packets = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30)), max_size=60)


@given(packets=packets, mask=st.sampled_from([ALL, AS_IT_WAS]))
def test_is_the_model(shim: ctypes.CDLL, packets: list[tuple[int, int]], mask: int) -> None:
    """Hits, order, activities and evictions are the model's, with either index."""
    cache = ctypes.c_void_p(shim.shim_new(mask))
    model = Model()
    for number, times in packets:
        key = key_of(number)
        bucket = shim.shim_hash(key, len(key)) & mask
        for _ in range(times):
            hit = model.lookup(bucket, number + 1)
            assert hit * (number + 1) == shim.shim_lookup(cache, key, len(key))
            if not hit:
                added = 2 if model.add(bucket, number + 1) else 1
                assert added == shim.shim_add(cache, key, len(key), number + 1)
    for bucket, entries in model.buckets.items():
        secids, activities = Ten(), Ten()
        size = shim.shim_bucket(cache, bucket, secids, activities)
        assert entries == [[secids[i], activities[i]] for i in range(size)]
    assert sum(map(len, model.buckets.values())) == shim.shim_count(cache)
    shim.shim_free(cache)


@pytest.mark.parametrize(("mask", "room"), [(ALL, 1280), (AS_IT_WAS, 40)])
def test_room(shim: ctypes.CDLL, mask: int, room: int) -> None:
    """128 buckets hold 1280 labels; indexed with bits for buckets the cache holds 40."""
    cache = ctypes.c_void_p(shim.shim_new(mask))
    for number in range(20_000):
        key = key_of(number)
        shim.shim_add(cache, key, len(key), number + 1)
    assert room == shim.shim_count(cache)
    shim.shim_free(cache)


def test_a_longer_key_is_refused(shim: ctypes.CDLL) -> None:
    """A key that is longer than an IP option can be is not remembered."""
    cache = ctypes.c_void_p(shim.shim_new(ALL))
    assert 0 == shim.shim_add(cache, bytes(41), 41, 1)
    assert 0 == shim.shim_count(cache)
    shim.shim_free(cache)
