"""A label cache seen from outside: its hits show how many labels it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lockgrader.given.label_curve import LabelCurve, label_curve

OLD = LabelCurve(labels=(1, 100), bucket_size=10, lookups=800)


def held(asked: LabelCurve) -> float:
    """How many labels the cache holds."""
    last = label_curve(asked)[-1]
    return last.hits * last.labels


def test_old_index_uses_four_buckets() -> None:
    """Forty of a hundred labels; a label alone always hits and takes the least time."""
    first, last = label_curve(OLD)
    assert 1.0 == first.hits
    assert 36 < held(OLD) < 44
    assert last.ns - first.ns > 0.5 * OLD.miss_ns


def test_more_buckets_hold_less() -> None:
    """Nine bits leave one bit of the index: two buckets."""
    assert 16 < held(OLD.model_copy(update={"bits": 9})) < 24
    assert 1.0 == label_curve(OLD.model_copy(update={"old_index": False}))[-1].hits


@given(st.integers(1, 10), st.integers(5, 20), st.booleans(), st.integers(0, 2**32))
def test_drawn_numbers_keep_away_from_the_room(bits: int, size: int, old: bool, seed: int) -> None:
    """Half of what the cache holds at most, or twice at least: what is full is beyond doubt."""
    curve = LabelCurve(points=9, bits=bits, bucket_size=size, old_index=old, seed=seed)
    room = size * 2 ** (bin(bits - 1).count("1") if old else bits)
    numbers = curve.numbers()
    assert 9 == len(numbers)
    assert 3 == sum(2 * n <= room for n in numbers)
    assert 6 == sum(2 * room <= n <= 4 * room for n in numbers)


@pytest.mark.parametrize("both", [{}, {"labels": (1,), "points": 9}])
def test_numbers_are_given_once(both: dict[str, object]) -> None:
    """Written down, or drawn."""
    with pytest.raises(ValidationError, match="either 'labels' or 'points'"):
        LabelCurve.model_validate(both)
