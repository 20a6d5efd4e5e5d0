"""The lock-free hash table: one owner a key, references, comparisons that misbehave."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

import locknative

if locknative.has_urcu:
    from locknative import urcu


@pytest.fixture(params=["memb", "mb", "qsbr", "bp"])
def flavour(request: pytest.FixtureRequest) -> urcu.Flavour:
    """Each flavour; one that was not found at build time fails and says what to install."""
    return urcu.Flavour(request.param)


def test_like_a_dict(flavour: urcu.Flavour) -> None:
    """Adding, looking up, replacing, removing and iterating agree with a dict, across a resize."""
    table = flavour.hash_table()
    with flavour.reader():
        assert all(table.add_unique(n, str(n)) for n in range(2000))
        assert not table.add_unique(7, "other")
        assert "7" == table.replace(7, "seven", None)
        assert "8" == table.remove(8, None)
        assert "gone" == table.lookup(8, "gone")
        with flavour.read_lock():
            found = dict(table)
    assert {n: str(n) for n in range(2000) if n != 8} | {7: "seven"} == found


def test_iteration_needs_its_section(flavour: urcu.Flavour) -> None:
    """Outside a section, or in a later one, iteration is refused."""
    table = flavour.hash_table()
    with pytest.raises(urcu.UrcuError, match="in no read-side section"):
        iter(table)
    with flavour.reader():
        with flavour.read_lock():
            entries = iter(table)
        with flavour.read_lock(), pytest.raises(urcu.UrcuError, match="has ended"):
            next(entries)


def test_one_thread_wins_each_key(flavour: urcu.Flavour) -> None:
    """Of four threads that add and remove the same keys, one succeeds at each."""
    table = flavour.hash_table()

    def add() -> int:
        with flavour.reader():
            return sum(table.add_unique(f"{n}", n) for n in range(500))

    def remove() -> int:
        with flavour.reader():
            return sum(table.remove(f"{n}", None) is not None for n in range(500))

    for work in (add, remove):
        with ThreadPoolExecutor(4) as pool:
            assert 500 == sum(each.result() for each in [pool.submit(work) for _ in range(4)])


def test_comparison_misbehaves(flavour: urcu.Flavour) -> None:
    """A key that raises, uses the table or ends sections while it is compared does no harm."""
    table = flavour.hash_table()

    class Key:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            table.lookup(2, None)
            section = flavour.read_lock()
            for misuse in (flavour.synchronize, lambda: section.__exit__(None, None, None)):
                with pytest.raises(urcu.UrcuError):
                    misuse()
            raise KeyError("compared")

    with flavour.reader():
        table.add_unique(1, "one")
        for use in (
            lambda: table.lookup(Key(), None),
            lambda: table.add_unique(Key(), 0),
            lambda: table.replace(Key(), 0, None),
            lambda: table.remove(Key(), None),
        ):
            with pytest.raises(KeyError, match="compared"):
                use()
        assert "one" == table.lookup(1, None)


def test_nothing_leaks(flavour: urcu.Flavour) -> None:
    """Removed, replaced and left entries are all released after a barrier."""

    class Value:
        alive = 0

        def __init__(self) -> None:
            Value.alive += 1

        def __del__(self) -> None:
            Value.alive -= 1

    table = flavour.hash_table()
    with flavour.reader():
        for n in range(300):
            table.add_unique(n, Value())
        for n in range(100):
            table.replace(n, Value(), None)
            table.remove(n + 100, None)
            table.add_unique(n, Value())
        flavour.barrier()
        assert 200 == Value.alive
        del table
    flavour.barrier()
    gc.collect()
    assert 0 == Value.alive
