"""franke-2001-kernprof: how its table is read, and the experiment on runs as short as can be."""

import json
from functools import cache

import pytest

from locksim.experiments import find, franke_2001_kernprof
from locksim.experiments.experiment import Reproduction
from locksim.experiments.franke_2001_flat_profile import CALLS, published


@cache
def result() -> Reproduction:
    """One room, one message a user."""
    return find("franke-2001-kernprof").reproduce(rooms=1, messages=1, replications=1)


def test_shares_are_of_the_time_without_the_profiler() -> None:
    """18.67 of 87.47 - 28.35 seconds, where 21.35 % is printed."""
    printed, understood = published()["vanilla", "schedule", "share"]
    assert "21.35" == printed
    assert understood == pytest.approx(100 * 18.67 / (28.35 / 0.3241 - 28.35))


def test_shares_add_up_to_less_than_all() -> None:
    """Only the functions with the most time are printed."""
    for kernel in ("vanilla", "selinux"):
        whole = sum(v for (k, _, m), (_, v) in published().items() if (k, m) == (kernel, "share"))
        assert 60 < whole < 100


def test_every_cell_is_predicted() -> None:
    """Three shares and two counts of calls for each kernel; no figure was fitted on them."""
    cells = result().cells
    assert 10 == len(cells)
    assert {"predicted"} == {c.role for c in cells}
    assert result().summary()["fitted"] < result().summary()["predicted"]
    for cell in cells:
        assert cell.error is not None


def test_the_whole_profile_is_there() -> None:
    """Shares of each kernel add up to all time; only SELinux's has checks."""
    document = json.loads(json.dumps(result().to_json()))
    for shares in document["profile"].values():
        assert 1 == pytest.approx(sum(shares.values()))
    assert "avc_has_perm" in document["profile"]["selinux"]
    assert "avc_has_perm" not in document["profile"]["vanilla"]


def test_calls_are_counted_where_they_begin() -> None:
    """Every message is sent once (no buffer fills up); who is not called has no calls."""
    _, run = franke_2001_kernprof.traced("vanilla", 2, 1, messages=1)
    assert 400 == franke_2001_kernprof.calls(run, "Loopback.send")
    assert all(franke_2001_kernprof.calls(run, method) > 0 for method in CALLS.values())
    assert 0 == franke_2001_kernprof.calls(run, "Nobody.at_all")


def test_plot_has_a_bar_a_share(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Three functions of two kernels, in the alternative text."""
    assert "6 bars" in find("franke-2001-kernprof").plot(result(), tmp_path / "plot.svg")
