"""Numbers that people read."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockui.numbers import significant


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.16667, "0.167"),
        (-12.34, "-12.3"),
        (999.4, "999"),
        (999.5, "1,000"),
        (2398, "2,398"),
        (-65_536, "-65,536"),
        (1_234_567.8, "1,234,568"),
        (1e12, "1,000,000,000,000"),
        (-1e300, "-1e+300"),
        (math.inf, "inf"),
        (math.nan, "nan"),
    ],
)
def test_three_digits(value: float, text: str) -> None:
    """Three significant digits below 1,000, commas and no exponent above."""
    assert text == significant(value)


@given(st.floats(0.001, 1e12), st.integers(3, 6))
def test_no_exponent(value: float, digits: int) -> None:
    """The text has no exponent and is within half of its last digit."""
    text = significant(value, digits)
    assert "e" not in text
    off = abs(value - float(text.replace(",", "")))
    assert off <= (0.5 if value >= 999 else 0.51 * 10.0 ** (1 - digits) * value)
