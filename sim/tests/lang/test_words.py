"""Numbers of 64 bits: the compiled functions are the plain ones, also where they wrap round."""

from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from locksim.checker.search import random_walk, runner
from locksim.lang import words

runner.runner()  # registers the functions with numba

INT64 = st.integers(-(2**63), 2**63 - 1)


@njit
def compiled(a, b, bits):
    """Every function of the module, compiled."""
    return words.plus(a, b), words.minus(a, b), words.times(a, b), words.shifted(a, bits)


@given(INT64, INT64, st.integers(1, 63))
def test_compiled_numbers_wrap_round_as_plain_ones(a, b, bits):
    """Sums, differences, products and logical shifts of any two numbers."""
    expected = (words.plus(a, b), words.minus(a, b), words.times(a, b), words.shifted(a, bits))
    assert expected == compiled(a, b, bits)


def draws(seed):
    """Draws with a choice between them, which an undefined overflow once turned into others."""
    state, out = words.zeros(1), words.zeros(40)
    state[0] = seed
    for k in range(len(out)):
        wanted = random_walk._draw(state, 16)
        if k != 1000 and random_walk._draw(state, 4) > 0:
            wanted = 0
        out[k] = wanted
    return out


def test_a_schedules_draws_are_the_same_compiled():
    """The compiled stream is the plain one, not only its first draw."""
    assert list(draws(5)) == list(njit(draws)(5))
