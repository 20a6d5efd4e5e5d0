"""The client's calls above the memory steps."""

from locksim.checker import check_lock, check_workload
from locksim.checker.replay.render import table
from locksim.lang import RELAXED, Lock, Struct, Workload, array, part, word


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
    """The last call of a thread that waits for ever."""

    class Stuck(Entering):
        def release(self):
            yield self.held.store(1, RELAXED)

    calls = check_lock(Stuck, threads=2, client="acquire and count up").counterexample.calls
    waiting = [call for call in calls if call.ended is None]
    assert [("lock.acquire()", None)] == [(call.text, call.result) for call in waiting]


def test_the_table_shows_calls_above_their_steps_and_results_below():
    """What the client sees of a try that fails and of one that succeeds."""
    verdict = check_lock(Entering, threads=2, client="try")
    lines = [line.partition("|")[2] for line in table(verdict.counterexample).splitlines()]
    text = "\n".join(cell.strip(" |") for cell in lines)
    assert "lock.try_acquire()\n" in text
    assert "=> lock.try_acquire() returned 1" in text


def test_steps_of_a_test_client_do_not_show_its_source():
    """They are the client's, whose name stands above the table."""
    verdict = check_lock(Entering, threads=2, property="assertion")
    text = table(verdict.counterexample)
    assert "client: acquire and count up" == text.splitlines()[0]
    assert "test client: load count: 0" in text
    assert "lock.py:" not in text
    assert {True, False} == {step.client for step in verdict.counterexample.steps}


def test_steps_of_a_workload_of_ones_own_show_their_source():
    """There the lines are the user's."""
    text = table(check_workload(Using(), threads=1).counterexample)
    assert "test_invocations.py:" in text
    assert "test client:" not in text.partition("\n")[2]


def test_each_step_belongs_to_one_call_at_most():
    """And to one of its own thread."""
    example = check_lock(Entering, threads=3).counterexample
    belongs = [(call.thread, step) for call in example.calls for step in call.steps]
    assert len(belongs) == len({step for _, step in belongs})
    assert all(thread == example.steps[step].thread for thread, step in belongs)
