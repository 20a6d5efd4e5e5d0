"""Tables that number rows."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from locksim.checker.search.table import intern, refill

rows_of = st.lists(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=3, max_size=3))


def empty(capacity):
    """A table for rows of three."""
    return (
        np.zeros((capacity, 3), np.int64),
        np.zeros(2 * capacity, np.int32),
        np.zeros(1, np.int64),
    )


@given(rows_of)
@settings(deadline=None)
def test_numbers_are_those_of_a_dictionary(rows):
    """The same row has the same number; a new one has the next."""
    table = empty(128)
    numbers: dict[tuple[int, ...], int] = {}
    for row in rows:
        expected = numbers.setdefault(tuple(row), len(numbers))
        assert expected == intern(*table, np.array(row, np.int64))
    assert len(numbers) == table[2][0]


@given(st.integers(1, 60))
@settings(deadline=None)
def test_every_row_is_found_again_after_growing(n):
    """Refilled slots know all rows."""
    rows, slots, count = empty(64)
    for i in range(n):
        intern(rows, slots, count, np.array([i, -i, 7], np.int64))
    larger = np.zeros(512, np.int32)
    refill(rows, larger, n)
    for i in range(n):
        assert i == intern(rows, larger, count, np.array([i, -i, 7], np.int64))
    assert n == count[0]
