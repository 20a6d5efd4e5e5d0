"""Linux's reader-writer semaphore: spinning writers, sleepers, and both together."""

import pytest

from locksim import simulate
from locksim.checker import check_lock
from locksim.library.locks.osq import OptimisticSpinQueue
from locksim.library.locks.rwsem import LinuxRWSemaphore
from locksim.library.workloads.readers_writers import ReadersWriters


@pytest.mark.parametrize("resched_one_in", [0, 1])
def test_it_is_proven_where_no_writer_gives_up_and_where_all_do(resched_one_in: int) -> None:
    """Writers that spin as long as they can, and writers that sleep at once."""
    queue = OptimisticSpinQueue(resched_one_in=resched_one_in)
    lock = LinuxRWSemaphore(resched_one_in=resched_one_in, queue=queue)
    assert check_lock(lock, threads=2, rounds=2).is_proof()


def test_readers_and_writers_sleep() -> None:
    """With both on eight CPUs some sleep, and a reader is never in beside a writer."""
    load = ReadersWriters(lock=LinuxRWSemaphore, read_percent=50)
    run = simulate(load, operations=20, replications=1)
    assert run.per_second("blocks").mean > 0
    assert 0 == run.violations()
