"""The exploration itself: counts that can be worked out, and answers that must not change."""

import dataclasses

import pytest
from checker import zoo
from checker.classics import Peterson

from locksim.checker import Budget, CheckError, check_lock, check_workload, outcomes
from locksim.checker.models import model as model_module
from locksim.checker.models.model import model
from locksim.checker.models.program import unfold
from locksim.lang import (
    NS,
    RELAXED,
    SEQ_CST,
    Struct,
    Workload,
    alloc,
    array,
    block,
    cast,
    compute,
    free,
    param,
    pause,
    pointer,
    random_below,
    thread,
    wake,
    word,
)
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock


class Adding(Workload):
    """Each thread adds to the word a few times."""

    times = param(1)
    count = word()

    def thread(self):
        for _ in range(self.times):
            yield self.count.fetch_add(1, RELAXED)


class Storing(Workload):
    """Two stores into words of the thread's own."""

    words = array(16, word())

    def thread(self):
        yield self.words[2 * thread()].store(1, RELAXED)
        yield self.words[2 * thread() + 1].store(1, RELAXED)


class Choosing(Workload):
    """Stores what it draws."""

    bound = param(3)
    drawn = word(-1)

    def thread(self):
        value = random_below(self.bound)
        yield self.drawn.store(value, RELAXED)


class Idling(Workload):
    """Time that passes, for a random while."""

    count = word()

    def thread(self):
        yield compute(1 + random_below(1000 * NS))
        yield pause()
        yield self.count.fetch_add(1, RELAXED)


class PausingForEver(Workload):
    """Waits for nothing at all."""

    count = word()

    def thread(self):
        yield self.count.fetch_add(1, RELAXED)
        while True:
            yield pause()


class Sleeping(Workload):
    """Sleeps, and nobody wakes it."""

    def thread(self):
        yield block()


class Waking(Workload):
    """One thread wakes the other a few times, the other sleeps a few times."""

    wakes = param(1)
    sleeps = param(1)

    def thread(self):
        if thread() == 0:
            for _ in range(self.wakes):
                yield wake(1)
        else:
            for _ in range(self.sleeps):
                yield block()


class Cell(Struct):
    """One word from the heap."""

    value = word(0)


class Leaking(Workload):
    """Takes more from the heap than there is."""

    times = param(3)
    last = pointer(Cell)

    def thread(self):
        for _ in range(self.times):
            cell = yield alloc(Cell)
            yield self.last.store(cell, RELAXED)


class Recycling(Workload):
    """Takes a cell and gives it back: what it held is gone."""

    sum = word()

    def thread(self):
        for _ in range(3):
            cell = yield alloc(Cell)
            old = yield cell.value.load(RELAXED)
            yield cell.value.store(7, SEQ_CST)
            yield self.sum.fetch_add(old, RELAXED)
            yield free(cell)


class Freeing(Workload):
    """Gives back what was never taken."""

    count = word()

    def thread(self):
        yield free(self)


class Wild(Workload):
    """Follows a number that is no address."""

    count = word()

    def thread(self):
        cell = cast(Cell, 1_000_000)
        yield cell.value.load(RELAXED)


class Asserting(Workload):
    """An assertion that one interleaving breaks."""

    count = word()

    def thread(self):
        assert (yield self.count.fetch_add(1)) == 0


@pytest.mark.parametrize(("threads", "times"), [(1, 5), (2, 1), (2, 4), (3, 3), (8, 1)])
def test_states_of_independent_counting(threads, times):
    """Each thread is at one of times + 1 places, and the word is their sum."""
    verdict = check_workload(
        Adding(times=times), threads=threads, expect={"count": threads * times}
    )
    assert ("proven", (times + 1) ** threads) == (verdict.verdict, verdict.states)


def test_states_of_store_buffers():
    """A thread with two stores has six states: (issued, visible) with visible <= issued <= 2."""
    assert 6 == check_workload(Storing(), threads=1, memory="tso", reduction=False).states
    assert 36 == check_workload(Storing(), threads=2, memory="tso", reduction=False).states


@pytest.mark.parametrize(("entries", "limited"), [(1, True), (2, False)])
def test_full_store_buffer_is_reported(entries, limited):
    """A proof for small buffers says so; one that no buffer limited does not."""
    verdict = check_workload(
        Storing(),
        threads=2,
        memory="tso",
        budget=Budget(buffer_entries=entries),
        reduction=False,
    )
    assert verdict.is_proof()
    assert limited == bool(verdict.limits)


def test_depth_is_that_of_the_last_state():
    """Every path of independent counting is as long as all operations together."""
    assert 9 == check_workload(Adding(times=3), threads=3).depth


def test_random_choice_takes_every_value():
    """A draw that matters branches."""
    assert {(0,), (1,), (2,)} == outcomes(Choosing(), threads=1, observe=("drawn",))


def test_random_choice_among_too_many_is_refused():
    """No draw is left out in silence."""
    with pytest.raises(CheckError, match="more than 16 values"):
        outcomes(Choosing(bound=17), threads=1, observe=("drawn",))


def test_time_costs_no_states():
    """A random back-off, computing and pausing are one step with what comes before."""
    assert 4 == check_workload(Idling(), threads=2).states


def test_pausing_for_ever_is_no_progress():
    """A loop without any operation on memory is found, not run."""
    verdict = check_workload(PausingForEver(), threads=1)
    assert ("violated", "deadlock") == (verdict.verdict, verdict.found)
    assert "these threads never finish" in verdict.counterexample.message


