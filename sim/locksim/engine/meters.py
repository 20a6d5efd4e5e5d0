"""The lock meter: lockmeter's counts, from the marks in a metered lock's programs.

One function serves both engines: the fast one compiles it over arrays, the reference engine calls
it unchanged, over dictionaries whose keys are (lock, counter), (thread, lock, column) and (lock,
histogram and bucket).

A wait is the time from the start mark to the success mark. It counts only if the acquisition was
contended: the thread executed at least one pause or block in it, or was suspended. A hold is the
time from the success mark to the release mark. That mark stands before the release's first
operation, so the handoff is not part of the hold.

A writer that finds another writer in the lock when it starts has a wait "WW". A writer that finds
readers, or an unheld lock and is overtaken, has none, whichever thread delays it later.

If mutual exclusion is violated, the later owner's hold replaces the earlier one's. A release of an
unheld lock changes nothing. An acquisition belongs to the thread that began it, on any CPUs on
which it runs meanwhile; another thread may release the lock. If a thread read-acquires a lock
twice, both holds count from the inner success. If it read-releases a lock for another thread, the
hold counts from its own last success. If the owner of a recursive lock enters it again, that is no
acquisition of its own: the hold ends with the outermost release.

A window counts the part of a reader busy period inside it: one that is open when the window begins
or ends is cut there (:func:`begin_window`, :func:`end_window`). So readers that never leave a lock
keep it busy all the time. Holds and waits count whole, at their end.

Each lock has four histograms (:mod:`locksim.engine.histogram`), of the waits and holds that the
sums are of: percentiles come from there.

Source of the columns' meaning: Bryant and Hawkes, "Lockmeter: Highly-Informative Instrumentation
for Spin Locks in the Linux Kernel", Annual Linux Showcase 2000.
"""

from __future__ import annotations

from typing import Any, TypeVar

from locksim.engine.counters import LOCK_COUNTERS, LOCK_STATE
from locksim.engine.histogram import BUCKETS, bucket_of
from locksim.lang.ops import Mark

(
    _TOTAL,
    _CONTENDED,
    _WAIT,
    _WAIT_MAX,
    _HOLD,
    _HOLD_MAX,
    _REJECTED,
    _READ_TOTAL,
    _READ_CONTENDED,
    _READ_WAIT,
    _READ_WAIT_MAX,
    _READ_HOLD,
    _READ_HOLD_MAX,
    _READERS_MAX,
    _BUSY_PERIODS,
    _BUSY,
    _BUSY_MAX,
    _CONTENDED_WW,
    _WAIT_WW,
    _WAIT_WW_MAX,
    _VIOLATIONS,
    _OWNER,
    _READERS,
    _SINCE,
    _BUSY_SINCE,
    _NESTING,
) = range(len(LOCK_COUNTERS))

_COUNTS = [i for i, name in enumerate(LOCK_COUNTERS) if name not in LOCK_STATE]
_T = TypeVar("_T")
_START, _STOPS, _READING, _FOUND_WRITER = range(4)
STATE_COLUMNS = 4
FOUND_WRITER = _FOUND_WRITER
HISTOGRAMS = ("wait", "hold", "read_wait", "read_hold")
"""A lock's histograms: bucket b of number k is column k * BUCKETS + b of its durations."""
_HOLDS, _READ_WAITS, _READ_HOLDS = BUCKETS, 2 * BUCKETS, 3 * BUCKETS

_ACQUIRE_START, _ACQUIRED, _RELEASED, _TRY_FAILED = (
    int(m) for m in (Mark.ACQUIRE_START, Mark.ACQUIRED, Mark.RELEASED, Mark.TRY_FAILED)
)
_READ_START, _READ_ACQUIRED, _READ_RELEASED, _READ_TRY_FAILED = (
    int(m) for m in (Mark.READ_START, Mark.READ_ACQUIRED, Mark.READ_RELEASED, Mark.READ_TRY_FAILED)
)


def fresh(recursive: list[int]) -> list[tuple[int, int]]:
    """The counters that do not begin at 0: pairs of lock and counter, which begin at 1.

    Arguments:
        recursive: of each lock, 1 where its owner may enter it again.
    """
    return [(lock, _NESTING) for lock, again in enumerate(recursive) if again]


def begin_window(locks: Any, n_locks: int, now: int) -> None:
    """Reset the counts: holders, readers and waiters stay, a busy period begins again.

    Arguments:
        locks: counts by lock and counter, changed. n_locks: how many locks.
        now: the time in picoseconds.
    """
    for lock in range(n_locks):
        for counter in _COUNTS:
            locks[lock, counter] = 0
        if locks[lock, _READERS] > 0:
            locks[lock, _READERS_MAX] = locks[lock, _READERS]
            locks[lock, _BUSY_PERIODS] = 1
            locks[lock, _BUSY_SINCE] = now


def end_window(locks: _T, n_locks: int, now: int) -> _T:
    """A copy that includes the open busy periods so far.

    Arguments:
        locks: counts by lock and counter. n_locks: how many locks. now: the time in picoseconds.
    """
    found: Any = locks.copy()  # type: ignore[attr-defined]
    for lock in range(n_locks):
        if found[lock, _READERS] > 0:
            open_ps = now - found[lock, _BUSY_SINCE]
            found[lock, _BUSY] += open_ps
            found[lock, _BUSY_MAX] = max(found[lock, _BUSY_MAX], open_ps)
    return found  # type: ignore[no-any-return]


