"""The quantile behind the 95 % intervals."""

import pytest
from scipy import stats

from locksim.study.quantiles import student_t


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 29, 100, 1001])
def test_quantile_is_that_of_scipy(freedom: int) -> None:
    """Odd and even degrees of freedom, which have different sums."""
    assert pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-12) == student_t(freedom)


def test_no_degree_of_freedom_is_refused() -> None:
    """One replication has no interval."""
    with pytest.raises(ValueError, match=r"at least 1 \(got 0\)"):
        student_t(0)
