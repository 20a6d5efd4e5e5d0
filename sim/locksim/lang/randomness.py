"""Random numbers that both engines share: a counter-based stream for every thread.

Draw number k of thread i under seed s is a pure function of (s, i, k): Steele, Lea and Flood's
SplitMix64 finaliser (OOPSLA 2014) over the three, so that no draw of one thread can shift
another's. The numbers are signed ones of 64 bits, which stand for the unsigned ones of the paper.
"""

from __future__ import annotations

import math

from locksim.lang.words import plus, shifted, times, wrap64

GOLDEN = wrap64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = wrap64(0xBF58476D1CE4E5B9), wrap64(0x94D049BB133111EB)


def mix(z: int) -> int:
    """SplitMix64's finaliser on a 64-bit number."""
    z = times(z ^ shifted(z, 30), _FIRST)
    z = times(z ^ shifted(z, 27), _SECOND)
    return z ^ shifted(z, 31)


def draw(seed: int, thread: int, counter: int) -> int:
    """Draw number ``counter`` of a thread: 62 random bits as a non-negative signed integer."""
    z = mix(plus(seed, GOLDEN))
    z = mix(z ^ times(thread + 1, GOLDEN))
    z = mix(plus(z, times(counter + 1, GOLDEN)))
    return shifted(z, 2)


TRANSACTIONS = 1 << 20
"""The stream of the memory system, beside the threads' (which are numbered from 0): its k-th draw
is the jitter of the run's k-th transaction."""

ARBITRATIONS = TRANSACTIONS + 1
"""The stream of lines that select one of the waiting requests at random."""

TENURES = TRANSACTIONS + 2
"""The stream of line hold times: its k-th draw is that of the run's k-th transaction."""


def exponential_of(bits: int, mean: int) -> int:
    """An exponentially distributed integer (rounded down) from 62 random bits."""
    return int(-math.log((float(bits) + 0.5) / 4611686018427387904.0) * float(mean))


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
