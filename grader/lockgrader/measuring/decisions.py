"""The history of a decision cache in a measured run: does it remember, and is it up to date?

A cache that always misses moves no line, and one that keeps a copy for each CPU and never learns of
an update moves few. So each measured run notes what is asked of the cache and what it answers. A
note takes no simulated time: the numbers are those of the cache alone.

A hit is *stale* if the decision found was replaced by another one before the lookup began. A lookup
*must hit* if its key was put in or found before and at most one reclaim lies between: the first one
takes off the mark, the second one takes out the entry. Where an update, a lookup or a reclaim
overlap, any order counts as right.

A lookup or a replace that takes longer than ``QUICK_PS`` *waits*, whoever owns the word: a cache
under a bare word has no metered lock, and keeps its callers waiting all the same.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from locksim.engine.trace import MARK
from locksim.lang import DecisionCache, note, part
from locksim.lang.ops import Mark
from locksim.library.avc.decisions_spinlock import DecisionsSpinlock

__all__ = ["QUICK_PS", "Call", "NotedDecisions", "Notes", "hits", "stale", "waited_ps"]

LOOKUP, REPLACE, RECLAIM, END = 1, 2, 3, 4
QUICK_PS = 1_000_000
"""Time of a lookup or a replace without waiting, generously: in Chatroom on 8 CPUs a lookup of the
library's cache takes 0.08 us besides its wait, a replace 0.9 us, and to take a free lock 0.3 us."""
NEVER = 1 << 62
"""The end of a call that had not returned when the run was over."""
Rows = npt.NDArray[np.int64]


class NotedDecisions(DecisionCache):
    """A decision cache that notes its calls and answers: four numbers a call."""

    cache = part(DecisionsSpinlock)

    def lookup(self, key):  # type: ignore[no-untyped-def]
        """The answer of the cache."""
        yield note(LOOKUP)
        yield note(key)
        found = yield from self.cache.lookup(key)
        yield note(found)
        yield note(END)
        return found

    def replace(self, key, allowed, audit):  # type: ignore[no-untyped-def]
        """Put a decision in."""
        yield note(REPLACE)
        yield note(key)
        yield note(allowed + (audit << 32))
        yield from self.cache.replace(key, allowed, audit)
        yield note(END)

    def reclaim(self):  # type: ignore[no-untyped-def]
        """How many entries the cache has taken out."""
        yield note(RECLAIM)
        yield note(0)
        taken = yield from self.cache.reclaim()
        yield note(taken)
        yield note(END)
        return taken

    def quiescent(self):  # type: ignore[no-untyped-def]
        """Passed on without a note."""
        yield from self.cache.quiescent()

    def offline(self):  # type: ignore[no-untyped-def]
        """Passed on without a note."""
        yield from self.cache.offline()


class Call(NamedTuple):
    """One call: LOOKUP, REPLACE or RECLAIM, its key, its answer or value, and its times in ps."""

    what: int
    key: int
    value: int
    begin: int
    end: int


@dataclass
class Notes:
    """A reader of traces that collects the notes; each simulated run is a list of its own."""

    runs: list[list[Rows]] = field(default_factory=list)
    last: int = 0

    def __call__(self, rows: Rows, origins: Rows) -> None:
        """Take a part of a trace. Time begins anew with each run."""
        if not self.runs or int(rows[0, 0]) < self.last:
            self.runs.append([])
        self.last = int(rows[-1, 0])
        self.runs[-1].append(rows[rows[:, 2] == MARK + int(Mark.NOTE)][:, [0, 1, 3]])

    def calls(self) -> Iterator[list[Call]]:
        """The calls of each run, in the order of their ends; those that have not returned last."""
        for parts in self.runs:
            yield list(_calls(np.concatenate(parts)))


def _calls(rows: Rows) -> Iterator[Call]:
    """The calls of one run, from its notes: time, agent, number."""
    if not len(rows):
        return
    order = np.argsort(rows[:, 1], kind="stable")
    noted = rows[order]
    first = np.flatnonzero(np.diff(noted[:, 1], prepend=-1))
    number = np.diff(first, append=len(noted))  # of notes, by agent
    complete = np.arange(len(noted)) - np.repeat(first, number) < np.repeat(number // 4 * 4, number)
    whole = noted[complete].reshape(-1, 4, 3)
    whole = whole[np.argsort(order[complete].reshape(-1, 4)[:, 3])]
    columns = [whole[:, k, 2] for k in range(3)] + [whole[:, k, 0] for k in (0, 3)]
    yield from map(Call, *(column.tolist() for column in columns))
    for left in np.split(noted[~complete], np.cumsum(number % 4)[:-1]):
        what = int(left[0, 2]) if len(left) else 0
        if len(left) == 3 and what == REPLACE:
            yield Call(REPLACE, int(left[1, 2]), int(left[2, 2]), int(left[0, 0]), NEVER)
        elif len(left) >= 2 and what == RECLAIM:
            yield Call(RECLAIM, 0, 0, int(left[0, 0]), NEVER)


def stale(calls: list[Call]) -> tuple[Call, Call] | None:
    """The first hit that was stale, and what had replaced it; None if there is none."""
    put: dict[int, list[Call]] = {}
    for call in calls:
        if call.what == REPLACE:
            put.setdefault(call.key, []).append(call)
    for call in calls:
        if call.what == LOOKUP and call.value:
            newer = _replaced(call, put.get(call.key, []))
            if newer is not None:
                return call, newer
    return None


def _replaced(hit: Call, put: list[Call]) -> Call | None:
    """What had replaced the decision found before the lookup began."""
    same = [p for p in put if p.value == hit.value and p.begin < hit.end]
    since = max((p.end for p in same), default=-1)
    # The puts are in the order of their ends.
    before = put[: bisect.bisect_left(put, hit.begin, key=lambda p: p.end)]
    return next((p for p in before if p.begin > since and p.value != hit.value), None)


def hits(calls: list[Call]) -> tuple[int, int]:
    """How many lookups must hit, and how many of these did."""
    reclaims = [c for c in calls if c.what == RECLAIM]
    begins, ends = sorted(c.begin for c in reclaims), sorted(c.end for c in reclaims)
    used: dict[int, list[Call]] = {}
    must = hit = 0
    for call in calls:
        known = used.setdefault(call.key, [])
        if call.what == LOOKUP:
            before = next((u for u in reversed(known) if u.end < call.begin), None)
            if before is not None:
                between = bisect.bisect_left(begins, call.end)
                between -= bisect.bisect_right(ends, before.begin)
                must += between <= 1
                hit += between <= 1 and call.value != 0
        if call.what == REPLACE or (call.what == LOOKUP and call.value):
            known.append(call)
    return must, hit


def waited_ps(calls: list[Call]) -> int:
    """How long lookups and replaces took together, each beyond ``QUICK_PS``.

    Reclaims are left out: they visit all entries, and there are few.
    """
    asked = [call for call in calls if call.what in (LOOKUP, REPLACE) and call.end < NEVER]
    return sum(max(0, call.end - call.begin - QUICK_PS) for call in asked)
