"""The root of noisy functions: found where there is one, within bounds, and nothing else moved."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from locksim.study.twin.root import find_root

NUMBERS = st.floats(-2, 2, allow_nan=False)


@settings(max_examples=40, deadline=None)
@given(st.tuples(NUMBERS, NUMBERS), st.floats(0.2, 2), st.floats(-0.5, 0.5))
def test_the_root_of_a_curved_map_is_found(at, slope, bend):
    """Two knobs that act on two residuals, neither of them straight."""

    def function(x):
        d = x - np.array(at)
        return np.array([slope * d[0] + bend * d[1], d[1] + 0.1 * d[1] ** 3 - 0.3 * d[0]])

    if abs(slope + 0.3 * bend) < 0.1:
        return  # the two residuals say nearly the same
    found = find_root(function, [0, 0], [-3, -3], [3, 3], tolerance=1e-6, most=200)
    assert np.abs(found.residuals).max() <= 1e-5


def test_what_no_residual_depends_on_stays():
    """The second knob keeps its start."""
    found = find_root(lambda x: x[:1] - 1, [0, 0.7], [-3, -3], [3, 3], tolerance=1e-6, most=50)
    assert (1.0, 0.7) == (round(float(found.at[0]), 3), float(found.at[1]))


def test_a_root_beyond_a_bound_ends_at_it():
    """And the other knob still does what it can."""
    found = find_root(
        lambda x: np.array([x[0] - 5, x[1] - 1]), [0, 0], [-3, -3], [3, 3], tolerance=1e-6, most=80
    )
    assert [3.0, 1.0] == found.at.round(4).tolist()


def test_slopes_of_an_earlier_search_save_runs():
    """A search near by starts with the derivatives that are known."""
    first = find_root(lambda x: 2 * x - 1, [0, 0], [-3, -3], [3, 3], tolerance=1e-6, most=50)
    again = find_root(
        lambda x: 2 * x - 1.2, first.at, [-3, -3], [3, 3], tolerance=1e-6, most=50,
        slopes=first.slopes,
    )  # fmt: skip
    assert again.runs < first.runs
    assert np.abs(again.residuals).max() <= 1e-6
