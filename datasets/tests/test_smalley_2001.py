"""smalley-2001: overheads recompute, and the cost of one check."""

import pytest

from lockdata import interval, load, pivot
from lockdata.store import read

PRINTED = {c.key[1:]: c.printed for c in read("smalley-2001/lmbench").cells}


@pytest.mark.parametrize("test", sorted({key[0] for key in PRINTED}))
def test_overhead_recomputes(test: str) -> None:
    """The printed overhead is one that rounded times of this row can give."""
    base, selinux = (interval(PRINTED[test, m]) for m in ("base", "selinux"))
    lowest, highest = interval(PRINTED[test, "overhead"])
    assert 100 * (selinux[0] / base[1] - 1) <= highest
    assert lowest <= 100 * (selinux[1] / base[0] - 1)


@pytest.mark.parametrize("test", sorted({key[0] for key in PRINTED} - {"sh"}))
def test_overhead_of_printed_digits(test: str) -> None:
    """Where times are printed in full, their own ratio rounds to the overhead."""
    row = load("smalley-2001/lmbench").set_index(["test", "measure"])["value"][test]
    assert row["overhead"] == pytest.approx(100 * (row["selinux"] / row["base"] - 1), abs=0.5)


def test_cost_of_one_check() -> None:
    """A read or write revalidates its file once: 0.48 us more for null I/O."""
    row = pivot("smalley-2001/lmbench").loc[("system calls and files", "null I/O")]
    assert 0.48 == round(row["selinux"] - row["base"], 2)


def test_a_delete_costs_nearly_its_five_checks() -> None:
    """Corrected, SELinux adds 3.75 checks to a delete, which has five; as printed, a third."""
    row = pivot("smalley-2001/lmbench").loc[("system calls and files", "0KB delete")]
    assert 3.75 == pytest.approx((row["selinux"] - row["base"]) / 0.48, abs=0.01)
    printed = {m: float(PRINTED["0KB delete", m]) for m in ("base", "selinux")}
    assert printed["selinux"] - printed["base"] < 0.48
