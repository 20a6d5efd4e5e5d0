"""Whole numbers of 64 bits, as words and registers hold them, for plain and for compiled code.

The source of an engine or a checker that is compiled also runs as it stands. Some things differ
there, and they have names here: compiled numbers wrap round by themselves, and compiled code wants
arrays, which it indexes faster by unsigned numbers (:mod:`locksim.jit` replaces the functions).
"""

from __future__ import annotations


def wrap64(value: int) -> int:
    """A Python number as signed 64 bits, as memory and registers keep it."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def shifted(value: int, bits: int) -> int:
    """A signed number shifted right as if it were unsigned (logical shift)."""
    return (value >> bits) & ((1 << (64 - bits)) - 1)


def index(at: int) -> int:
    """A number that is not negative, to index with: compiled, it is not checked for its sign."""
    return at


def zeros(n: int) -> list[int]:
    """A row of n zeros: a list; compiled, an int64 array."""
    return [0] * n
