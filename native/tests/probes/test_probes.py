"""The probes in C run, count, and end, alone and with several threads."""

from __future__ import annotations

import os
from typing import Any

import pytest

from locknative.compilation import executable
from locknative.survey import process
from locknative.survey.cells import SINGLE_CPU, Cell

CPUS = sorted(os.sched_getaffinity(0))
PROBES = {kernel.name for kernel in executable.kernels() if kernel.kind == "probe"}
TURNS = ("handoff_cas", "handoff_store", "wake")
DURATION_MS = 5


def run(
    probe: str, threads: int, cpus: tuple[int, ...] = (), duration_ms: int = DURATION_MS
) -> dict[str, Any]:
    """Run a trial of a probe; return what it printed."""
    path, cell = executable.path(), Cell(probe, cpus)
    return process.run_trial(path, cell, threads=threads, duration_ms=duration_ms, warmup_ms=0)


def test_names() -> None:
    """Every probe that a survey asks for is built, and no other."""
    shared = {
        "contended_add",
        "false_sharing",
        "write_shared",
        "served_next",
        "drain",
        "chase",
        *TURNS,
    }
    assert {*SINGLE_CPU, *shared} == PROBES


@pytest.mark.covering("probe", "threads")
@pytest.mark.parametrize("probe", sorted(PROBES - {"chase"}))
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_they_run_and_end(probe: str, threads: int) -> None:
    """Any number of threads comes through, more than CPUs too, and something was counted."""
    alone = threads == 1 and probe == "served_next"  # it counts handoffs, and has none
    for duration_ms in (DURATION_MS, 40 * DURATION_MS, 1600 * DURATION_MS):
        tallies = run(probe, threads, duration_ms=duration_ms)["tallies"]
        assert threads == len(tallies)
        if alone or sum(tally["count"] for tally in tallies) > 0:
            return  # on a busy machine a thread may not get a CPU in a short time
    pytest.fail("nothing was counted")


@pytest.mark.parametrize("probe", TURNS)
def test_hand_overs_alternate(probe: str) -> None:
    """Threads alternate: no thread is more than one handoff ahead."""
    first, second = run(probe, 2)["tallies"]
    assert abs(first["count"] - second["count"]) <= 1


def test_runs_are_counted() -> None:
    """Alone, no other thread comes in between; with more threads no addition is lost."""
    trial = run("contended_add", 1, tuple(CPUS[:1]))
    (tally,) = trial["tallies"]
    assert (0, trial["updates"]) == (tally["overlaps"], tally["count"])
    trial = run("contended_add", 2)
    assert trial["updates"] == sum(tally["count"] for tally in trial["tallies"])
    assert all(tally["overlaps"] <= tally["count"] for tally in trial["tallies"])
