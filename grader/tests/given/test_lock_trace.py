"""The events of a lock, and the columns of a lock meter over them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lockgrader.given.lock_trace import Event, LockTrace, lockmeter, traced

BUSY = LockTrace(lock="ticket", machine="ideal-8", cpus=4, hold_ns=300, acquisitions=40)


def test_columns_by_hand() -> None:
    """Two CPUs; the second one meets the first."""
    events = [
        Event(10, 0, "want"),
        Event(12, 0, "got"),
        Event(20, 1, "want"),
        Event(42, 0, "free"),
        Event(50, 1, "got"),
        Event(60, 1, "free"),
    ]
    expected = {
        "total": 2,
        "con": 0.5,
        "hold_ns": 20,
        "wait_ns": 30,
        "util": 0.4,
        "cpu_share": 0.15,
    }
    assert expected == lockmeter(events, 2, 0, 100)


def test_window_cuts_a_hold() -> None:
    """UTIL has the part inside; the hold belongs to no window but that of its 'got'."""
    events = [Event(0, 0, "want"), Event(0, 0, "got"), Event(100, 0, "free")]
    found = lockmeter(events, 1, 50, 150)
    assert (0, 0.0, 0.5) == (found["total"], found["hold_ns"], found["util"])


def test_owner_enters_again() -> None:
    """The inner acquisition is part of the outer one."""
    times = [(0, "want"), (0, "got"), (10, "want"), (10, "got"), (20, "free"), (30, "free")]
    found = lockmeter([Event(ns, 0, what) for ns, what in times], 1, 0, 60)
    assert (1, 30.0, 0.5) == (found["total"], found["hold_ns"], found["util"])


def test_equal_requests_give_equal_events() -> None:
    """A trace is a function of its request; another seed gives another trace."""
    assert traced(BUSY) == traced(BUSY.model_copy())
    assert traced(BUSY) != traced(BUSY.model_copy(update={"seed": 2}))


@pytest.mark.parametrize("change", [{}, {"again": 50}, {"cut": True}, {"cpus": 1}])
def test_trace_is_of_one_lock(change: dict[str, int]) -> None:
    """Times go up, one CPU holds the lock at a time, and half of the acquisitions are inside."""
    found = traced(BUSY.model_copy(update=change))
    assert sorted(e.ns for e in found.events) == [e.ns for e in found.events]
    holder, depth = None, 0
    for event in found.events:
        if event.what == "got":
            assert holder in (None, event.cpu)
            holder, depth = event.cpu, depth + 1
        elif event.what == "free":
            depth -= 1
            holder = event.cpu if depth else None
    columns = lockmeter(*found)
    assert 15 <= columns["total"] <= 25
    assert (columns["con"] == 0) == (found.cpus == 1)


@given(times=st.lists(st.integers(1, 50), min_size=2, max_size=40))
@settings(max_examples=25)
def test_identities_hold(times: list[int]) -> None:
    """If no hold is cut, UTIL x T = HOLD x TOTAL; and % CPU follows from CON, TOTAL and WAIT."""
    now, events = 0, []
    for number, length in enumerate(times):
        cpu = number % 3
        events += [
            Event(now, cpu, "want"),
            Event(now, cpu, "got"),
            Event(now + length, cpu, "free"),
        ]
        now += length + number % 2
    found = lockmeter(events, 3, 0, now + 1)
    assert found["util"] * (now + 1) == pytest.approx(found["hold_ns"] * found["total"])
    waited = found["con"] * found["total"] * found["wait_ns"]
    assert found["cpu_share"] == pytest.approx(waited / (3 * (now + 1)))
