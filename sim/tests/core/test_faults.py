"""The wording of faults and deadlocks."""

from __future__ import annotations

import pytest

from locksim.core.faults import (
    Fault,
    Wait,
    deadlock_message,
    livelock_message,
    memory_detail,
    message,
    microseconds,
    place,
)


def test_a_message_says_who_when_where_and_what():
    """CPU, time, place and method stand before the fault."""
    detail = memory_detail("load", 2, 8, "NULL")
    text = message(Fault.MEMORY, 3, 12_345_000, "/somewhere/mcs.py", 42, "MCSLock.acquire", detail)
    assert text == (
        "CPU 3 at 12.345 µs, mcs.py:42 in MCSLock.acquire: use of memory outside every live "
        "object: load through a NULL pointer (word 2 of the struct)"
    )


@pytest.mark.parametrize("kind", Fault)
def test_every_kind_has_a_text_with_and_without_detail(kind: Fault):
    """No text has a hole left in it, and a detail given is shown."""
    bare = message(kind, 0, 0, "x.py", 1, "X.f")
    detailed = message(kind, 0, 0, "x.py", 1, "X.f", "the detail")
    assert "{}" not in bare + detailed
    assert "the detail" in detailed
    assert "the detail" not in bare


@pytest.mark.parametrize(
    ("time_ps", "text"),
    [
        (0, "0 µs"),
        (1, "0.000001 µs"),
        (1_000_000, "1 µs"),
        (12_300_000, "12.3 µs"),
        (10**13, "10000000 µs"),
    ],
)
def test_times_are_exact(time_ps: int, text: str):
    """Microseconds with as many digits as it takes, and no more."""
    assert text == microseconds(time_ps)


def test_a_spinner_s_words_are_named():
    """Several words are joined; a thread that neither sleeps nor spins has only a place."""
    waits = [
        Wait(0, 0, "a.py", 1, "A.f", [("x", 1), ("y[2]", -1)]),
        Wait(1, 1, "a.py", 2, "A.g", sleeps=False),
        Wait(2, 2, "a.py", 3, "A.h"),
    ]
    assert livelock_message(waits, [], 5_000_000).split("\n") == [
        "livelock at 5 µs: the threads only wait",
        "  thread 0 on CPU 0 spins on x (=1) and y[2] (=-1) at a.py:1 (A.f)",
        "  thread 1 on CPU 1 is at a.py:2 (A.g)",
        "  thread 2 on CPU 2 sleeps in block() at a.py:3 (A.h)",
    ]
    assert deadlock_message(waits, [], 0).startswith("deadlock at 0 µs: no thread can go on\n")


def test_place_in_a_notebook() -> None:
    """A cell's temporary file has a number for a name, which tells nobody anything."""
    assert "cell:3" == place("/tmp/ipykernel_123/3588544321.py", 3)
    assert "ticket.py:3" == place("/home/me/ticket.py", 3)


def test_threads_that_were_put_aside_are_counted_by_place():
    """One line a place; those that had no turn yet come first."""
    aside = [None, ("x/a.py", 7, "A.f"), None, ("x/a.py", 3, "A.g"), ("x/a.py", 7, "A.f")]
    assert deadlock_message([], aside, 0).split("\n") == [
        "deadlock at 0 µs: no thread can go on",
        "  2 threads were never run",
        "  1 thread was suspended at a.py:3 (A.g)",
        "  2 threads were suspended at a.py:7 (A.f)",
    ]
