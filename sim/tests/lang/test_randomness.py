"""The random streams: uniform, independent of one another, and the same for ever."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from locksim.lang.randomness import TRANSACTIONS, below, draw, exponential, exponential_of

BITS = 62
SEEDS = st.integers(0, 2**63 - 1)
SURE = 1e-4
"""Least p-value that is accepted. Seeds are fixed, so a test that passes once passes always."""


def stream(seed: int, thread: int, n: int) -> np.ndarray:
    """The first n draws of a thread."""
    return np.array([draw(seed, thread, k) for k in range(n)], np.int64)


@given(seed=SEEDS, thread=st.integers(0, 1023), counter=st.integers(0, 2**40))
def test_draws_are_pure_and_in_range(seed, thread, counter):
    """A draw is a function of its arguments, and has 62 bits."""
    value = draw(seed, thread, counter)
    assert value == draw(seed, thread, counter)
    assert 0 <= value < 1 << BITS


def test_known_draws():
    """The streams are part of every stored trace: they must not change."""
    z = (0 + 0x9E3779B97F4A7C15) % 2**64
    golden = 0x9E3779B97F4A7C15

    def mix(z):
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    # SplitMix64's published first output for the state 0 is mix(golden).
    assert 0xE220A8397B1DCDAF == mix(golden)
    expected = mix((mix(mix(z) ^ golden) + golden) % 2**64) >> 2
    assert expected == draw(0, 0, 0)


@pytest.mark.parametrize("n", [2, 7, 10, 64, 1000])
def test_random_below_is_uniform(n):
    """A chi-square test over all values."""
    values = [below(int(bits), n) for bits in stream(11, 3, 40 * n)]
    assert set(range(n)) >= set(values)
    assert SURE < stats.chisquare(np.bincount(values, minlength=n)).pvalue


@pytest.mark.parametrize("bit", [0, 1, 31, 60, 61])
def test_every_bit_is_fair(bit):
    """As many ones as zeros, high bits and low bits alike."""
    ones = int((stream(5, 0, 10_000) >> bit & 1).sum())
    assert SURE < stats.binomtest(ones, 10_000).pvalue


def test_successive_draws_are_independent():
    """Pairs of neighbours fall evenly into the cells of a square."""
    values = stream(7, 1, 8_000) % 8
    cells = np.bincount(values[:-1] * 8 + values[1:], minlength=64)
    assert SURE < stats.chisquare(cells).pvalue


@pytest.mark.parametrize(
    ("one", "other"),
    [((1, 0), (1, 1)), ((1, 0), (2, 0)), ((1, 1), (2, 0)), ((1, 0), (1, TRANSACTIONS))],
    ids=["threads", "seeds", "both", "memory system"],
)
def test_streams_are_independent(one, other):
    """Streams of neighbouring seeds and threads have nothing to do with one another."""
    a, b = stream(*one, 8_000), stream(*other, 8_000)
    assert SURE < stats.chisquare(np.bincount(a % 8 * 8 + b % 8, minlength=64)).pvalue
    assert 0 == len(np.intersect1d(a, b))


@pytest.mark.parametrize("mean", [1, 50, 1_000_000])
def test_exponential_mean(mean):
    """Rounded down, the mean of many draws is 1 / (e^(1/mean) - 1)."""
    n = 20_000
    values = [exponential(int(bits), mean) for bits in stream(3, 2, n)]
    expected = 1 / np.expm1(1 / mean)
    # Five standard errors; that of an exponential distribution is its mean.
    assert abs(np.mean(values) - expected) < 5 * max(mean, 1) / np.sqrt(n)


def test_exponential_distribution():
    """A Kolmogorov-Smirnov test against the exponential distribution."""
    mean = 10**9
    values = [exponential_of(bits, mean) / mean for bits in stream(9, 4, 5_000)]
    assert SURE < stats.kstest(values, "expon").pvalue


@pytest.mark.parametrize("bits", [0, 1, (1 << BITS) - 1])
def test_extreme_bits(bits):
    """The least and the greatest draw give finite numbers in range."""
    assert bits % 10 == below(bits, 10)
    assert 0 <= exponential(bits, 100) < 100 * 50


@pytest.mark.parametrize("n", [0, -1])
def test_bounds_below_one(n):
    """A bound or mean of less than 1 is refused, with its value."""
    with pytest.raises(ValueError, match=rf"random_below\({n}\): the bound must be at least 1"):
        below(5, n)
    with pytest.raises(ValueError, match=rf"random_exponential\({n}\): the mean must be"):
        exponential(5, n)
