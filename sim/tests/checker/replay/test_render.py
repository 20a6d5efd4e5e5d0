"""A counterexample as text."""

import re
from dataclasses import replace

import pytest
from checker import zoo
from checker.classics import Peterson

from locksim.checker import check_lock
from locksim.checker.replay.render import did, divided, text, way, wrapped


def text_of(lock, width=100, **arguments):
    """The text of a lock's counterexample."""
    return text(check_lock(lock, **arguments, simplest=False).counterexample, width)


@pytest.mark.parametrize("threads", [2, 3, 4])
@pytest.mark.parametrize("width", [40, 80, 100])
@pytest.mark.parametrize("memory", ["sc", "tso"])
def test_lines_fit_the_width(threads, width, memory):
    """No line is longer than asked, and every step has one of its own, in order."""
    shown = text_of(zoo.TASTestThenSet, width, threads=threads, memory=memory)
    assert max(map(len, shown.splitlines())) <= width
    steps = shown.partition("steps")[2]
    numbers = re.findall(r"^ +(\d+)  thread", steps, re.MULTILINE)
    assert [str(k + 1) for k in range(len(numbers))] == numbers


def test_a_step_has_its_place_values_marks_and_buffer():
    """What a reader needs to follow it."""
    shown = text_of(zoo.TASTestThenSet, 140, threads=2, memory="tso")
    assert "zoo.py:" in shown
    assert "load lock.locked: 0" in shown
    assert "store lock.locked: 1, into its buffer" in shown
    assert ", acquired lock" in shown
    beside = text_of(Peterson, 140, threads=2, memory="tso")
    assert re.search("load .*; buffer: .*=1", beside)


def test_what_is_wrong_stands_first():
    """Then the client, its calls, and the steps."""
    shown = text_of(zoo.TASTestThenSet, 140, threads=2)
    parts = [shown.index(part) for part in ("exclusion: ", "client: ", "calls:", "steps (SC):")]
    assert sorted(parts) == parts
    assert 0 == parts[0]
    wrong, there = divided(shown)
    assert "client: " == there[:8]
    assert shown == f"{wrong}\n{there}"
    assert ("no way", "") == divided("no way")


def test_the_last_steps_are_shown():
    """A line says how many came before; where the steps go round, a line says that, too."""
    example = check_lock(zoo.TASTestThenSet, threads=2).counterexample
    lines = way(replace(example, cycle=2), most=3).partition("steps (SC):\n")[2].splitlines()
    assert "  \N{HORIZONTAL ELLIPSIS} 1 earlier steps" == lines[0]
    assert ["2", "3", "4"] == [line.split()[0] for line in lines if "thread" in line]
    assert "  from here on, again and again:" == lines[2]


def test_pointers_are_named():
    """What a pointer points to has its name, also on the heap and after it was freed."""
    shown = text_of(zoo.MCSForgetsSuccessor, 140, threads=2)
    assert "swap lock.tail: NULL -> &lock.nodes[0]" in shown
    shown = text_of(zoo.HeapMCSUseAfterFree, 140, threads=2)
    assert "alloc: &HeapNode@5" in shown
    assert "free &HeapNode@5" in shown
    assert "load of HeapNode@5.next (freed)" in shown


def test_seq_cst_store_is_shown_as_a_store():
    """Though it is an exchange to the machine, and does not go through the buffer."""
    shown = text_of(zoo.SleepingLostWakeUp, 140, threads=2, memory="tso")
    assert "store lock.sleeper: -1 -> " in shown
    assert "swap lock.locked: 0 -> 1" in shown


def test_message_says_who_waits_where():
    """A deadlock lists the threads that have not finished."""
    shown = text_of(zoo.SleepingLostWakeUp, threads=2)
    assert "thread" in shown.splitlines()[1]
    assert "sleeps in block()" in shown.partition("client:")[0]


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
    """Where a line is too narrow for a name, no word of it is cut in two."""
    name = "scheduler.queues[0].lock.next_ticket"
    lines = wrapped(f"load {name}", 24).splitlines()
    assert max(map(len, lines)) <= 24
    assert name == "".join(line.strip() for line in lines).removeprefix("load").lstrip()


def test_indented_lines_stay_indented():
    """Their continuation has two characters more."""
    assert "head\n  one two\n    three" == wrapped("head\n  one two three", 10)


def test_numbers_above_half_a_word_are_two_halves():
    """As the source writes them: a count above bit 32, a flag below."""
    from locksim.checker.replay.names import numeral

    shown = ["0", "-1", "4294967295", "1 << 32", "3 << 32 | 5", "-1 << 32", "-1 << 32 | 1"]
    assert shown == [numeral(eval(one)) for one in shown]
