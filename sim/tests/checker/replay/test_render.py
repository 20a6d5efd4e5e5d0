"""A counterexample as a table."""

import pytest
from checker import zoo

from locksim.checker import check_lock
from locksim.checker.replay.render import did, table


def text_of(lock, width=100, **arguments):
    """The table of a lock's counterexample."""
    return table(check_lock(lock, **arguments, simplest=False).counterexample, width)


@pytest.mark.parametrize("threads", [2, 3, 4])
@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("memory", ["sc", "tso"])
def test_table_keeps_its_width(threads, width, memory):
    """No line is longer than asked, and every thread has a column."""
    lines = text_of(zoo.TASTestThenSet, width, threads=threads, memory=memory).splitlines()
    assert max(map(len, lines)) <= width
    assert [f"thread {i}" for i in range(threads)] == [
        cell.strip() for cell in lines[1].split("|")[1:]
    ]


def test_table_shows_source_values_marks_and_buffers():
    """What a reader needs to follow a step."""
    text = text_of(zoo.TASTestThenSet, 140, threads=2, memory="tso")
    assert "zoo.py:" in text
    assert "while (yield self.locked.load(ACQUIRE)) != 0:" in text
    assert "load lock.locked: 0" in text
    assert "store lock.locked: 1, into its buffer" in text
    assert "=> acquired lock" in text
    assert "buffer: lock.locked=1" in text
    wrong = "two threads hold the lock: thread 1 acquires it while thread 0 holds it"
    assert text.replace("\n  ", " ").endswith(f"exclusion: {wrong}")


def test_pointers_are_named():
    """What a pointer points to has its name, also on the heap and after it was freed."""
    text = text_of(zoo.MCSForgetsSuccessor, 140, threads=2)
    assert "swap lock.tail: NULL -> &lock.nodes[0]" in text
    text = text_of(zoo.HeapMCSUseAfterFree, 140, threads=2)
    assert "alloc: &HeapNode@5" in text
    assert "free &HeapNode@5" in text
    assert "load of HeapNode@5.next (freed)" in text


def test_seq_cst_store_is_shown_as_a_store():
    """Though it is an exchange to the machine, and does not go through the buffer."""
    text = text_of(zoo.SleepingLostWakeUp, 140, threads=2, memory="tso")
    assert "store lock.sleeper: -1 -> " in text
    assert "swap lock.locked: 0 -> 1" in text


def test_message_says_who_waits_where():
    """A deadlock lists the threads that have not finished."""
    text = text_of(zoo.SleepingLostWakeUp, threads=2)
    assert "thread" in text.splitlines()[-1]
    assert "sleeps in block()" in text


def test_lost_update_is_shown_with_the_word():
    """With exclusion not asked for, the count shows the fault."""
    verdict = check_lock(zoo.TASTestThenSet, threads=2, property="assertion")
    assert ("violated", "assertion") == (verdict.verdict, verdict.found)
    lost = "all threads have finished: count is 1, expected 2 (an update was lost)"
    assert lost == verdict.counterexample.message


@pytest.mark.parametrize("animal", zoo.ZOO, ids=[a.lock.__name__ for a in zoo.ZOO])
def test_every_step_is_shown(animal):
    """Each step has a place, a source line and a text of its own."""
    verdict = check_lock(animal.lock, threads=animal.threads, rounds=animal.rounds, memory="tso")
    for step in verdict.counterexample.steps:
        assert step.source
        assert step.line > 0
        assert step.operation.split("_")[0] in did(step) or step.action == "flush"


def test_names_are_broken_at_their_dots():
    """Where a column is too narrow for a name, no word of it is cut in two."""
    text = text_of(zoo.TicketPlainIncrement, 80, threads=3)
    assert ".next_ticket" in text
    cells = "".join(line.split("|")[1].strip() for line in text.splitlines() if "|" in line)
    assert "self.next_ticket.store(ticket" in cells
