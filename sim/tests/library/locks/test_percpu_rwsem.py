"""The per-CPU reader-writer semaphore: readers share no line, and a writer sees all of them."""

from library.locks.wrong_locks import Wrong

from locksim import simulate
from locksim.checker import check_lock
from locksim.library.locks.percpu_rwsem import PercpuRWSemaphore
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.workloads.readers_writers import ReadersWriters


def test_a_count_in_the_store_buffer_is_not_seen() -> None:
    """Under tso a reader without its fence is in, and the writer that adds up misses it."""
    counts = "mine.store(count + 1, RELAXED)"
    fenced = f"{counts}\n        yield fence()"
    wrong = Wrong("percpu_rwsem", "no fence", fenced, counts, "").struct()
    assert check_lock(wrong, threads=2).is_proof()
    verdict = check_lock(wrong, threads=2, memory="tso")
    assert ("violated", "exclusion") == (verdict.verdict, verdict.found)


def test_readers_alone_scale() -> None:
    """Eight readers take no longer than one, where a word that all count in is a queue."""

    def section_ps(lock: type, cpus: int) -> float:
        load = ReadersWriters(lock=lock, read_percent=100, words=0, think_ps=0)
        run = simulate(load, machine="xeon-e5-2680v4-2x14", cpus=cpus, replications=1)
        return run.operation_ps().mean

    assert section_ps(PercpuRWSemaphore, 8) < 1.1 * section_ps(PercpuRWSemaphore, 1)
    assert section_ps(ReaderPreferenceRWLock, 8) > 2 * section_ps(ReaderPreferenceRWLock, 1)
