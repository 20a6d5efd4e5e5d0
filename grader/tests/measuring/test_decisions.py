"""Histories of a decision cache: which hits are stale, and which lookups must hit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockgrader.measuring.decisions import (
    END,
    LOOKUP,
    NEVER,
    QUICK_PS,
    RECLAIM,
    REPLACE,
    Call,
    Notes,
    hits,
    stale,
    waited_ps,
)
from locksim.engine.trace import MARK
from locksim.lang.ops import Mark

KEY = 7
STEPS = st.lists(
    st.tuples(st.sampled_from([LOOKUP, REPLACE, RECLAIM]), st.integers(1, 3)), max_size=40
)


def put(value: int, begin: int, end: int, key: int = KEY) -> Call:
    """An update."""
    return Call(REPLACE, key, value, begin, end)


def found(value: int, begin: int, end: int, key: int = KEY) -> Call:
    """A lookup and what it has found, 0 for nothing."""
    return Call(LOOKUP, key, value, begin, end)


def reclaim(begin: int, end: int) -> Call:
    """A reclaim."""
    return Call(RECLAIM, 0, 0, begin, end)


@given(STEPS)
def test_one_cpu_and_a_cache_that_forgets_nothing(steps: list[tuple[int, int]]) -> None:
    """Call after call: no hit is stale, and every lookup that must hit does."""
    known: dict[int, int] = {}
    calls = []
    for number, (what, key) in enumerate(steps):
        if what == REPLACE:
            known[key] = number + 1
        value = 0 if what == RECLAIM else known.get(key, 0)
        calls.append(Call(what, key, value, 10 * number, 10 * number + 5))
    must, hit = hits(calls)
    assert (None, must) == (stale(calls), hit)


@given(STEPS)
def test_a_cache_that_always_misses_has_no_hits(steps: list[tuple[int, int]]) -> None:
    """It is never out of date, and it misses all that it had to know."""
    calls = [
        Call(what, key, (number + 1) * (what == REPLACE), 10 * number, 10 * number + 5)
        for number, (what, key) in enumerate(steps)
    ]
    assert (None, 0) == (stale(calls), hits(calls)[1])


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ([put(1, 0, 1), put(2, 2, 3), found(1, 4, 5)], True),  # replaced before it began
        ([put(1, 0, 1), put(2, 2, 3), found(2, 4, 5)], False),
        ([put(1, 0, 1), found(1, 2, 6), put(2, 3, 7)], False),  # they overlap
        ([put(1, 0, 1), found(1, 2, 9), put(2, 3, 4)], False),  # the update began later
        ([put(1, 0, 1), put(2, 2, 3, key=8), found(1, 4, 5)], False),  # another key
        ([put(1, 0, 1), put(2, 2, 3), put(1, 4, 5), found(1, 6, 7)], False),  # put in again
        ([put(2, 2, 3), found(1, 4, 5), put(1, 0, NEVER)], False),  # it has not returned yet
        ([put(1, 0, 1), put(2, 2, 3), found(0, 4, 5)], False),  # a miss is never stale
        ([put(2, 2, 3), found(9, 4, 5)], True),  # nobody has put it in
    ],
)
def test_stale(calls: list[Call], wrong: bool) -> None:
    """A hit is stale if its decision was replaced before the lookup began."""
    said = stale(calls)
    assert wrong == (said is not None)
    if said is not None:
        assert (LOOKUP, REPLACE, 2) == (said[0].what, said[1].what, said[1].value)


@pytest.mark.parametrize(
    ("calls", "counted"),
    [
        ([found(0, 0, 1)], (0, 0)),  # nothing is known
        ([put(1, 0, 1), found(1, 2, 3)], (1, 1)),
        ([put(1, 0, 1), found(0, 2, 3)], (1, 0)),
        ([put(1, 0, 3), found(0, 2, 4)], (0, 0)),  # they overlap
        ([put(1, 0, 1), reclaim(2, 3), found(0, 4, 5)], (1, 0)),  # one takes off the mark
        ([put(1, 0, 1), reclaim(2, 3), reclaim(4, 5), found(0, 6, 7)], (0, 0)),
        ([put(1, 0, 1), reclaim(2, 3), found(1, 4, 5), reclaim(6, 7), found(0, 8, 9)], (2, 1)),
        ([put(1, 0, 2), found(0, 4, 6), reclaim(1, 7), reclaim(3, 8)], (0, 0)),  # both overlap
    ],
)
def test_hits(calls: list[Call], counted: tuple[int, int]) -> None:
    """A lookup must hit what was put in or found before, with one reclaim between at most."""
    assert counted == hits(calls)


def rows(*notes: tuple[int, int, int]) -> np.ndarray:
    """A part of a trace: (time, CPU, number) of each note."""
    mark = MARK + int(Mark.NOTE)
    return np.array([(time, cpu, mark, number, 0) for time, cpu, number in notes], dtype=np.int64)


def test_notes_become_calls() -> None:
    """Of two CPUs at once, over two parts; what has not returned stays open, without an answer."""
    notes = Notes()
    first = [(1, 0, LOOKUP), (1, 0, KEY), (2, 1, REPLACE), (2, 1, KEY), (2, 1, 5), (3, 0, 4)]
    notes(rows(*first), np.array([]))
    notes(rows((4, 0, END), (5, 2, RECLAIM), (5, 2, 0), (6, 3, LOOKUP), (6, 3, 9)), np.array([]))
    assert [[found(4, 1, 4), put(5, 2, NEVER), reclaim(5, NEVER)]] == list(notes.calls())


def test_time_begins_anew_with_each_run() -> None:
    """Two runs are two histories; rows that are no notes are left out."""
    notes = Notes()
    one = rows((1, 0, LOOKUP), (1, 0, KEY), (1, 0, 0), (9, 0, END))
    other = np.array([(10, 0, 1, 5, 5)], dtype=np.int64)
    notes(np.concatenate([one, other]), np.array([]))
    notes(one, np.array([]))
    assert [[found(0, 1, 9)]] * 2 == list(notes.calls())


def test_what_takes_long_waits() -> None:
    """Beyond what a call takes by itself; reclaims and calls without an end are left out."""
    quick, slow = found(1, 0, QUICK_PS), put(2, 0, QUICK_PS + 5)
    others = [reclaim(0, 9 * QUICK_PS), found(0, 0, QUICK_PS + 2), found(0, 0, NEVER)]
    assert 7 == waited_ps([quick, slow, *others])
