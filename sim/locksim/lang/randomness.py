"""Random numbers that both engines share: a counter-based stream for every thread.

Draw number k of thread i under seed s is a pure function of (s, i, k): Steele, Lea and Flood's
SplitMix64 finaliser (OOPSLA 2014) over the three, so that no draw of one thread can shift
another's.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, inline="never")
def mix(z):  # type: ignore[no-untyped-def]
    """SplitMix64's finaliser on an unsigned 64-bit number."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, inline="never")
def draw(seed, thread, counter):  # type: ignore[no-untyped-def]
    """Draw number ``counter`` of a thread: 62 random bits as a non-negative signed integer."""
    z = mix(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
    z = mix(z ^ (np.uint64(thread) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))
    z = mix(z + (np.uint64(counter) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))
    return np.int64(z >> np.uint64(2))


TRANSACTIONS = 1 << 20
"""The stream of the memory system, beside the threads' (which are numbered from 0): its k-th draw
is the jitter of the run's k-th transaction."""


@njit(cache=True, inline="never")
def exponential_of(bits, mean):  # type: ignore[no-untyped-def]
    """An exponentially distributed integer (rounded down) from 62 random bits."""
    return np.int64(-math.log((np.float64(bits) + 0.5) / 4611686018427387904.0) * np.float64(mean))


def below(bits: int, n: int) -> int:
    """A number in 0 … n-1 from 62 random bits.

    Raises:
        ValueError: n is not positive.
    """
    if n <= 0:
        raise ValueError(f"random_below({n}): the bound must be at least 1")
    return int(bits) % n


def exponential(bits: int, mean: int) -> int:
    """An exponentially distributed number from 62 random bits.

    Raises:
        ValueError: mean is not positive.
    """
    if mean <= 0:
        raise ValueError(f"random_exponential({mean}): the mean must be at least 1")
    return int(exponential_of(bits, mean))
