"""A table of packed rows: the same row always gets the same number, and is kept in few bytes.

The shared rows are by far the most of what an exploration keeps: hundreds of columns, of which nine
in ten are 0 and most others are small. So a row is kept as bytes, one after another:

- 0, then a number from 1 to 255: so many zeros (those at the end of a row are left out);
- 1 to 127: this value;
- 128 to 247: a value of two bytes, less 128;
- 248 to 255: a value of as many bytes as this is above 247, lowest first; with eight bytes it may
  be negative.

Each row has one such form, so rows are compared by their bytes, in full, as
:mod:`locksim.checker.search.table` does.
"""

from __future__ import annotations

from typing import Any

from locksim.lang.randomness import GOLDEN
from locksim.lang.words import index, prefetch, shifted, times, wrap64

WORST = 9
"""Bytes that a column takes at most."""
_WIDE, _SHORT, _MOST = 247, 128, 128 + (247 - 128 + 1) * 256
_STEP = wrap64(0xBF58476D1CE4E5B9)
_AHEAD = 8


def pack(row: Any, packed: Any) -> int:
    """Write a row in its packed form; gives the number of bytes.

    Arguments:
        row: int[]. packed: what is written to, WORST numbers for each column.
    """
    n = zeros = 0
    for i in range(len(row)):
        value = row[i]
        if value == 0:
            zeros += 1
            continue
        while zeros:
            run = min(zeros, 255)
            packed[index(n)], packed[index(n + 1)] = 0, run
            n += 2
            zeros -= run
        if 0 < value < _SHORT:
            packed[index(n)] = value
            n += 1
        elif 0 < value < _MOST:
            packed[index(n)] = _SHORT + ((value - _SHORT) >> 8)
            packed[index(n + 1)] = (value - _SHORT) & 255
            n += 2
        else:
            length = 8
            if value > 0:
                length = 2
                while length < 8 and value >> 8 * length:
                    length += 1
            packed[index(n)] = _WIDE + length
            for k in range(length):
                packed[index(n + 1 + k)] = (value >> 8 * k) & 255
            n += 1 + length
    return n


def unpack(rows: Any, first: int, end: int, row: Any) -> None:
    """Read a row from its packed form, which stands from ``first`` up to ``end``."""
    i, at, width = 0, first, len(row)
    while at < end:
        value = rows[index(at)] & 255  # of an unsigned byte: numba would go on with floats
        at += 1
        if value == 0:
            for k in range(i, i + (rows[index(at)] & 255)):
                row[index(k)] = 0
            i += rows[index(at)] & 255
            at += 1
            continue
        if value > _WIDE:
            length = value - _WIDE
            value = 0
            for k in range(length):
                value |= times((rows[index(at + k)] & 255), 1 << 8 * k)
            at += length
        elif value >= _SHORT:
            value = ((value - _SHORT) << 8 | (rows[index(at)] & 255)) + _SHORT
            at += 1
        row[index(i)] = value
        i += 1
    for k in range(i, width):
        row[index(k)] = 0


def hash_bytes(rows: Any, first: int, end: int) -> int:
    """A hash of some bytes: a number of 44 bits."""
    h = GOLDEN
    for i in range(first, end):
        h = times(h ^ (rows[index(i)] & 255), _STEP)
        h ^= shifted(h, 32)
    return shifted(times(h, GOLDEN), 20)


def intern_packed(rows: Any, starts: Any, slots: Any, count: Any, row: Any, packed: Any) -> int:
    """The number of a row; a new row is packed and appended.

    Arguments:
        rows: bytes of the rows so far; must have room for one more.
        starts: int64[], where each row begins, and where the next one is to.
        slots: int32[power of two], 0 where empty, else a row's number + 1; must not be full.
        count: int64[1], how many rows there are.
        row: int[], the row to find. packed: scratch space, WORST numbers for each column.
    """
    length, mask = pack(row, packed), len(slots) - 1
    at = hash_bytes(packed, 0, length) & mask
    while True:
        number = int(slots[index(at)]) - 1
        if number < 0:
            break
        first, i = starts[index(number)], 0
        if starts[index(number + 1)] - first == length:
            while i < length and rows[index(first + i)] == packed[index(i)]:
                i += 1
            if i == length:
                return number
        at = (at + 1) & mask
    number = int(count[0])
    slots[index(at)] = number + 1
    first = starts[index(number)]
    for i in range(length):
        rows[index(first + i)] = packed[index(i)]
    starts[index(number + 1)] = first + length
    count[0] = number + 1
    return number


def refill_packed(rows: Any, starts: Any, slots: Any, count: int) -> None:
    """Enter all rows again into slots that are empty."""
    mask = len(slots) - 1
    for number in range(count):
        if number + _AHEAD < count:
            prefetch(rows, starts[index(number + _AHEAD)])
        at = hash_bytes(rows, starts[index(number)], starts[index(number + 1)]) & mask
        while slots[index(at)]:
            at = (at + 1) & mask
        slots[index(at)] = number + 1
