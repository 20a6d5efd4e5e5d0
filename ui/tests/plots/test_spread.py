"""Labels beside each other: none overlaps, none moves without need."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockui.plots.spread import spread

LABELS = st.lists(st.tuples(st.floats(0, 100), st.floats(1, 10)), min_size=1, max_size=8).map(
    lambda found: tuple(map(list, zip(*found, strict=True)))
)


@given(LABELS)
def test_no_label_overlaps_another(labels: tuple[list[float], list[float]]) -> None:
    """Neighbours are at least half of both sizes apart, and all stay between the ends."""
    wanted, sizes = labels
    centres = spread(wanted, sizes, 0.0, 100.0)
    ranked = sorted(zip(centres, sizes, strict=True))
    for (below, low), (above, high) in itertools.pairwise(ranked):
        assert above - below >= (low + high) / 2 - 1e-6
    assert all(size / 2 - 1e-6 <= c <= 100 - size / 2 + 1e-6 for c, size in ranked)


@given(LABELS)
def test_labels_keep_their_order(labels: tuple[list[float], list[float]]) -> None:
    """The name of a higher line never stands below the name of a lower one."""
    wanted, sizes = labels
    centres = spread(wanted, sizes, 0.0, 100.0)
    for i, j in itertools.combinations(range(len(wanted)), 2):
        if wanted[i] < wanted[j]:
            assert centres[i] < centres[j]


def test_labels_with_room_stay() -> None:
    """A label that touches no other one is where it wants to be."""
    assert [10.0, 50.0, 30.0] == spread([10, 50, 30], [5, 5, 5], 0, 100)


def test_two_labels_at_one_place_share_the_way() -> None:
    """Both move by half a size."""
    assert [pytest.approx(48), pytest.approx(52)] == spread([50, 50], [4, 4], 0, 100)


def test_labels_that_do_not_fit_leave_at_the_lower_end() -> None:
    """They still do not overlap."""
    assert [pytest.approx(v) for v in (-1, 3, 7)] == spread([5, 5, 5], [4, 4, 4], 0, 9)


def test_no_label() -> None:
    """Nothing to place."""
    assert [] == spread([], [], 0, 1)
