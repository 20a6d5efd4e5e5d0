"""The probes in C run, count, and end, alone and with several threads."""

from __future__ import annotations

import os

import pytest

from locknative import _kernels
from locknative.survey.cells import SINGLE_CPU

CPUS = sorted(os.sched_getaffinity(0))
PROBES = {kernel.name for kernel in _kernels.kernels() if kernel.kind == "probe"}
TURNS = ("handoff_cas", "handoff_store", "wake")
DURATION_NS = 5_000_000


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
    # On a busy machine threads that wait for one another get on only once in a time slice.
    patient_ns = DURATION_NS * (1 if threads == 1 or probe in SINGLE_CPU else 40)
    tallies, _ = _kernels.run(probe, "throughput", threads, (), duration_ns=patient_ns)
    assert threads == len(tallies)
    assert sum(tally.acquisitions for tally in tallies) > 0


@pytest.mark.parametrize("probe", TURNS)
def test_hand_overs_alternate(probe: str) -> None:
    """Threads alternate: no thread is more than one handoff ahead."""
    tallies, _ = _kernels.run(probe, "throughput", 2, (), duration_ns=DURATION_NS)
    assert abs(tallies[0].acquisitions - tallies[1].acquisitions) <= 1


def test_runs_are_counted() -> None:
    """Alone, no other thread comes in between; with more threads no addition is lost."""
    tallies, word = _kernels.run(
        "contended_add", "throughput", 1, CPUS[:1], duration_ns=DURATION_NS
    )
    assert (0, word) == (tallies[0].overlaps, tallies[0].acquisitions)
    tallies, word = _kernels.run("contended_add", "throughput", 2, (), duration_ns=DURATION_NS)
    assert word == sum(tally.acquisitions for tally in tallies)
    assert all(tally.overlaps <= tally.acquisitions for tally in tallies)
