"""Decide whether the sections of a lock can have happened (common/guarded.h).

A section that writes counts a version up and writes four words of it; one that reads copies them.
Tickets are drawn inside a section, so the times of two sections overlap only if they were inside
together. (Readers of a sequence lock draw them around all their attempts.)
"""

from __future__ import annotations

import numpy as np

from lockgrader.c.history import Asked, Order, Records, draws, in_turns, words_of

__all__ = ["concurrent", "exclusive", "sequential", "shared"]

WRITE, READ = 0, 1


def exclusive(order: Order) -> Asked:
    """What follows from an order for a lock without readers."""
    return _asked(order, np.full(order.threads * order.operations, WRITE))


def shared(order: Order) -> Asked:
    """What follows from an order for a lock with readers, drawn as common/guarded.h does."""
    return _asked(order, np.where(draws(order) % np.uint64(4) == 0, WRITE, READ).ravel())


def _asked(order: Order, operation: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Asked:
    count = order.threads * order.operations
    none = np.zeros(count, dtype=np.int64)
    return Asked(operation, none, words_of(none, none), np.zeros(count, dtype=np.bool_))


def sequential(found: Records, order: Order) -> str:
    """The first section of a run in turns that saw or wrote another version; "" for none.

    Raises:
        MalformedError: the sections did not take turns.
    """
    by_time = in_turns(found, order)
    versions = np.cumsum(by_time["operation"] == WRITE)
    wrong = np.flatnonzero(by_time["words"][:, 3] != versions)
    if len(wrong):
        first = wrong[0]
        return (
            f"operation {first + 1}: a section finds version {by_time['words'][first, 3]} instead "
            f"of {versions[first]}"
        )
    return _torn(by_time)


def concurrent(found: Records) -> str:
    """Why the sections cannot have happened; "" where they can."""
    writes = np.sort(found[found["operation"] == WRITE], order="began")
    reads = found[found["operation"] == READ]
    if (writes["ended"][:-1] > writes["began"][1:]).any():
        return "mutual exclusion is violated: two writers are inside at once"
    if (writes["words"][:, 3] != np.arange(1, len(writes) + 1)).any():
        return "an update is lost: a writer does not find what the writer before it left"
    if problem := _torn(found):
        return problem
    seen = reads["words"][:, 3]
    if (seen < np.searchsorted(writes["ended"], reads["began"])).any():
        return "a reader finds what was overwritten before it began"
    if (seen > np.searchsorted(writes["began"], reads["ended"])).any():
        return "a reader finds what is written after it has ended"
    return ""


def _torn(found: Records) -> str:
    versions = found["words"][:, 3].astype(np.int64)
    right = words_of(np.zeros_like(versions), versions)
    if (found["result"] != found["words"][:, 3]).any() or (found["words"] != right).any():
        return "a section finds words of different versions"
    return ""
