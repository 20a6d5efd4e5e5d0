"""Decide whether the answers of a lockref can have happened (lockref/protocol.h).

The maker keeps its reference, and a thread puts only what it took. So each answer but a count is
known in advance, and a count lies between the bounds that the times of all other operations leave.
"""

from __future__ import annotations

import numpy as np

from lockgrader.c.history import Asked, Order, Records, draws, in_turns, words_of

__all__ = ["asked", "concurrent", "sequential"]

GET, GET_NOT_ZERO, PUT, PUT_OR_LOCK, COUNT = range(5)
CHANGES = np.array([1, 1, -1, -1, 0])
NAMES = ("get", "get_not_zero", "put", "put_or_lock", "count")


def asked(order: Order) -> Asked:
    """What follows from an order: a thread that has no reference to put takes one."""
    operation = (draws(order) % np.uint64(5)).astype(np.int64)
    for row in operation:
        own = 0
        for i, one in enumerate(row):
            if own == 0 and one in (PUT, PUT_OR_LOCK):
                row[i] = GET
            own += CHANGES[row[i]]
    none = np.zeros(operation.size, dtype=np.int64)
    words = np.zeros_like(words_of(none, none))
    return Asked(operation.ravel(), none, words, np.ones(operation.size, dtype=np.bool_))


def sequential(found: Records, order: Order) -> str:
    """The first answer of a run in turns that differs from the model's; "" for none.

    Raises:
        MalformedError: the operations did not take turns.
    """
    by_time = in_turns(found, order)
    left = 1 + np.cumsum(_change(by_time))
    expected = np.where(_counts(by_time), left, 1)
    wrong = np.flatnonzero(by_time["result"] != expected)
    if not len(wrong):
        return ""
    first = wrong[0]
    return f"operation {first + 1}: {_said(by_time[first])} instead of {expected[first]}"


def concurrent(found: Records) -> str:
    """Why no order of the operations explains an answer; "" where one may."""
    known = found[~_counts(found)]
    if len(wrong := known[known["result"] != 1]):
        return f"{_said(wrong[0])} instead of 1: a reference is always left"
    change = _change(found)
    took, gave = found[change > 0], found[change < 0]
    counts = found[_counts(found)]
    own = counts["operation"] == PUT  # its own put is among those that have begun, and not ended
    least = 1 + _before(took["ended"], counts["began"]) - _before(gave["began"], counts["ended"])
    most = 1 + _before(took["began"], counts["ended"]) - _before(gave["ended"], counts["began"])
    most -= own
    wrong = counts[(counts["result"] < least) | (counts["result"] > most)]
    return f"{_said(wrong[0])}, which no order of the operations explains" if len(wrong) else ""


def _before(
    times: np.ndarray[tuple[int, ...], np.dtype[np.uint32]],
    moments: np.ndarray[tuple[int, ...], np.dtype[np.uint32]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """How many of the times lie before each moment."""
    return np.searchsorted(np.sort(times), moments).astype(np.int64)


def _change(found: Records) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """By how much each operation changes the count."""
    made: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = CHANGES[found["operation"]]
    return made


def _counts(found: Records) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether each answer is a count."""
    return np.isin(found["operation"], (PUT, COUNT))


def _said(one: np.void) -> str:
    return f"lockref_{NAMES[int(one['operation'])]}() gives {int(one['result'])}"