def rows(locks: Any, n_locks: int) -> list[list[int]]:
    """The counts as one row for each lock, in the order of LOCK_COUNTERS."""
    return [[locks[lock, k] for k in range(len(LOCK_COUNTERS))] for lock in range(n_locks)]


def histograms(durations: dict[tuple[int, int], int]) -> dict[int, dict[str, dict[int, int]]]:
    """Lock → name in HISTOGRAMS → bucket → times in it, from counts by lock and column."""
    found: dict[int, dict[str, dict[int, int]]] = {}
    for (lock, column), n in durations.items():
        name = HISTOGRAMS[column // BUCKETS]
        found.setdefault(lock, {}).setdefault(name, {})[column % BUCKETS] = n
    return found


def mark(
    locks: Any, durations: Any, state: Any, lock: int, kind: int, thread: int, now: int, stops: int
) -> int:
    """Count a mark of a thread.

    Arguments:
        locks: counts by lock and counter (a number in LOCK_COUNTERS), changed; at the start 0, or
            what :func:`fresh` says.
        durations: how many waits and holds were in each bucket, by lock and column (see
            HISTOGRAMS), changed; 0 at the start.
        state: the meter's memory between marks, by thread, lock and one of four columns, changed; 0
            at the start. For a thread and a lock (a thread may wait for one lock while it holds
            another): the time of the start mark in picoseconds, the thread's stops at that time,
            when it became a reader, and whether the start mark found an exclusive holder.
        lock: index of the lock, from 0.
        kind: number of a :class:`~locksim.lang.ops.Mark`; DONE and NOTE change nothing.
        thread: the thread. now: the time in picoseconds.
        stops: the thread's pauses, blocks and suspensions so far.
    """
    if kind in (_ACQUIRE_START, _READ_START):
        state[thread, lock, _START] = now
        state[thread, lock, _STOPS] = stops
        state[thread, lock, _FOUND_WRITER] = int(locks[lock, _OWNER] != 0)
    elif kind == _ACQUIRED and locks[lock, _NESTING] and locks[lock, _OWNER] == thread + 1:
        locks[lock, _NESTING] += 1
    elif kind == _RELEASED and locks[lock, _NESTING] > 1:
        locks[lock, _NESTING] -= 1
    elif kind == _ACQUIRED:
        if locks[lock, _OWNER] != 0 or locks[lock, _READERS] != 0:
            locks[lock, _VIOLATIONS] += 1
        locks[lock, _TOTAL] += 1
        if stops > state[thread, lock, _STOPS]:
            wait = now - state[thread, lock, _START]
            locks[lock, _CONTENDED] += 1
            locks[lock, _WAIT] += wait
            locks[lock, _WAIT_MAX] = max(locks[lock, _WAIT_MAX], wait)
            durations[lock, bucket_of(wait)] += 1
            if state[thread, lock, _FOUND_WRITER]:
                locks[lock, _CONTENDED_WW] += 1
                locks[lock, _WAIT_WW] += wait
                locks[lock, _WAIT_WW_MAX] = max(locks[lock, _WAIT_WW_MAX], wait)
        locks[lock, _OWNER] = thread + 1
        locks[lock, _SINCE] = now
    elif kind == _RELEASED:
        if locks[lock, _OWNER] != 0:
            hold = now - locks[lock, _SINCE]
            locks[lock, _HOLD] += hold
            locks[lock, _HOLD_MAX] = max(locks[lock, _HOLD_MAX], hold)
            durations[lock, _HOLDS + bucket_of(hold)] += 1
            locks[lock, _OWNER] = 0
    elif kind in (_TRY_FAILED, _READ_TRY_FAILED):
        locks[lock, _REJECTED] += 1
    elif kind == _READ_ACQUIRED:
        inside = locks[lock, _NESTING] and locks[lock, _OWNER] == thread + 1
        if locks[lock, _OWNER] != 0 and not inside:
            locks[lock, _VIOLATIONS] += 1
        locks[lock, _READ_TOTAL] += 1
        if stops > state[thread, lock, _STOPS]:
            wait = now - state[thread, lock, _START]
            locks[lock, _READ_CONTENDED] += 1
            locks[lock, _READ_WAIT] += wait
            locks[lock, _READ_WAIT_MAX] = max(locks[lock, _READ_WAIT_MAX], wait)
            durations[lock, _READ_WAITS + bucket_of(wait)] += 1
        state[thread, lock, _READING] = now
        if locks[lock, _READERS] == 0:
            locks[lock, _BUSY_PERIODS] += 1
            locks[lock, _BUSY_SINCE] = now
        locks[lock, _READERS] += 1
        locks[lock, _READERS_MAX] = max(locks[lock, _READERS_MAX], locks[lock, _READERS])
    elif kind == _READ_RELEASED and locks[lock, _READERS] > 0:
        hold = now - state[thread, lock, _READING]
        locks[lock, _READ_HOLD] += hold
        locks[lock, _READ_HOLD_MAX] = max(locks[lock, _READ_HOLD_MAX], hold)
        durations[lock, _READ_HOLDS + bucket_of(hold)] += 1
        locks[lock, _READERS] -= 1
        if locks[lock, _READERS] == 0:
            busy = now - locks[lock, _BUSY_SINCE]
            locks[lock, _BUSY] += busy
            locks[lock, _BUSY_MAX] = max(locks[lock, _BUSY_MAX], busy)
    # The arrays are in use to the end; otherwise numba counts their references atomically.
    return len(locks) + len(durations) + len(state)
