"""Tables that number different rows of integers: the same row always gets the same number.

A row is found by hash (open addressing, linear probing) and then compared in full, so two rows
never share a number: the checker does not gamble on hashes.

The rows stand one after another in one array, which is the same to plain and to compiled code.
"""

from __future__ import annotations

from typing import Any

from locksim.lang.randomness import GOLDEN
from locksim.lang.words import index, plus, prefetch, shifted, times, wrap64

_START, _STEP, _END = (
    wrap64(c) for c in (0xD6E8FEB86659FD93, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
_AHEAD = 8
"""Rows ahead of which a slot is fetched."""


def hash_row(rows: Any, start: int, width: int) -> int:
    """A hash of ``width`` integers from ``start`` on: a number of 44 bits."""
    h, place = 0, _START
    for i in range(start, start + width):  # no product waits for another
        value = times(rows[index(i)] ^ place, _STEP)
        h = plus(h, times(value ^ shifted(value, 32), _END))
        place = plus(place, GOLDEN)
    return shifted(times(h ^ shifted(h, 29), _STEP), 20)


def intern(rows: Any, slots: Any, count: Any, row: Any) -> int:
    """The number of a row; a new row is copied in.

    Arguments:
        rows: int[capacity * width], the rows so far; must have room for one more.
        slots: int32[power of two], 0 where empty, else a row's number + 1; must not be full.
        count: int64[1], how many rows there are.
        row: int[width], the row to find.
    """
    width = len(row)
    return intern_hashed(rows, slots, count, row, 0, width, hash_row(row, 0, width))


def intern_hashed(
    rows: Any, slots: Any, count: Any, source: Any, start: int, width: int, hashed: int
) -> int:
    """As :func:`intern`, for one of several rows in an array, whose hash is known.

    Arguments:
        source: int[], where the row is. start: its first place there. width: its length.
        hashed: what :func:`hash_row` gives for it.
    """
    mask = len(slots) - 1
    at = hashed & mask
    while True:
        number = slots[index(at)] - 1
        if number < 0:
            number = int(count[0])
            slots[index(at)] = number + 1
            first = number * width
            for i in range(width):
                rows[index(first + i)] = source[index(start + i)]
            count[0] = number + 1
            return number
        first, i = number * width, 0
        while i < width and rows[index(first + i)] == source[index(start + i)]:
            i += 1
        if i == width:
            return int(number)
        at = (at + 1) & mask


def refill(rows: Any, width: int, slots: Any, count: int) -> None:
    """Enter all rows, of which each has ``width`` columns, again into slots that are empty."""
    mask = len(slots) - 1
    for number in range(count):
        if number + _AHEAD < count:
            then = hash_row(rows, (number + _AHEAD) * width, width)
            prefetch(slots, then & mask)
        at = hash_row(rows, number * width, width) & mask
        while slots[index(at)]:
            at = (at + 1) & mask
        slots[index(at)] = number + 1
