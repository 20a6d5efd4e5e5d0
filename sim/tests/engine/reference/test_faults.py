"""What the reference engine says when a program goes wrong, deadlocks, or gets nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tiny_machine import ALLOC, L1, MEMORY, PAUSE, RMW, Node, after, run, tables

from locksim.core.memory import build
from locksim.core.result import DeadlockError, SimulationError
from locksim.engine.reference import core
from locksim.engine.reference import engine as reference
from locksim.lang import (
    RELAXED,
    Lock,
    alloc,
    block,
    compute,
    cpu,
    done,
    fence,
    free,
    part,
    pause,
    random_below,
    random_exponential,
    wake,
    word,
)
from locksim.lang.struct import Workload


def message_of(program: Callable[..., Any], *others: Callable[..., Any], **settings: Any) -> str:
    """The message that stops a run of programs, the first of them on CPU 0."""
    with pytest.raises(SimulationError) as caught:
        run(program, *others, **settings)
    assert 2 == caught.value.exit_code
    return str(caught.value)


def line(program: Callable[..., Any], offset: int) -> str:
    """A place in a program of this file, by the line's distance from the ``def``."""
    return f"test_faults.py:{program.__code__.co_firstlineno + offset}"


def test_a_null_pointer():
    """The word's number tells the field, the line tells the program's place."""

    def program(self: Any):
        node = self._layout.space.view(Node, 0)
        yield compute(1_234_567)
        yield node.other.load()

    assert message_of(program) == (
        f"CPU 0 at 1.234567 µs, {line(program, 3)} in Board.program: use of memory outside every "
        "live object: load through a NULL pointer (word 1 of the struct)"
    )


def test_a_word_that_was_never_allocated():
    """Addresses beyond memory, below it and in the unused heap are refused alike."""
    for address in (2**60, -5, 8 * 70):

        def program(self: Any, address: int = address):
            yield self._layout.space.view(Node, address).value.fetch_add(1)

        assert message_of(program) == (
            f"CPU 0 at 0 µs, {line(program, 1)} in Board.program: use of memory outside every "
            f"live object: fetch_add of word {address}"
        )


def test_use_after_free():
    """A freed object's words are dead until somebody allocates them again."""

    def program(self: Any):
        node = yield alloc(Node)
        yield free(node)
        yield node.value.store(1, RELAXED)

    assert f"{line(program, 3)} in Board.program: use of memory" in message_of(program)


def test_a_buffered_store_to_what_was_freed_meanwhile():
    """It is found when the store drains, and blamed on the line that stored."""

    def program(self: Any):
        node = yield alloc(Node)
        yield node.value.store(1, RELAXED)
        yield free(node)

    text = message_of(program)
    when = (ALLOC + MEMORY) / 10**6
    assert text.startswith(f"CPU 0 at {when} µs, {line(program, 2)} in Board.program: use of")
    assert ": store of word " in text


def test_free_of_what_is_no_object():
    """Static words, the middle of an object, and what is free already can not be freed."""

    def static(self: Any):
        yield free(int(self.a))

    def middle(self: Any):
        node = yield alloc(Node)
        yield free(int(node) + 1)

    def twice(self: Any):
        node = yield alloc(Node)
        yield free(node)
        yield free(node)

    assert message_of(static).endswith(
        f"{line(static, 1)} in Board.static: free of pair.first, "
        "which is not the start of a live object"
    )
    assert "free of Node@" in message_of(middle)
    assert f"{line(twice, 3)} in Board.twice: free of word" in message_of(twice)


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (lambda self: compute(-3), "compute of a negative time: -3 ps"),
        (lambda self: wake(4), "wake of CPU 4, which is not part of the run"),
        (lambda self: wake(-1), "wake of CPU -1, which is not part of the run"),
        (
            lambda self: self.own[4].load(),
            "an array's index is out of range: Board.own[4]: the index is outside 0..3",
        ),
        (lambda self: compute(5 % (int(self) - int(self))), "division by zero"),
        (lambda self: compute(1 << -1), "a shift by a number of bits outside 0..63: "),
        (
            lambda self: compute(random_below(0)),
            "a random number needs a bound or mean of at least 1: random_below(0)",
        ),
        (
            lambda self: compute(random_exponential(-1)),
            "a random number needs a bound or mean of at least 1: random_exponential(-1)",
        ),
        (lambda self: 3, "3 is yielded, which is not an operation"),
        (lambda self: alloc(Lock), "memory was built without the allocated type Lock"),
        (lambda self: self.nothing, "AttributeError: 'Board' object has no attribute 'nothing'"),
    ],
)
def test_faults(operation: Callable[[Any], Any], text: str):
    """Each kind of fault has its message."""

    def program(self: Any):
        yield operation(self)

    message = message_of(program)
    assert message.startswith("CPU 0 at 0 µs, test_faults.py:")
    assert text in message