def test_sleeping_for_ever_is_a_deadlock():
    """No thread can take a step, and the message says where they are."""
    verdict = check_workload(Sleeping(), threads=2)
    assert ("violated", "deadlock") == (verdict.verdict, verdict.found)
    assert "no thread can take a step" in verdict.counterexample.message
    assert "thread 1, test_explore.py:" in verdict.counterexample.message
    assert verdict.counterexample.message.endswith("Sleeping.thread: sleeps in block()")


@pytest.mark.parametrize(
    ("wakes", "sleeps", "verdict"),
    [(1, 1, "proven"), (2, 1, "proven"), (1, 2, "violated"), (2, 2, "violated")],
)
def test_a_wake_up_is_worth_one_sleep(wakes, sleeps, verdict):
    """It may come first, but of two that come first one is lost."""
    assert verdict == check_workload(Waking(wakes=wakes, sleeps=sleeps), threads=2).verdict


def test_heap_that_is_used_up_is_unfinished():
    """An allocation that can not be served is no verdict about the program."""
    verdict = check_workload(Leaking(), threads=1, budget=Budget(heap_lines=2))
    assert ("unfinished", None) == (verdict.verdict, verdict.counterexample)
    assert "heap of 2 lines" in verdict.limits[0]
    verdict = check_workload(Leaking(), threads=1)
    assert ("violated", "leak") == (verdict.verdict, verdict.found)


def test_freed_memory_comes_back_zeroed():
    """The value of a past object is never seen."""
    assert {(0,)} == outcomes(Recycling(), threads=2, observe=("sum",), memory="tso")


@pytest.mark.parametrize("memory", ["sc", "tso"])
def test_free_of_no_object_is_told(memory):
    """Also where the program has no heap at all."""
    verdict = check_workload(Freeing(), threads=1, memory=memory)
    assert ("violated", "memory") == (verdict.verdict, verdict.found)
    assert "free of count, which is not the start" in verdict.counterexample.message


def test_wild_pointer_is_told():
    """A load far from everything is a fault of the program, not of the checker."""
    verdict = check_workload(Wild(), threads=1)
    assert ("violated", "memory") == (verdict.verdict, verdict.found)
    assert "load of word 1000000" in verdict.counterexample.message


def test_assertion_is_found_and_shown():
    """The second thread's assertion fails after two steps."""
    verdict = check_workload(Asserting(), threads=2)
    assert ("violated", "assertion", 2) == (
        verdict.verdict,
        verdict.found,
        len(verdict.counterexample.steps),
    )
    assert "count.fetch_add(1) returned 1, expected 0" in verdict.counterexample.message


def test_only_what_is_asked_is_checked():
    """A failing assertion is passed over when the question is another."""
    for other in ("exclusion", "deadlock", "memory"):
        assert "proven" == check_workload(Asserting(), threads=2, property=other).verdict


def test_budget_of_states_is_no_proof():
    """The verdict says unfinished, how many states and how deep."""
    verdict = check_lock(MCSLock, threads=3, budget=Budget(max_states=100))
    assert "unfinished" == verdict.verdict
    assert verdict.states >= 100
    assert "no proof" in verdict.limits[0]
    assert f"depth {verdict.depth}" in verdict.limits[0]


def test_counterexamples_are_shortest():
    """Check-then-act needs four steps: two looks, two stores; no shorter path is reported."""
    verdict = check_lock(zoo.TASTestThenSet, threads=3)
    assert 4 == len(verdict.counterexample.steps)


@pytest.mark.covering("lock", "memory")
@pytest.mark.parametrize("memory", ["sc", "tso"])
@pytest.mark.parametrize("lock", [TASLock, TicketLock, MCSLock, Peterson, zoo.MCSTwoStepEnqueue])
def test_dropping_dead_registers_changes_no_verdict(lock, memory, monkeypatch):
    """With every register kept there are more states and the same verdict."""
    lean = check_lock(lock, threads=2, rounds=2, memory=memory)
    monkeypatch.setattr(model_module, "unfold", _unfold_keeping_all)
    full = check_lock(lock, threads=2, rounds=2, memory=memory)
    assert (lean.verdict, lean.found) == (full.verdict, full.found)
    assert lean.states <= full.states


def _unfold_keeping_all(image, by=None, crew=None):
    program = unfold(image, by, crew)
    everything = list(range(len(program.registers)))
    n = len(program.code)
    return dataclasses.replace(
        program,
        keep=everything * n,
        keep_start=[k * len(everything) for k in range(n + 1)],
        width=len(everything),
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threads": 0}, r"threads must be between 1 and 8 \(got 0\)"),
        ({"threads": 9}, "between 1 and 8"),
        ({"rounds": 0}, "rounds must be between 1 and 100"),
        ({"memory": "arm"}, "unknown memory model 'arm'; known: sc, tso"),
        ({"property": "speed"}, "unknown property 'speed'"),
        ({"budget": Budget(max_states=0)}, "states must be between 1 and"),
        ({"budget": Budget(buffer_entries=0), "memory": "tso"}, "buffer entries must be between"),
    ],
)
def test_request_that_makes_no_sense_is_refused(arguments, message):
    """One message that says what is wrong."""
    with pytest.raises(CheckError, match=message):
        check_lock(TASLock, **arguments)


def test_memory_is_not_shared_between_checks():
    """A model is built anew: checking twice gives the same."""
    first, second = (model(Adding(), 2, "sc") for _ in range(2))
    assert list(first.shared) == list(second.shared)
    answers = {check_lock(TicketLock, threads=2).states for _ in range(2)}
    assert 1 == len(answers)


def test_memory_is_given_to_what_is_full() -> None:
    """Near the budget only full arrays grow: 224,844 states fit into 640 MiB."""
    budget = Budget(max_bytes=640 << 20)
    verdict = check_lock(MCSLock, threads=3, rounds=2, memory="c11", budget=budget)
    assert (True, 224_844) == (verdict.is_proof(), verdict.states)
