"""The client's calls above the memory steps."""

from locksim.checker import check_lock, check_workload
from locksim.checker.replay.render import text
from locksim.lang import RELAXED, Lock, Struct, Workload, array, part, word
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock


class Slot(Struct):
    """A word that is put and taken."""

    value = word()

    def put(self, value, twice):
        yield self.value.store(value, RELAXED)
        if twice:
            yield from self.put_again(value)

    def put_again(self, value):
        yield self.value.store(value, RELAXED)

    def take(self):
        return (yield self.value.swap(0, RELAXED))


class Using(Workload):
    """Puts into one of two slots, takes, and finds something else."""

    slots = array(2, Slot)
    spare = part(Slot)

    def thread(self):
        yield from self.slots[1].put(7, 1)
        yield from self.mine()

    def mine(self):
        """The client's own method is not a call of what is checked."""
        yield from self.spare.take()
        assert (yield from self.slots[1].take()) == 8


class Entering(Lock):
    """A try that only looks."""

    held = word()

    def acquire(self):
        while not (yield from self.try_acquire()):
            pass

    def try_acquire(self):
        if (yield self.held.load(RELAXED)):
            return 0
        yield self.held.store(1, RELAXED)
        return 1

    def release(self):
        yield self.held.store(0, RELAXED)


def test_calls_have_objects_arguments_results_and_steps():
    """In order; an inner call belongs to the outer one."""
    calls = check_workload(Using(), threads=1).counterexample.calls
    put, empty, take = calls
    assert ("slots[1].put(7, 1)", -1, 1, None, [0, 1]) == (
        put.text, put.began, put.ended, put.result, put.steps,
    )  # fmt: skip
    assert ("spare.take()", 1, 2, 0, [2]) == (
        empty.text, empty.began, empty.ended, empty.result, empty.steps,
    )  # fmt: skip
    assert ("slots[1].take()", 3, 7, [3]) == (take.text, take.ended, take.result, take.steps)


def test_a_call_that_is_not_over_has_no_result():
    """The last call of a thread that waits forever."""

    class Stuck(Entering):
        def release(self):
            yield self.held.store(1, RELAXED)

    calls = check_lock(Stuck, threads=2, client="acquire and count up").counterexample.calls
    waiting = [call for call in calls if call.ended is None]
    assert [("lock.acquire()", None)] == [(call.text, call.result) for call in waiting]


def test_calls_stand_first_with_their_steps_and_results():
    """What the client sees of a try that succeeds, and that the other is not over."""
    shown = text(check_lock(Entering, threads=2, client="try").counterexample)
    calls, _, steps = shown.partition("calls:\n")[2].partition("steps (SC):\n")
    tries = [line.split(maxsplit=3) for line in calls.splitlines()]
    assert ["1-4", "thread", "0", "lock.try_acquire(), not over"] in tries
    assert ["2-3", "thread", "1", "lock.try_acquire() returned 1"] in tries
    assert 4 == len(steps.splitlines())


def test_steps_of_a_test_client_do_not_show_its_source():
    """They are the client's, whose name stands above the calls."""
    verdict = check_lock(Entering, threads=2, property="assertion")
    shown = text(verdict.counterexample)
    assert "client: acquire and count up" in shown.splitlines()
    assert "test client             load count: 0" in shown
    assert "lock.py:" not in shown
    assert {True, False} == {step.client for step in verdict.counterexample.steps}


def test_steps_of_a_workload_of_ones_own_show_their_source():
    """There the lines are the user's."""
    shown = text(check_workload(Using(), threads=1).counterexample)
    assert "test_invocations.py:" in shown
    assert "test client" not in shown


def test_each_step_belongs_to_one_call_at_most():
    """And to one of its own thread."""
    example = check_lock(Entering, threads=3).counterexample
    belongs = [(call.thread, step) for call in example.calls for step in call.steps]
    assert len(belongs) == len({step for _, step in belongs})
    assert all(thread == example.steps[step].thread for thread, step in belongs)


class Queued(Lock):
    """A lock of one's own on top of one of the library; its word is free at first."""

    inner = part(TicketLock)
    taken = word()

    def acquire(self):
        yield from self.inner.acquire()
        yield self.taken.store(1, RELAXED)

    def release(self):
        yield self.taken.store(0, RELAXED)
        yield from self.inner.release()
        assert not (yield self.taken.load(RELAXED))


def test_steps_inside_a_call_of_the_library_are_one_line():
    """Steps of one's own stand alone; the line says what the thread came to hold."""
    example = check_lock(Queued, threads=2, property="assertion").counterexample
    lines = text(example).partition("steps (SC):\n")[2].splitlines()
    assert "1-2  thread 0  ticket.py" == lines[0].partition("lock.inner")[0].strip()
    assert "lock.inner.acquire(): 2 steps, acquired lock.inner" in " ".join(" ".join(lines).split())
    assert "lock.inner.release(): 2 steps" in "\n".join(lines)
    assert "ticket.py:" not in "\n".join(lines)
    folded = {step for call in example.library for step in call.steps}
    own = [k for k, step in enumerate(example.steps) if "test_invocations" in step.file]
    assert own
    assert folded.isdisjoint(own)


def test_the_library_is_not_folded_where_it_is_checked_itself():
    """There its steps are what the reader asks for."""
    example = check_lock(TASLock, threads=2, property="starvation").counterexample
    assert "tas.py:" in text(example)
    assert [] == example.library
