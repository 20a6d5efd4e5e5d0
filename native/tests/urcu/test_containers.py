"""Queues, stacks, the list and the table's larger part, against Python's own containers."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

import locknative

if locknative.has_urcu:
    from locknative import urcu

FLAVOURS = ["memb", "mb", "qsbr", "bp"]


@pytest.fixture(params=FLAVOURS)
def flavour(request: pytest.FixtureRequest) -> urcu.Flavour:
    """Each flavour; one that was not found at build time fails and says what to install."""
    return urcu.Flavour(request.param)


# A number is put, None takes one.
operations = st.lists(st.one_of(st.none(), st.integers(0, 9)), max_size=60)


@given(name=st.sampled_from(FLAVOURS), todo=operations)
def test_queues_are_deques(name: str, todo: list[int | None]) -> None:
    """Both queues give what a deque gives; the wait-free one says what was there."""
    flavour = urcu.Flavour(name)
    wait_free, lock_free, model = flavour.wfcqueue(), flavour.lfqueue(), deque[int]()
    with flavour.reader():
        for value in todo:
            if value is None:
                last = len(model) == 1
                expected = model.popleft() if model else "none"
                assert expected == lock_free.dequeue("none")
                assert (expected, last) == wait_free.dequeue_with_state("none")
            else:
                assert bool(model) == wait_free.enqueue(value)
                lock_free.enqueue(value)
                model.append(value)
            assert (not model, list(model)) == (wait_free.is_empty(), list(wait_free))


@given(name=st.sampled_from(FLAVOURS), todo=operations)
def test_stacks_are_lists(name: str, todo: list[int | None]) -> None:
    """Both stacks give what a list gives from its end."""
    flavour = urcu.Flavour(name)
    wait_free, lock_free, model = flavour.wfstack(), flavour.lfstack(), list[int]()
    for value in todo:
        if value is None:
            last = len(model) == 1
            expected = model.pop() if model else "none"
            assert expected == lock_free.pop("none")
            assert (expected, last) == wait_free.pop_with_state("none")
        else:
            assert (bool(model), bool(model)) == (wait_free.push(value), lock_free.push(value))
            model.append(value)
        assert (not model, not model) == (wait_free.is_empty(), lock_free.is_empty())
    assert model[::-1] == wait_free.pop_all() == lock_free.pop_all()
    assert wait_free.is_empty()
    assert lock_free.is_empty()


def test_splice(flavour: urcu.Flavour) -> None:
    """Splicing moves all values behind those that are there; a queue is not spliced to itself."""
    to, source = flavour.wfcqueue(), flavour.wfcqueue()
    assert not to.splice(source)
    for value in "abc":
        source.enqueue(value)
    assert not to.splice(source)
    source.enqueue("d")
    assert to.splice(source)
    assert (["a", "b", "c", "d"], []) == (list(to), list(source))
    with pytest.raises(ValueError, match="to itself"):
        to.splice(to)


def test_list(flavour: urcu.Flavour) -> None:
    """Nodes are added at both ends, replaced and removed; a reader goes on past removed ones."""
    names, other = flavour.rculist(), flavour.rculist()
    middle = names.add("b")
    names.add("a")
    last = names.add_tail("c")
    foreign = other.add("elsewhere")
    with flavour.reader(), flavour.read_lock():
        reading = iter(names)
        assert ["a", "b"] == [next(reading), next(reading)]
        assert "b" == names.remove(middle)
        last = names.replace(last, "C")
        assert ["c"] == list(reading)  # "b" still shows the way that it knew
        assert ["a", "C"] == list(names)
    assert last.in_list
    assert not middle.in_list
    for node in (middle, foreign):
        with pytest.raises(urcu.UrcuError, match="not in this list"):
            names.remove(node)
    with pytest.raises(urcu.UrcuError, match="in no read-side section"):
        iter(names)


def test_duplicates(flavour: urcu.Flavour) -> None:
    """Entries of one key live side by side, and are removed one at a time."""
    table = flavour.hash_table()
    with flavour.reader():
        for value in (1, 2, 3):
            table.add("key", value)
        table.add("other", 4)
        assert [1, 2, 3] == sorted(table.duplicates("key"))
        assert [] == table.duplicates("none")
        removed = table.remove("key")
        assert {1, 2, 3} == {removed, *table.duplicates("key")}
        assert 3 == table.count_nodes().count


def test_add_replace(flavour: urcu.Flavour) -> None:
    """An entry takes the place of one of its key; a comparison that raises changes nothing."""

    class Raises:
        def __hash__(self) -> int:
            return hash("key")

        def __eq__(self, other: object) -> bool:
            raise KeyError("compared")

    table = flavour.hash_table()
    with flavour.reader():
        assert "none" == table.add_replace("key", 1, "none")
        assert 1 == table.add_replace("key", 2)
        for use in (table.duplicates, lambda key: table.add_replace(key, 3)):
            with pytest.raises(KeyError, match="compared"):
                use(Raises())
        with flavour.read_lock():
            assert [("key", 2)] == list(table)


def test_resize(flavour: urcu.Flavour) -> None:
    """A table that does not resize itself can be resized; all its entries stay."""
    table = flavour.hash_table(4, auto_resize=False)
    with flavour.reader():
        for number in range(500):
            table.add_unique(number, number)
        for buckets in (1024, 1):
            table.resize(buckets)
            with flavour.read_lock():
                assert set(range(500)) == {key for key, _ in table}
    for buckets in (0, 3, 2**21):
        with pytest.raises(ValueError, match="power of two"):
            table.resize(buckets)
        with pytest.raises(ValueError, match="power of two"):
            flavour.hash_table(buckets)
    with pytest.raises(urcu.UrcuError, match="resizes itself"):
        flavour.hash_table().resize(64)


@pytest.mark.parametrize("make", ["wfcqueue", "lfqueue", "wfstack", "lfstack"])
def test_nothing_is_lost(make: str, flavour: urcu.Flavour) -> None:
    """What two threads put in, two others take out, each value once."""
    container = getattr(flavour, make)()
    put = getattr(container, "enqueue", None) or container.push
    take = getattr(container, "dequeue", None) or container.pop

    def fill(first: int) -> None:
        with flavour.reader():
            for number in range(first, 1000, 2):
                put(number)

    def drain() -> list[int]:
        with flavour.reader():
            return [value for _ in range(500) if (value := take()) is not None]

    with ThreadPoolExecutor(4) as pool:
        filling = [pool.submit(fill, first) for first in (0, 1)]
        draining = [pool.submit(drain) for _ in range(2)]
        for each in filling:
            each.result()
        taken = [value for each in draining for value in each.result()]
    with flavour.reader():
        while (value := take()) is not None:
            taken.append(value)
    assert list(range(1000)) == sorted(taken)
