"""Tables that number rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from locksim.checker.search import compiled  # what the compiled table is compiled by
from locksim.checker.search.table import intern, refill

rows_of = st.lists(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=3, max_size=3))
WIDTH = 3


@njit
def compiled_intern(rows, slots, count, row):
    """The same function, compiled."""
    return intern(rows, slots, count, row)


def plain(capacity):
    """A table for rows of three, as plain Python has it."""
    return [0] * (capacity * WIDTH), [0] * (2 * capacity), [0]


def arrays(capacity):
    """A table for rows of three, as compiled code has it."""
    zeros = compiled.FUNCTIONS["zeros"]
    return zeros("q", capacity * WIDTH), zeros("i", 2 * capacity), zeros("q", 1)


@given(rows_of)
def test_numbers_are_those_of_a_dictionary(rows):
    """The same row has the same number; a new one has the next; compiled code stores the same."""
    table, same = plain(128), arrays(128)
    numbers: dict[tuple[int, ...], int] = {}
    for row in rows:
        expected = numbers.setdefault(tuple(row), len(numbers))
        assert expected == intern(*table, row)
        assert expected == compiled_intern(*same, np.array(row, np.int64))
    assert len(numbers) == table[2][0]
    assert table == tuple(part.tolist() for part in same)


@pytest.mark.parametrize("again", [refill, compiled.FUNCTIONS["refill"]], ids=["plain", "compiled"])
def test_every_row_is_found_again_after_growing(again):
    """Refilled slots know all rows."""
    for n in (1, 7, 60):
        rows, slots, count = arrays(64)
        for i in range(n):
            intern(rows, slots, count, [i, -i, 7])
        larger = np.zeros(512, np.int32)
        again(rows.tolist() if again is refill else rows, WIDTH, larger, n)
        assert list(range(n)) == [intern(rows, larger, count, [i, -i, 7]) for i in range(n)]
        assert n == count[0]
