"""The scheduler with time slices: no task is forgotten, and none runs twice at once."""

import pytest
from library.locks.wrong_locks import Wrong

from locksim import simulate
from locksim.checker import check_lock
from locksim.library.schedulers.time_slices import TimeSlices
from locksim.library.workloads.time_shared import TimeShared, TimeSharedSleepers


@pytest.mark.parametrize("cpus", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_it_is_proven(cpus: int) -> None:
    """Every task comes to its end, and no CPU halts while one waits."""
    assert check_lock(TimeSlices, threads=cpus).is_proof()


def test_a_task_that_joins_no_queue_is_missed() -> None:
    """The dispatcher must put back who gave up the CPU and can go on."""
    text = ("task.state.load(RELAXED)) == RUNNING", "task.state.load(RELAXED)) != RUNNING")
    wrong = Wrong("time_slices", "forgets a task", *text, "").struct()
    assert "violated" == check_lock(wrong, threads=1).verdict


@pytest.mark.parametrize("load", [TimeShared, TimeSharedSleepers])
def test_slices_that_end_in_sections_let_no_other_task_in(load: type[TimeShared]) -> None:
    """Five tasks, two CPUs, and slices of a few sections."""
    run = simulate(load(tasks=5, slice_ps=7_000_000), cpus=2, operations=100, replications=1)
    assert 0 == run.violations()
