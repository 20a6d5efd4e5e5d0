"""The lock meter: what it counts from marks, compiled and as plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from locksim.engine.counters import LOCK_COUNTERS, LOCK_STATE
from locksim.engine.fast import registers  # what the compiled meter is compiled for
from locksim.engine.histogram import BUCKETS, bucket_of
from locksim.engine.meters import (
    HISTOGRAMS,
    STATE_COLUMNS,
    begin_window,
    end_window,
    histograms,
    mark,
    rows,
)
from locksim.lang.ops import Mark

START, GOT, LEFT, FAILED = Mark.ACQUIRE_START, Mark.ACQUIRED, Mark.RELEASED, Mark.TRY_FAILED
READ, READING, READ_LEFT = Mark.READ_START, Mark.READ_ACQUIRED, Mark.READ_RELEASED
Event = tuple[Mark, int, int, int]
N_CPUS = 4


@njit
def compiled(locks, times, state, lock, kind, thread, now, stops):
    """The meter as the fast engine compiles it."""
    return registers.mark(locks, times, state, lock, kind, thread, now, stops)


def no_times() -> npt.NDArray[np.int32]:
    """Empty histograms of two locks."""
    return np.zeros((2, len(HISTOGRAMS) * BUCKETS), np.int32)


def meter(
    events: list[Event], count: Callable[..., Any] = compiled, times: Any = None
) -> dict[str, int]:
    """Counters of one lock that are not zero, after (mark, cpu, time, stops so far) each."""
    locks = np.zeros((2, len(LOCK_COUNTERS)), np.int64)
    state = np.zeros((N_CPUS, 2, STATE_COLUMNS), np.int64)
    times = no_times() if times is None else times
    for kind, cpu, now, pauses in events:
        count(locks, times, state, 1, int(kind), cpu, now, pauses)
    assert not locks[0].any()
    assert not times[0].any()
    row = locks[1].tolist()
    return {name: n for name, n in zip(LOCK_COUNTERS, row, strict=True) if n}


def sparse(events: list[Event], times: dict[tuple[int, int], int]) -> dict[str, int]:
    """The same over dictionaries, as the reference engine keeps its counts."""
    locks: dict[tuple[int, int], int] = defaultdict(int)
    state: dict[tuple[int, int, int], int] = defaultdict(int)
    for kind, cpu, now, pauses in events:
        mark(locks, times, state, 1, int(kind), cpu, now, pauses)
    return {name: n for name, n in zip(LOCK_COUNTERS, rows(locks, 2)[1], strict=True) if n}


@pytest.fixture(params=["compiled", "python"])
def count(request: pytest.FixtureRequest) -> Callable[[list[Event]], dict[str, int]]:
    """The meter, both ways."""
    function = compiled if request.param == "compiled" else mark
    return lambda events: meter(events, function)


def test_an_uncontended_acquisition(count: Any):
    """Without a pause the wait does not count, however long it took."""
    assert count([(START, 0, 100, 5), (GOT, 0, 180, 5), (LEFT, 0, 400, 5)]) == {
        "total": 1,
        "hold_ps": 220,
        "hold_max_ps": 220,
        "since_ps": 180,
    }


def test_a_contended_acquisition(count: Any):
    """With one pause between start and success the whole time is the wait."""
    assert count([(START, 0, 100, 5), (GOT, 0, 180, 6)]) == {
        "total": 1,
        "contended": 1,
        "wait_ps": 80,
        "wait_max_ps": 80,
        "owner": 1,
        "since_ps": 180,
    }


def test_sums_and_maxima(count: Any):
    """Waits and holds add up, and the longest of each is kept."""
    events = []
    for start, wait, hold in ((0, 30, 10), (1_000, 50, 7), (2_000, 40, 9)):
        pauses = start
        events.append((START, 2, start, pauses))
        events.append((GOT, 2, start + wait, pauses + 1))
        events.append((LEFT, 2, start + wait + hold, pauses + 1))
    assert count(events) == {
        "total": 3,
        "contended": 3,
        "wait_ps": 120,
        "wait_max_ps": 50,
        "hold_ps": 26,
        "hold_max_ps": 10,
        "since_ps": 2_040,
    }


def test_each_wait_and_hold_is_in_its_histogram() -> None:
    """On the side of writers and on that of readers; a wait only if it was contended."""
    few: dict[tuple[int, int], int] = defaultdict(int)
    events = [(START, 0, 0, 0), (GOT, 0, 9, 0), (LEFT, 0, 20, 0)]
    events += [(START, 0, 30, 0), (GOT, 0, 37, 1), (LEFT, 0, 48, 1)]
    events += [(READ, 1, 50, 0), (READING, 1, 53, 2), (READ_LEFT, 1, 59, 2)]
    sparse(events, few)
    assert {
        1: {"hold": {11: 2}, "wait": {7: 1}, "read_wait": {3: 1}, "read_hold": {6: 1}}
    } == histograms(few)


def test_a_failed_try_is_a_rejection(count: Any):
    """It neither acquires nor waits."""
    assert count([(START, 1, 5, 0), (FAILED, 1, 9, 1)]) == {"rejected": 1}
    assert count([(READ, 1, 5, 0), (Mark.READ_TRY_FAILED, 1, 9, 1)]) == {"rejected": 1}


def test_waits_of_several_cpus_do_not_mix(count: Any):
    """Each CPU's start is its own: the waiter's wait begins before the holder's release."""
    events = [
        (START, 0, 0, 0),
        (GOT, 0, 10, 0),
        (START, 1, 20, 7),
        (LEFT, 0, 50, 0),
        (GOT, 1, 70, 9),
        (LEFT, 1, 75, 9),
    ]
    assert count(events) == {
        "total": 2,
        "contended": 1,
        "wait_ps": 50,
        "wait_max_ps": 50,
        "contended_ww": 1,
        "wait_ww_ps": 50,
        "wait_ww_max_ps": 50,
        "hold_ps": 45,
        "hold_max_ps": 40,
        "since_ps": 70,
    }


