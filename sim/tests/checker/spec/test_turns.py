"""Operations in turns: what leads back to the beginning, and what is left then."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locksim.checker.check import check_clients
from locksim.checker.errors import CheckError
from locksim.checker.question import Question
from locksim.checker.spec import clients
from locksim.checker.spec.sequential import Specification
from locksim.checker.spec.turns import load, sequences
from locksim.core.result import SimulationError
from locksim.kinds.kind import resized
from locksim.lang import RELAXED, word
from locksim.library.locks.lockref import Lockref
from locksim.library.registry import specification
from locksim.study.use import Use, use

KNOWN = {name: Specification(specification(name), 1) for name in ("ReadersWriter", "Set")}


@settings(max_examples=10, deadline=None)
@given(st.sampled_from(sorted(KNOWN)), st.integers(0, 2**62))
def test_a_sequence_leads_back(name: str, seed: int) -> None:
    """Each call may do one thing, and gives what the sequence says; the last state is the first."""
    atomic = KNOWN[name]
    for steps in sequences(atomic, seed):
        begin = state = atomic.start(steps[0][0])
        for call, result in steps:
            ((state, found),) = atomic.outcomes(state, call, 0)
            assert found == result
        assert begin == state


@pytest.mark.parametrize("name", ["FIFO", "Counter"])
def test_what_only_grows_cannot_be_used_so(name: str) -> None:
    """A queue's places and a count never come back."""
    with pytest.raises(CheckError, match="no sequence of operations leads back"):
        sequences(Specification(specification(name), 1), 1)


class ForgetsLater(Lockref):
    """Wrong from the 40th reference on: it is not counted."""

    gets = word()

    def get(self):
        gets = yield self.gets.fetch_add(1, RELAXED)
        if gets != 40:
            yield from super().get()


def used(lock: type[Lockref]) -> Use:
    """What eight CPUs leave that use it one after another."""
    turns = resized(load(lock, specification("LockedReferenceCount"), 3), rounds=40)
    return use(
        turns, part="object", machine="ideal-8", cpus=8, on=(5, 2), seed=1, longest_ps=10**10
    )


def test_histories_begin_there() -> None:
    """A right lock gives each result, and each history is one of the specification again."""
    left = used(Lockref)
    atomic = specification("LockedReferenceCount")
    found = clients(Lockref, atomic, 2, "get(); put() | acquire(); release()", "linearizability")
    verdict = check_clients(found, Question(threads=2, used=left.used))
    assert verdict.is_proof()


def test_a_wrong_result_is_found_on_the_way() -> None:
    """With the call and the right result in the message."""
    with pytest.raises(SimulationError, match="an assertion failed"):
        used(ForgetsLater)
