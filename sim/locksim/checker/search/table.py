"""Tables that number different rows of integers: the same row always gets the same number.

A row is found by hash (open addressing, linear probing) and then compared in full, so two rows
never share a number: the checker does not gamble on hashes.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def hash_row(row):  # type: ignore[no-untyped-def]
    """A 64-bit hash of a row of integers."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(row.shape[0]):
        h = (h ^ np.uint64(row[i])) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    return h * np.uint64(0x94D049BB133111EB) >> np.uint64(20)


@njit(cache=True)
def intern(rows, slots, count, row):  # type: ignore[no-untyped-def]
    """The number of a row; a new row is copied in.

    Arguments:
        rows: int[capacity, width], the rows so far; must have room for one more.
        slots: int32[power of two], 0 where empty, else a row's number + 1; must not be full.
        count: int64[1], how many rows there are.
        row: int[width], the row to find.
    """
    mask = np.uint64(slots.shape[0] - 1)
    at = hash_row(row) & mask
    while True:
        number = slots[at] - 1
        if number < 0:
            number = count[0]
            slots[at] = number + 1
            for i in range(row.shape[0]):
                rows[number, i] = row[i]
            count[0] = number + 1
            return number
        same = True
        for i in range(row.shape[0]):
            if rows[number, i] != row[i]:
                same = False
                break
        if same:
            return np.int64(number)
        at = (at + np.uint64(1)) & mask


@njit(cache=True)
def refill(rows, slots, count):  # type: ignore[no-untyped-def]
    """Enter all rows again into slots that are empty."""
    mask = np.uint64(slots.shape[0] - 1)
    for number in range(count):
        at = hash_row(rows[number]) & mask
        while slots[at]:
            at = (at + np.uint64(1)) & mask
        slots[at] = number + 1
