"""The curves to predict: their values agree with each other."""

import pytest

import lockdata


def test_a_mean_lies_between_least_and_greatest() -> None:
    """The three columns of perfbook's file."""
    found = lockdata.pivot("mckenney-2019/atomic")
    assert ((found["least"] <= found["mean"]) & (found["mean"] <= found["greatest"])).all()


@pytest.mark.parametrize(
    "table",
    [
        *(f"downs-2020/{name}" for name in ("graviton2", "graviton1", "skylake", "icelake")),
        "folly-locks/small-locks",
    ],
)
def test_each_implementation_has_the_same_points(table: str) -> None:
    """No point is missing."""
    found = lockdata.load(table)
    assert 1 == len({*found.groupby("implementation")["threads"].apply(tuple)})


@pytest.mark.parametrize(
    ("table", "threads"), [("small-locks", 56), ("broadwell-2019", 56), ("skylake-d-2019", 36)]
)
def test_the_groups_of_folly_are_whole_divisions(table: str, threads: int) -> None:
    """56 threads over 56 // p locks, or p over one; the largest group counts."""
    found = lockdata.load(f"folly-locks/{table}")
    total = found["parameter"].clip(lower=threads)
    groups = total // found["parameter"]
    assert (-(-total // groups)).tolist() == found["threads"].tolist()


def test_a_speed_up_begins_at_one_and_falls_with_the_threads() -> None:
    """That of readers who hold the lock for no time, from thread to thread."""
    found = lockdata.pivot("mckenney-2020/rwlock-readers")
    assert (found.iloc[:, 0] == 1).all()
    assert found.loc[0].is_monotonic_decreasing
