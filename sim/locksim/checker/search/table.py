"""Tables that number different rows of integers: the same row always gets the same number.

A row is found by hash (open addressing, linear probing) and then compared in full, so two rows
never share a number: the checker does not gamble on hashes.

The rows stand one after another in one array, which is the same to plain and to compiled code.
"""

from __future__ import annotations

from typing import Any

from locksim.lang.words import index, shifted, times, wrap64

_START, _STEP, _END = (
    wrap64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def hash_row(rows: Any, start: int, width: int) -> int:
    """A hash of ``width`` integers from ``start`` on: a number of 44 bits."""
    h = _START
    for i in range(start, start + width):
        h = times(h ^ rows[index(i)], _STEP)
        h ^= shifted(h, 29)
    return shifted(times(h, _END), 20)


def intern(rows: Any, slots: Any, count: Any, row: Any) -> int:
    """The number of a row; a new row is copied in.

    Arguments:
        rows: int[capacity * width], the rows so far; must have room for one more.
        slots: int32[power of two], 0 where empty, else a row's number + 1; must not be full.
        count: int64[1], how many rows there are.
        row: int[width], the row to find.
    """
    width, mask = len(row), len(slots) - 1
    at = hash_row(row, 0, width) & mask
    while True:
        number = slots[index(at)] - 1
        if number < 0:
            number = int(count[0])
            slots[index(at)] = number + 1
            first = number * width
            for i in range(width):
                rows[index(first + i)] = row[i]
            count[0] = number + 1
            return number
        first, i = number * width, 0
        while i < width and rows[index(first + i)] == row[index(i)]:
            i += 1
        if i == width:
            return int(number)
        at = (at + 1) & mask


def refill(rows: Any, width: int, slots: Any, count: int) -> None:
    """Enter all rows, of which each has ``width`` columns, again into slots that are empty."""
    mask = len(slots) - 1
    for number in range(count):
        at = hash_row(rows, number * width, width) & mask
        while slots[index(at)]:
            at = (at + 1) & mask
        slots[index(at)] = number + 1
