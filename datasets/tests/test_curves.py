"""The curves to predict: their values agree with each other."""

import pytest

import lockdata


def test_a_mean_lies_between_least_and_greatest() -> None:
    """The three columns of perfbook's file."""
    found = lockdata.pivot("mckenney-2019/atomic")
    assert ((found["least"] <= found["mean"]) & (found["mean"] <= found["greatest"])).all()


@pytest.mark.parametrize("table", ["downs-2020/graviton2", "folly-locks/small-locks"])
def test_each_implementation_has_the_same_points(table: str) -> None:
    """No point is missing."""
    found = lockdata.load(table)
    assert 1 == len({*found.groupby("implementation")["threads"].apply(tuple)})


def test_the_groups_of_folly_are_whole_divisions() -> None:
    """56 threads over 56 // p locks; the largest group counts."""
    found = lockdata.load("folly-locks/small-locks")
    groups = 56 // found["parameter"]
    assert (-(-56 // groups)).tolist() == found["threads"].tolist()
