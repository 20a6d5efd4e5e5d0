"""Whole numbers of 64 bits, as words and registers hold them, for plain and for compiled code.

The source of an engine or a checker that is compiled also runs as it stands. Some things differ
there, and they have names here (:mod:`locksim.jit` replaces the functions). Python's numbers have
no end. A compiled signed sum that leaves 64 bits is *undefined*: numba promises LLVM that it does
not happen (``nsw``), and LLVM draws wrong conclusions. So whatever may wrap round is computed by
:func:`plus`, :func:`minus` and :func:`times`. Compiled code wants arrays, which it indexes faster
by unsigned numbers.
"""

from __future__ import annotations

from typing import Any


def wrap64(value: int) -> int:
    """A Python number as signed 64 bits, as memory and registers keep it."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def plus(a: int, b: int) -> int:
    """The sum of two numbers of 64 bits, which wraps round."""
    return wrap64(a + b)


def minus(a: int, b: int) -> int:
    """The difference of two numbers of 64 bits, which wraps round."""
    return wrap64(a - b)


def times(a: int, b: int) -> int:
    """The product of two numbers of 64 bits, which wraps round."""
    return wrap64(a * b)


def shifted(value: int, bits: int) -> int:
    """A signed number shifted right as if it were unsigned (logical shift)."""
    return (value >> bits) & ((1 << (64 - bits)) - 1)


def index(at: int) -> int:
    """A number that is not negative, to index with: compiled, it is not checked for its sign."""
    return at


def prefetch(row: Any, at: int) -> None:
    """Announce a read of a row at an index: compiled, its cache line is fetched meanwhile."""


def zeros(n: int) -> list[int]:
    """A row of n zeros: a list; compiled, an int64 array."""
    return [0] * n
