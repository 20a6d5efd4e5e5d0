"""franke-2001-kernprof: how its table is read, and the experiment on runs as short as can be."""

import json
import re
from functools import cache

import pytest

from locksim import machine as machines
from locksim.engine.prepared import prepare
from locksim.papers import find
from locksim.papers.experiment import Reproduction
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.papers.franke_2001.kernel_paths import (
    ACQUIRES,
    CALLS,
    INLINE,
    PATHS,
    PROFILER,
    path_of,
    profiled,
)
from locksim.papers.franke_2001.kernprof import published


@cache
def result() -> Reproduction:
    """One room, one message a user."""
    return find("franke-2001-kernprof").reproduce(rooms=1, messages=1, replications=1)


def test_shares_are_of_the_time_without_the_profiler() -> None:
    """18.67 of 87.47 - 28.35 seconds, where 21.35 % is printed."""
    printed, corrected = published()["vanilla", "schedule", "share"]
    assert "21.35" == printed
    assert corrected == pytest.approx(100 * 18.67 / (28.35 / 0.3241 - 28.35))


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


def test_the_report_is_a_flat_profile_of_each_kernel() -> None:
    """In kernprof's columns: shares that add up, and calls of the two that are counted."""
    report = result().report
    assert report is not None
    assert "kernprof" == report.format
    shares: dict[str, dict[str, float]] = {}
    counted = set()
    for kernel, text in zip(franke_2001.KERNELS, report.text.split("\n\n"), strict=True):
        first, _, _, *lines = text.splitlines()
        assert kernel == first
        shares[kernel] = {line[60:]: float(line[:6]) for line in lines}
        counted |= {line[60:] for line in lines if line[30:39].strip()}
    assert set(CALLS) == counted
    assert shares["selinux"].keys() <= PATHS.keys() | {"other"}
    for found in shares.values():
        assert 100 == pytest.approx(sum(found.values()), abs=0.05)


@pytest.mark.parametrize("kernel", franke_2001.KERNELS)
def test_a_run_by_kernel_path(kernel: str) -> None:
    """All time, and the calls, beside what the engine itself has counted."""
    found = profiled(kernel, 4, 1, messages=1)
    assert 1 == pytest.approx(sum(found.shares.values()))
    assert 0 < found.shares["schedule"] < found.shares["send and receive"]
    assert found.shares.get("other", 0) < 0.01
    # Who was woken and has not run yet is on its wait queue still: many wake-ups are in vain.
    assert 0 < found.calls["schedule"] < found.calls["__wake_up"]


def test_the_profiler_has_no_share() -> None:
    """Its own time is kept apart; paths and calls are found with its calls in the kernel, too."""
    inside, outside = (
        profiled("vanilla", 2, 1, messages=1, users=8, instrument=which) for which in (True, False)
    )
    assert 0 == outside.own_ps < inside.own_ps
    assert inside.shares.keys() == outside.shares.keys()
    assert PROFILER not in inside.shares
    assert 0 < min(inside.calls.values())


def test_every_program_has_its_path() -> None:
    """Programs that PATHS names are there; so are those that count calls, and inline ones."""
    tables = machines.load(franke_2001.MACHINE).tables(8)
    image, _ = prepare(franke_2001.workload("selinux", 1, franke_2001.Costs()), tables)
    methods = {place.method for place in image.places}
    known = methods | {method.partition(".")[0] for method in methods}
    named = {
        program for path, programs in PATHS.items() for program in programs if path != PROFILER
    }
    assert named <= known
    assert {*CALLS.values(), *INLINE, *ACQUIRES} <= methods
    for path, program in CALLS.items():
        assert path == path_of(program)


def test_plot_has_a_bar_a_share() -> None:
    """Three functions of two kernels, in the alternative text."""
    alt = find("franke-2001-kernprof").plot(result()).alt()
    assert ["vanilla", "selinux"] == re.findall(r"(\w+): share of time \[%\], 3 bars", alt)