def test_a_failed_assertion():
    """An assertion's own words are in the message."""

    def program(self: Any):
        value = yield self.a.swap(1)
        assert value == 1, "the word was free"

    when = (MEMORY + RMW) / 10**6
    assert message_of(program).startswith(
        f"CPU 0 at {when} µs, {line(program, 2)} in Board.program: "
        "an assertion failed: the word was free"
    )


def test_the_innermost_program_is_named():
    """A fault in a part's method names the part's class and line."""

    class Broken(Lock):
        locked = word()

        def acquire(self):
            yield compute(-1)

        def release(self):
            yield pause()

    def program(self: Any):
        yield from self.lock.acquire()

    class Board(Workload):
        lock = part(Broken)
        thread = program

    with pytest.raises(SimulationError, match=r"in Broken.acquire: compute of a negative time"):
        reference.run(build(Board(), tables(), []), tables(), seed=1, until_ps=1)


@pytest.mark.parametrize("operation", [pause, lambda: fence(RELAXED), done])
def test_a_program_that_lets_no_time_pass(operation: Any, monkeypatch: pytest.MonkeyPatch):
    """Endless operations without cost stop the run."""
    monkeypatch.setattr(core, "MAX_STEPS_AT_ONCE", 1_000)

    def program(self: Any):
        while True:
            yield operation()

    assert "the program runs forever while no time passes" in message_of(program, pause_ps=0)


def test_a_deadlock_lists_who_sleeps_where():
    """Threads that have returned are not in the list."""

    def sleeper(self: Any):
        yield compute(100)
        yield block()

    def other(self: Any):
        yield pause()

    with pytest.raises(DeadlockError) as caught:
        run(sleeper, other, sleeper)
    place = f"{line(sleeper, 2)} (Board.sleeper)"
    assert str(caught.value) == (
        "deadlock at 0.0001 µs: no thread can go on\n"
        f"  thread 0 on CPU 0 sleeps in block() at {place}\n"
        f"  thread 2 on CPU 2 sleeps in block() at {place}"
    )


def test_a_deadlock_after_the_time_limit_is_not_looked_for():
    """As long as an event is left, the run has only come to its end."""

    def sleeper(self: Any):
        yield compute(100)
        yield block()

    assert 3 == run(sleeper, until_ps=100).finished


class Spinner(Lock):
    """A test-and-set lock."""

    locked = word()

    def acquire(self):
        """Swap until the word was free, with growing waits."""
        while (yield self.locked.swap(1)):
            yield pause()
            yield compute(50)

    def release(self):
        """Free the word."""
        yield self.locked.store(0)


class Twice(Workload):
    """A thread that takes a lock twice."""

    lock = part(Spinner)

    def thread(self):
        """CPU 0 takes the lock twice; the others have nothing to do."""
        if cpu() == 0:
            yield from self.lock.acquire()
            yield from self.lock.acquire()


def test_a_livelock_in_a_lock_is_found():
    """Whatever a thread does inside an acquisition is waiting, swaps and back-off included."""
    memory = build(Twice(), tables(), [])
    with pytest.raises(DeadlockError) as caught:
        reference.run(memory, tables(), seed=1, until_ps=10**9, stall_ps=100_000)
    head, place = str(caught.value).split("\n")
    assert head.endswith(" µs: the threads only wait")
    swap = Spinner.acquire.__wrapped__.__code__.co_firstlineno + 2
    assert place == (
        f"  thread 0 on CPU 0 spins on lock.locked (=1) at test_faults.py:{swap} (Spinner.acquire)"
    )


def test_a_livelock_of_spinning_loads_is_found():
    """A loop outside any lock that only loads and pauses is waiting as well."""

    def spinner(self: Any):
        while not (yield self.a.load()):
            yield pause()

    def sleeper(self: Any):
        yield block()

    with pytest.raises(DeadlockError) as caught:
        run(spinner, sleeper, stall_ps=1_000)
    assert str(caught.value).split("\n")[1:] == [
        f"  thread 0 on CPU 0 spins on pair.first (=0) at {line(spinner, 1)} (Board.spinner)",
        f"  thread 1 on CPU 1 sleeps in block() at {line(sleeper, 1)} (Board.sleeper)",
    ]


def test_a_thread_that_computes_is_getting_on():
    """A spinner may wait for a long computation: that is no livelock."""

    def spinner(self: Any):
        while not (yield self.a.load()):
            yield pause()

    def worker(self: Any):
        yield self.b.load()
        yield compute(50_000)
        yield self.a.store(1)

    result = run(spinner, worker, stall_ps=1_000)
    assert 4 == result.finished
    assert result.cpu[0].max() > 50_000 // (PAUSE + L1)


def test_a_thread_that_marks_its_work_is_getting_on():
    """Loads alone are waiting, unless a unit of work is done now and then."""

    def reader(work: bool) -> Any:
        def program(self: Any):
            for i in range(2_000):
                yield self.a.load()
                if work and i % 100 == 0:
                    yield done()

        return program

    assert 4 == run(reader(True), stall_ps=500).finished
    with pytest.raises(DeadlockError):
        run(reader(False), stall_ps=500)
    assert 4 == run(after(1, reader(False))).finished
