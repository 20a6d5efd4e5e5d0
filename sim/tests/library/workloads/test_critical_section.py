"""The critical-section workload: counts what it does, and can be set as it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interleaving import ViolationError

from locksim.core.result import SimulationError
from locksim.lang import Lock, pause, word
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.critical_section import MAX_WORDS, CriticalSection
from locksim.library.workloads.paced import CONSTANT


class NoLock(Lock):
    """Wrong: lets everybody in."""

    unused = word()

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()


@given(words=st.integers(0, 5), seed=st.integers(0, 2**32))
def test_every_word_counts_the_sections(interleave, words, seed):
    """Each shared word holds the number of sections, give or take the one under way."""
    workload = CriticalSection(words=words, lock=TicketLock)
    run = interleave(workload, 4, seed, steps=3000, finite=False)
    entered = len(run.marks(Mark.ACQUIRED))
    for i in range(words):
        assert run.word(run.root.data[i]) in (entered - 1, entered)
    assert run.word(run.root.data[words]) == 0
    assert len(run.marks(Mark.DONE)) <= entered


def test_hold_and_think_times(interleave):
    """hold_ps is spent between the marks, a fixed think time outside them."""
    workload = CriticalSection(hold_ps=17, think_ps=23, think_times=CONSTANT, lock=MCSLock)
    run = interleave(workload, 1, 0, steps=500, finite=False)
    computed = [op.a for _, op in run.performed if op.kind == Kind.COMPUTE]
    assert {17, 23} == set(computed[1:])
    assert 0 <= computed[0] <= 23


def test_think_time_is_exponential(interleave):
    """Random think times have the mean that was asked for, and a tail beyond three means."""
    run = interleave(CriticalSection(think_ps=1000, words=0), 1, 5, steps=20_000, finite=False)
    thinks = [op.a for _, op in run.performed if op.kind == Kind.COMPUTE][1:]
    mean = sum(thinks) / len(thinks)
    assert 900 < mean < 1100
    assert max(thinks) > 3000


def test_a_lock_that_does_not_exclude_is_caught(interleave):
    """The workload's marks show two inside."""
    with pytest.raises(ViolationError, match="enters beside"):
        interleave(CriticalSection(lock=NoLock), 3, 1, steps=5000, finite=False)


@pytest.mark.parametrize("words", [-1, MAX_WORDS + 1])
def test_number_of_words_is_checked(interleave, words):
    """More words than there are, or fewer than none, are refused before the run starts."""
    with pytest.raises((AssertionError, SimulationError)):
        interleave(CriticalSection(words=words), 1, 0, steps=10, finite=False)