def test_readers_share_a_busy_period(count: Any):
    """Two overlapping readers make one busy period, a third one alone another."""
    events = [
        (READ, 0, 0, 0),
        (READING, 0, 10, 0),
        (READ, 1, 15, 0),
        (READING, 1, 20, 1),
        (READ_LEFT, 0, 40, 0),
        (READ_LEFT, 1, 60, 1),
        (READ, 0, 90, 0),
        (READING, 0, 100, 0),
        (READ_LEFT, 0, 101, 0),
    ]
    assert count(events) == {
        "read_total": 3,
        "read_contended": 1,
        "read_wait_ps": 5,
        "read_wait_max_ps": 5,
        "read_hold_ps": 30 + 40 + 1,
        "read_hold_max_ps": 40,
        "readers_max": 2,
        "busy_periods": 2,
        "busy_ps": 51,
        "busy_max_ps": 50,
        "busy_since_ps": 100,
    }


def test_the_window_cuts_a_busy_period() -> None:
    """Open at the beginning and at the end: its part inside counts, once."""
    locks = np.zeros((2, len(LOCK_COUNTERS)), np.int64)
    state, times = np.zeros((2, 2, STATE_COLUMNS), np.int64), no_times()
    for kind, thread, now in ((READING, 0, 10), (READING, 1, 20)):
        mark(locks, times, state, 0, int(kind), thread, now, 0)
    begin_window(locks, 2, 100)
    assert _counted(end_window(locks, 2, 150)[0]) == {
        "readers_max": 2,
        "busy_periods": 1,
        "busy_ps": 50,
        "busy_max_ps": 50,
    }
    for kind, thread, now in ((READ_LEFT, 0, 160), (READ_LEFT, 1, 180), (READING, 0, 190)):
        mark(locks, times, state, 0, int(kind), thread, now, 0)
    found = _counted(end_window(locks, 2, 200)[0])
    busy = ("busy_periods", "busy_ps", "busy_max_ps")
    assert (2, 80 + 10, 80) == tuple(found[name] for name in busy)
    assert _counted(end_window(locks, 2, 200)[0]) == found  # a copy: looking changes nothing
    assert not end_window(locks, 2, 200)[1].any()


