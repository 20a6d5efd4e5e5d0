"""long-2013: percentages, the reading of the brackets, and the size of the series."""

import pytest

from lockdata import describe, load, number, pivot
from lockdata.store import read

REDO = {c.key: c for c in read("long-2013/redo").cells}


@pytest.mark.parametrize("users", sorted({key[:2] for key in REDO}))
def test_redo_percentages(users: tuple[int, int]) -> None:
    """Each gain follows from the two redo sizes within half of its last digit."""
    without, with_ = (REDO[*users, m].corrected for m in ("without_patch", "with_patch"))
    change = number(REDO[*users, "change"].printed)
    assert change == pytest.approx(100 * (with_ / without - 1), abs=0.05)


def test_brackets() -> None:
    """As printed the patch adds spinning, 1.4 to 11 times a row; in truth it removes spinning."""
    corrected = pivot("long-2013/awr")["spinlock"]
    printed = pivot("long-2013/awr", reading="printed")["spinlock"].map(number)
    ratio = printed["with"] / printed["without"]
    assert (1.4, 10.9) == (round(ratio.min(), 1), round(ratio.max(), 1))
    assert (corrected["without"] == printed["with"]).all()
    assert (corrected["with"] == printed["without"]).all()


def test_both_readings_are_kept() -> None:
    """The double reading has both labels, and they always contradict each other."""
    frame = load("long-2013/awr", reading="both")
    assert (frame["patch"] != frame["patch_printed"]).all()
    assert {("outside", "without"), ("bracketed", "with")} == set(
        zip(frame["position"], frame["patch_printed"], strict=True)
    )
    assert 36 == describe("long-2013/awr").misprints


def test_shares_stay_below_all() -> None:
    """System and user time together stay below 100 % under both readings."""
    for reading in ("corrected", "printed"):
        wide = pivot("long-2013/awr", reading=reading).map(float)
        assert ((wide["system"] + wide["user"]) < 100).all(axis=None)


def test_diffstat_adds_up() -> None:
    """The files' lines are the insertions and deletions."""
    lines = load("long-2013/diffstat").set_index("file")["value"]
    totals = ["files changed", "insertions", "deletions"]
    files, inserted, deleted = lines[totals]
    assert files == len(lines.drop(totals))
    assert inserted + deleted == lines.drop(totals).sum()
