"""The readers-and-writers workload: its share of reads, and its built-in check."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interleaving import ViolationError

from locksim.core.result import SimulationError
from locksim.lang import RWLock, pause, word
from locksim.lang.ops import Mark
from locksim.library.workloads.readers_writers import ReadersWriters


class NoRWLock(RWLock):
    """Wrong: lets everybody in."""

    METERED = {}  # noqa: RUF012 - without marks, only the workload itself can notice
    unused = word()

    def read_acquire(self):
        yield pause()

    def read_release(self):
        yield pause()

    def write_acquire(self):
        yield pause()

    def write_release(self):
        yield pause()


@given(seed=st.integers(0, 2**32), words=st.integers(1, 4))
def test_words_count_the_writes(interleave, seed, words):
    """Each word holds the number of writes, give or take the one under way."""
    workload = ReadersWriters(read_percent=50, words=words)
    run = interleave(workload, 4, seed, steps=3000, finite=False)
    writes = len(run.marks(Mark.ACQUIRED))
    assert 0 < writes
    for i in range(words):
        assert run.word(run.root.data[i]) in (writes - 1, writes)


@pytest.mark.parametrize("percent", [0, 25, 100])
def test_share_of_reads(interleave, percent):
    """Reads are as frequent as asked for."""
    run = interleave(ReadersWriters(read_percent=percent), 1, 3, steps=20_000, finite=False)
    reads, writes = len(run.marks(Mark.READ_ACQUIRED)), len(run.marks(Mark.ACQUIRED))
    assert abs(reads / (reads + writes) - percent / 100) < 0.05
    assert (reads == 0) == (percent == 0)
    assert (writes == 0) == (percent == 100)


def test_a_lock_that_does_not_exclude_is_caught(interleave):
    """The readers' comparison of the words notices a writer beside them."""
    caught = 0
    for seed in range(10):
        workload = ReadersWriters(read_percent=50, words=4, lock=NoRWLock)
        try:
            interleave(workload, 4, seed, steps=5000, finite=False)
        except ViolationError:
            raise
        except AssertionError:
            caught += 1
    assert caught > 0


@pytest.mark.parametrize("settings_", [{"read_percent": 101}, {"read_percent": -1}, {"words": -1}])
def test_settings_are_checked(interleave, settings_):
    """Impossible settings are refused before the run starts."""
    with pytest.raises((AssertionError, SimulationError)):
        interleave(ReadersWriters(**settings_), 1, 0, steps=10, finite=False)
