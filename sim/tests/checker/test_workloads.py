"""Workloads of one's own: expectations, invariants, plain data."""

import pytest
from checker.litmus_programs import (
    Asks,
    Endless,
    FreedEarly,
    Gate,
    MessagePassing,
    PlainHeap,
    Published,
    PublishedEarly,
    RelaxedFlag,
    StoreBuffering,
    Turnstile,
    Writes,
)

from locksim.checker import CheckError, Sampling, check_lock, check_workload, replay, sample_lock
from locksim.checker.check import expecting
from locksim.kinds.checking import clients_of
from locksim.lang import (
    RELAXED,
    Lock,
    Workload,
    param,
    pause,
    word,
)

MODELS = ("sc", "tso", "c11")
ONE_SEES = "seen[0] == 1 or seen[1] == 1"


def replayed(workload, verdict):
    """What the counterexample of a verdict shows on the reference semantics."""
    (client,) = clients_of(workload, verdict.threads, 1)
    return replay(
        verdict.counterexample,
        expecting(client, verdict.expect),
        memory=verdict.counterexample.memory,
    )


@pytest.mark.parametrize("memory", MODELS)
def test_store_buffering_is_as_the_models_say(memory):
    """Both threads can miss the other's flag under tso and c11 only; the run ends so."""
    verdict = check_lock(StoreBuffering, threads=2, memory=memory, expect=ONE_SEES)
    assert ("proven" if memory == "sc" else "violated") == verdict.verdict
    if memory != "sc":
        assert "seen[0] is 0, seen[1] is 0" in verdict.counterexample.message
        assert "assertion" == verdict.found == replayed(StoreBuffering, verdict)


@pytest.mark.parametrize("reduction", [True, False])
def test_reduction_keeps_the_final_values(reduction):
    """An expectation holds with it if it holds without."""
    for text in (ONE_SEES, "seen[0] + seen[1] != 2", "flag[0] == 1"):
        found = check_lock(
            StoreBuffering, threads=2, memory="tso", expect=text, reduction=reduction
        )
        assert ("proven" if text == "flag[0] == 1" else "violated") == found.verdict


def test_check_workload_takes_a_text_or_a_table():
    """Both are conditions on the end."""
    table, text = (
        check_workload(MessagePassing(), threads=2, expect=expect)
        for expect in ({"data": 42, "got": 42}, "data == 42 and got == 42")
    )
    assert "assertion" == table.found == text.found
    assert len(table.counterexample.steps) == len(text.counterexample.steps)


def test_an_expectation_is_part_of_assertion_and_of_all():
    """Another property does not ask for it, and says so."""
    asked = {"threads": 2, "memory": "tso", "expect": ONE_SEES}
    assert "violated" == check_lock(StoreBuffering, property="assertion", **asked).verdict
    with pytest.raises(CheckError, match=r"only with --property all or assertion \(got deadlock\)"):
        check_lock(StoreBuffering, property="deadlock", **asked)


def test_a_misspelt_word_is_named():
    """With the one that was meant."""
    with pytest.raises(CheckError, match=r"word 'seem\[0\]'; did you mean 'seen\[0\]'"):
        check_lock(StoreBuffering, threads=2, expect="seem[0] == 1")


def test_plain_words_race_under_c11_only():
    """Release and acquire order them; a relaxed flag does not."""
    assert "proven" == check_lock(MessagePassing, threads=2, memory="c11").verdict
    assert "proven" == check_lock(RelaxedFlag, threads=2, memory="tso").verdict
    verdict = check_lock(RelaxedFlag, threads=2, memory="c11")
    assert "race" == verdict.found == replayed(RelaxedFlag, verdict)


def test_plain_words_of_the_heap_are_refused():
    """Their races would not be found, so nothing is proven of them silently."""
    with pytest.raises(CheckError, match=r"PlainNode.value is plain, and PlainNode is allocated"):
        check_lock(PlainHeap, threads=1, memory="c11")


@pytest.mark.parametrize("memory", MODELS)
@pytest.mark.parametrize(
    ("workload", "message"),
    [
        (Turnstile, "assert (yield self.inside.load()) <= 1"),
        (PublishedEarly, "assert (yield node.value.load()) == 7"),
        (FreedEarly, "the invariant cannot be asked here: use of memory outside every live object"),
    ],
)
def test_an_invariant_is_asked_of_every_state(workload, message, memory):
    """The state in the middle of a run is shown, and replays."""
    verdict = check_lock(workload, threads=2, memory=memory)
    assert "invariant" == verdict.found
    assert message in verdict.counterexample.message
    (client,) = clients_of(workload, 2, 1)
    types = [cls for cls in (Published.head.target(),) if workload is not Turnstile]
    assert "invariant" == replay(
        verdict.counterexample, client, memory=verdict.counterexample.memory, types=types
    )


@pytest.mark.parametrize("memory", ["sc", "tso"])
@pytest.mark.parametrize("workload", [Gate, Published])
def test_an_invariant_that_holds_is_proven(workload, memory):
    """Also through a pointer."""
    verdict = check_lock(workload, threads=2, memory=memory, property="invariant")
    assert "proven" == verdict.verdict


def test_an_invariant_sees_what_has_left_the_buffers():
    """A store that is still buffered is not yet in the memory that all agree on."""

    class Buffered(Workload):
        x = word()
        y = word()

        def thread(self):
            yield self.x.store(1, RELAXED)
            yield self.y.store(1, RELAXED)

        def invariant(self):
            y = yield self.y.load()
            x = yield self.x.load()
            assert x >= y

    assert "proven" == check_lock(Buffered, threads=1, memory="tso").verdict


def test_a_lock_may_have_an_invariant_of_its_own():
    """It is asked in each of the lock's clients."""

    class Counted(Lock):
        taken = word()

        def acquire(self):
            while (yield self.taken.fetch_add(1)) != 0:
                yield self.taken.fetch_add(-1)

        def release(self):
            yield self.taken.fetch_add(-1)

        def invariant(self):
            assert (yield self.taken.load()) <= 1

    assert "violated" == check_lock(Counted, threads=2, property="invariant").verdict
    assert "proven" == check_lock(Counted, threads=2, property="exclusion").verdict


@pytest.mark.parametrize(
    ("workload", "why"),
    [
        (Writes, "an invariant only loads words and asserts"),
        (Asks, "an invariant only loads words and asserts"),
        (Endless, "an invariant does not end"),
    ],
)
def test_an_invariant_that_is_more_than_that_is_refused(workload, why):
    """It takes no step and belongs to no thread."""
    with pytest.raises(CheckError, match=why):
        check_lock(workload, threads=2)


def test_random_schedules_refuse_invariants():
    """They would not ask them."""
    with pytest.raises(CheckError, match="check no invariant"):
        sample_lock(Turnstile, Sampling(3), threads=2)


def test_rounds_and_tasks_are_refused():
    """A workload says itself what its threads do; the checker switches no threads."""

    class WithTasks(Workload):
        tasks = param(2)

        def thread(self):
            yield pause()

        def task(self):
            yield pause()

    with pytest.raises(CheckError, match="leave --rounds out"):
        check_lock(StoreBuffering, threads=2, rounds=2)
    with pytest.raises(CheckError, match="WithTasks has tasks"):
        check_lock(WithTasks, threads=2)
