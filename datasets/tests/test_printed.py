"""Tests of lockdata.printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockdata import interval, number


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("24.4%", 24.4),
        ("0.1us", 0.1),
        ("14K", 14000.0),
        ("500,000", 500000.0),
        ("5000000", 5000000.0),
        ("1GHz", 1.0),
        ("[12]", 12.0),
        ("too long", None),
        ("---", None),
        ("", None),
        ("1.2.3", None),
        ("12,34", None),
        ("inf", None),
    ],
)
def test_number_examples(printed: str, expected: float | None) -> None:
    """A figure's decorations are dropped; what is no figure gives None."""
    assert expected == number(printed)


@given(value=st.floats(0, 1e7), digits=st.integers(0, 5))
def test_interval_holds_what_was_rounded(value: float, digits: int) -> None:
    """A number lies in the interval of its own rounded print, up to the float's own precision."""
    bounds = interval(f"{value:.{digits}f}")
    assert bounds is not None
    assert bounds[0] - 1e-8 <= value <= bounds[1] + 1e-8


@given(value=st.integers(0, 10**9))
def test_commas_change_nothing(value: int) -> None:
    """Commas between thousands do not change the number."""
    assert float(value) == number(f"{value:,}") == number(str(value))


@pytest.mark.parametrize(
    ("printed", "expected"),
    [("14K", (13500.0, 14500.0)), ("0%", (0.0, 0.5)), ("499us", (498.5, 499.5)), ("---", None)],
)
def test_interval_examples(printed: str, expected: tuple[float, float] | None) -> None:
    """Half a unit of the last digit each way, never below zero."""
    assert expected == interval(printed)
