"""Drills: reproducible, their own answers are right, and independent counts agree with them."""

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from locksim.play.drills import KINDS, drill
from locksim.play.drills.problem import AnswerError, Problem

KIND = st.sampled_from(sorted(KINDS))


@given(kind=KIND, seed=st.integers(0, 10**6))
def test_a_drill_knows_its_answer(kind, seed):
    """What it shows as the answer is right, and something else is wrong."""
    problem = drill(kind, seed)
    assert problem.right(problem.shown())
    other = "9999,9999" if problem.size == 2 else "99999"
    assert not problem.right(other)
    assert problem == drill(kind, seed)


@given(seed=st.integers(0, 10**6))
def test_interleavings_against_all_orders(seed):
    """The values that the checker finds are those of a plain enumeration of orders."""
    problem = drill("interleavings", seed)
    start = int(re.match(r"x is (\d+)", problem.question)[1])
    rows = [line for line in problem.question.splitlines() if line.startswith("  ")][1:]
    width = problem.question.splitlines()[2].index("thread 1")
    threads = [[row[:width].strip() for row in rows], [row[width:].strip() for row in rows]]
    threads = [[step for step in steps if step] for steps in threads]
    found = set()
    total = sum(map(len, threads))
    for zeros in itertools.combinations(range(total), len(threads[0])):
        found.add(_end([0 if k in zeros else 1 for k in range(total)], threads, start))
    assert {(float(value),) for value in found} == problem.answer


def _end(order, threads, x):
    registers, at = [0, 0], [0, 0]
    for who in order:
        step = threads[who][at[who]]
        at[who] += 1
        amount = int(re.search(r"(\d+)$", step)[1]) if step[-1].isdigit() else 0
        if step.startswith("a = load"):
            registers[who] = x
        elif step.startswith("fetch_add"):
            x += amount
        elif "a +" in step:
            x = registers[who] + amount
        else:
            x = amount
    return x


@example(seed=73)
@example(seed=272)
@given(seed=st.integers(0, 10**6))
def test_grace_periods_end_after_the_readers_that_were_there(seed):
    """The engine's end of the wait is the definition's."""
    problem = drill("grace-period", seed)
    spans = re.findall(r"reads from (\d+) to (\d+) µs", problem.question)
    begins = int(re.search(r"At (\d+) µs", problem.question)[1])
    ends = [int(end) for start, end in spans if int(start) < begins < int(end)]
    assert frozenset({(float(max([begins, *ends])),)}) == problem.answer


@given(seed=st.integers(0, 10**6))
def test_transfers_against_a_list_of_copies(seed):
    """A line moves when a CPU has no copy, or has one among several and writes."""
    problem = drill("transfers", seed)
    copies, moved = set(), 0
    for cpu, what in re.findall(
        r"^  \d+\. CPU (\d+) (reads|writes|counts)", problem.question, re.M
    ):
        if what == "reads":
            moved += cpu not in copies
            copies.add(cpu)
        else:
            moved += copies != {cpu}
            copies = {cpu}
    assert frozenset({(float(moved),)}) == problem.answer


def test_store_buffers_add_what_the_litmus_test_says():
    """Two plain stores before two plain loads add 0,0 (Sewell et al., CACM 53(7), 2010)."""
    for seed in range(40):
        problem = drill("tso", seed)
        if "  store x, 1    store y, 1\n  a = load y    a = load x\n" in problem.question:
            assert "0,0" == problem.shown()
            return
    pytest.fail("no seed gave the litmus test")


PAIRS = Problem("", "pairs, such as 0,1", frozenset({(0.0, 1.0), (1.0, 1.0)}), "", size=2)
NEAR = Problem("", "a number", frozenset({(50.0,)}), "", within=0.03)


@pytest.mark.parametrize(
    ("problem", "typed", "right"),
    [
        (PAIRS, "0,1 1,1", True),
        (PAIRS, " (1, 1); (0, 1)", True),
        (PAIRS, "none", False),
        (NEAR, "51.4", True),
        (NEAR, "52", False),
        (NEAR, "none", False),
    ],
)
def test_answers_are_read_kindly(problem, typed, right):
    """Brackets, commas and order do not matter; a measured number may be a little off."""
    assert right == problem.right(typed)


@pytest.mark.parametrize("typed", ["", "maybe", "0,1 1", "0x12"])
def test_what_is_not_an_answer(typed):
    """The message says what to type."""
    with pytest.raises(AnswerError, match="type pairs, such as 0,1"):
        PAIRS.right(typed)