def _counted(row: npt.NDArray[np.int64]) -> dict[str, int]:
    """The counts of a lock that are not zero, without its state."""
    pairs = zip(LOCK_COUNTERS, row.tolist(), strict=True)
    return {name: value for name, value in pairs if value and name not in LOCK_STATE}


def test_a_writer_behind_a_writer(count: Any):
    """WW: the start mark found another writer; a writer behind a reader waits all the same."""
    events = [
        (START, 0, 0, 0),
        (GOT, 0, 0, 0),
        (START, 1, 5, 0),  # behind the writer of CPU 0
        (LEFT, 0, 10, 0),
        (READ, 2, 10, 0),
        (READING, 2, 10, 0),
        (START, 3, 12, 0),  # behind the reader of CPU 2
        (READ_LEFT, 2, 20, 0),
        (GOT, 3, 22, 1),
        (LEFT, 3, 22, 1),
        (GOT, 1, 25, 1),
        (LEFT, 1, 25, 1),
    ]
    found = count(events)
    assert (2, 30) == (found["contended"], found["wait_ps"])
    assert (1, 20, 20) == tuple(
        found[f"{k}"] for k in ("contended_ww", "wait_ww_ps", "wait_ww_max_ps")
    )


@pytest.mark.parametrize(
    ("events", "violations"),
    [
        ([(GOT, 0, 0, 0), (GOT, 1, 5, 0)], 1),
        ([(READING, 0, 0, 0), (GOT, 1, 5, 0)], 1),
        ([(GOT, 0, 0, 0), (READING, 1, 5, 0)], 1),
        ([(READING, 0, 0, 0), (READING, 1, 5, 0)], 0),
        ([(GOT, 0, 0, 0), (LEFT, 0, 5, 0), (GOT, 1, 5, 0)], 0),
        ([(READING, 0, 0, 0), (READ_LEFT, 0, 5, 0), (GOT, 1, 5, 0)], 0),
    ],
)
def test_violations(count: Any, events: list[Event], violations: int):
    """A success while somebody holds the lock in a way that excludes it is a violation."""
    assert violations == count(events).get("violations", 0)


def test_other_marks_and_stray_releases_change_nothing(count: Any):
    """A unit of work, a note, and the release of what nobody holds are not counted."""
    events = [(Mark.DONE, 0, 5, 0), (Mark.NOTE, 0, 6, 0), (LEFT, 0, 7, 0), (READ_LEFT, 1, 8, 0)]
    assert count(events) == {}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(list(Mark)),
            st.integers(0, N_CPUS - 1),
            st.integers(0, 100),
            st.integers(0, 2),
        ),
        max_size=40,
    )
)
def test_the_compiled_meter_equals_the_python_one(steps: list[tuple[Mark, int, int, int]]):
    """Whatever marks come, in whatever order, both count the same and nothing gets negative."""
    now, pauses, events = 0, [0] * N_CPUS, []
    for kind, cpu, delay, paused in steps:
        now += delay
        pauses[cpu] += paused
        events.append((kind, cpu, now, pauses[cpu]))
    times, few = no_times(), defaultdict(int)
    counted = meter(events, times=times)
    assert counted == meter(events, mark)
    assert counted == sparse(events, few)
    where = np.nonzero(times)
    assert few == {(1, int(column)): int(times[1, column]) for column in where[1]}
    # Each wait and each hold is in one bucket; the longest are in the last ones.
    names = {"wait": "contended", "read_wait": "read_contended"}
    for name, buckets in histograms(few).get(1, {}).items():
        assert names.get(name) is None or sum(buckets.values()) == counted[names[name]]
        assert max(buckets) == bucket_of(counted.get(f"{name}_max_ps", 0))
    assert all(n > 0 for n in counted.values())
    assert counted.get("contended", 0) <= counted.get("total", 0)
    assert counted.get("wait_max_ps", 0) <= counted.get("wait_ps", 0)
    assert counted.get("contended_ww", 0) <= counted.get("contended", 0)
    assert counted.get("wait_ww_ps", 0) <= counted.get("wait_ps", 0)
    assert counted.get("busy_max_ps", 0) <= counted.get("busy_ps", 0)
    assert counted.get("hold_max_ps", 0) <= counted.get("hold_ps", 0)
