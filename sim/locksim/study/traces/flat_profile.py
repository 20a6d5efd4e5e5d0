"""Time by method, from a trace in parts: a flat profile of a run of any length.

    profile = FlatProfile(image.places, tables)
    fast.run(image, memory, tables, seed=1, until_ps=until_ps, trace=profile.add)

A trace of a second of simulated time has a hundred million rows. Only the state for the next row is
kept. It holds, for each CPU, when and in which method its last operation took effect, and since
when the next one waits for a line. So a trace may be cut into any parts.

A row shows when an operation took effect. The time that it takes from then on follows from its
kind. Sleep is the exception: it lasts until the next operation is issued. The remaining time up to
the next row is waiting of that next operation, for its line or for the store buffer. So the time of
an operation runs from its issue to the next one's issue. Rows lack two times: the extra time of a
hit that is not in L1, and the part of a miss after the line is free again. Both are booked to the
next operation.

Code that a kernel inlines has no time of its own: the time of an inline method belongs to the
method before it, its caller if that issued an operation before the call. A spinlock's acquisition
belongs to the method that continues with the lock held. That is the caller, unless it calls another
method or returns at once.

Callers and callees are missing here (:mod:`locksim.study.reports.calls` has both, from the
reference engine, for short runs).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from locksim import jit
from locksim.engine.trace import DRAINED, EVICTED, GIVEN_UP, MARK, SERVED
from locksim.lang.ops import Kind, Mark
from locksim.machine import MachineTables

_Rows = npt.NDArray[np.int64]
_OWN, _INLINE, _ACQUIRES = range(3)

# Columns of the state of a CPU: time of its last operation, 0 before the first; the time until
# which that takes (LATER: until the next one is issued); when the next one requested a line, or
# LATER; its method; time and number of the acquisitions after which no method has continued yet.
_SINCE, _UNTIL, _ASKED, _METHOD, _PENDING, _TAKEN = range(6)
_LATER = np.iinfo(np.int64).max
_ACQUIRED, _READ_ACQUIRED = MARK + int(Mark.ACQUIRED), MARK + int(Mark.READ_ACQUIRED)
_LOAD, _COMPUTE, _BLOCK = int(Kind.LOAD), int(Kind.COMPUTE), int(Kind.BLOCK)


class _Place(Protocol):
    """The place of an operation, in an image or in a result."""

    @property
    def method(self) -> str: ...


class FlatProfile:
    """A flat profile that grows part by part.

    Arguments:
        places: the program's places, of an image or a result; provenance rows index them.
        tables: the machine with its costs.
        inline: methods whose time belongs to the method before, such as ``TTASLock.release``.
        acquires: methods whose time belongs to the method that continues, such as
            ``TTASLock.acquire``.
    """

    def __init__(
        self,
        places: Sequence[_Place],
        tables: MachineTables,
        *,
        inline: Collection[str] = (),
        acquires: Collection[str] = (),
    ) -> None:
        self.methods = sorted({place.method for place in places})
        number = {method: i for i, method in enumerate(self.methods)}
        self._method_of = np.array([number[place.method] for place in places], np.int64)
        self._roles = np.array(
            [_ACQUIRES if m in acquires else _INLINE if m in inline else _OWN for m in number],
            np.int64,
        )
        self._time_ps = np.zeros(len(self.methods), np.int64)
        self._acquisitions = np.zeros(len(self.methods), np.int64)
        self._takes_ps = _takes(tables)
        self._cpus = np.zeros((tables.n_cpus, 6), np.int64)
        self._cpus[:, _ASKED], self._cpus[:, _METHOD] = _LATER, -1

    def add(self, rows: _Rows, origins: _Rows) -> None:
        """Add the next rows of the trace.

        Arguments:
            rows: int64[n, 5]. origins: int64[n, 3]; see :mod:`locksim.engine.trace`.
        """
        _booked(
            rows,
            origins,
            self._method_of,
            self._roles,
            self._takes_ps,
            self._time_ps,
            self._acquisitions,
            self._cpus,
        )

    def time_ps(self, end_ps: int) -> dict[str, int]:
        """Own time by method from 0 to the run's end, in picoseconds.

        An unfinished acquisition still belongs to the lock. Not included: idle time after a
        thread's return, and unfinished waits for a line or the store buffer.

        Arguments:
            end_ps: end of the run.
        """
        found = self._time_ps.copy()
        for c, method in enumerate(self._cpus[:, _METHOD].tolist()):
            since, until, asked = self._cpus[c, [_SINCE, _UNTIL, _ASKED]].tolist()
            found[method] += self._cpus[c, _PENDING] + min(until, asked, end_ps) - since
        return self._by_method(found)

    @property
    def acquisitions(self) -> dict[str, int]:
        """By method, how often it continued with a metered lock just acquired."""
        return self._by_method(self._acquisitions)

    def _by_method(self, values: _Rows) -> dict[str, int]:
        return {m: n for m, n in zip(self.methods, values.tolist(), strict=True) if n}


def _takes(tables: MachineTables) -> _Rows:
    """Time of an operation after it took effect, by kind; see the module for the other parts."""
    found = np.zeros(max(Kind) + 1, np.int64)
    found[Kind.LOAD], found[Kind.STORE] = tables.l1_hit_ps, tables.store_ps
    found[Kind.SWAP : Kind.FETCH_XOR + 1] = tables.rmw_ps
    found[Kind.FENCE], found[Kind.PAUSE] = tables.fence_ps, tables.pause_ps
    found[Kind.WAKE], found[Kind.SWITCH] = tables.wake_ps, tables.context_switch_ps
    found[Kind.TIMER] = tables.store_ps
    found[Kind.ALLOC], found[Kind.FREE] = tables.alloc_ps, tables.free_ps
    return found


def _book(rows, origins, method_of, roles, takes_ps, time_ps, acquisitions, cpus):  # type: ignore[no-untyped-def]
    """Book every row's time; see the module."""
    for r in range(len(rows)):
        now, agent, what = rows[r, 0], rows[r, 1], rows[r, 2]
        c = agent >> 1
        if what in (_ACQUIRED, _READ_ACQUIRED):
            cpus[c, _TAKEN] += 1
        if agent & 1 or what >= MARK or what in (DRAINED, EVICTED, GIVEN_UP):
            continue
        if what == SERVED:
            cpus[c, _ASKED] = min(cpus[c, _ASKED], origins[r, 1])
            continue
        method = method_of[origins[r, 0]]
        role = roles[method]
        before = cpus[c, _METHOD]
        if role == _INLINE and before >= 0:
            method = before
            role = roles[before]
        since = cpus[c, _SINCE]
        until = min(cpus[c, _UNTIL], cpus[c, _ASKED], now)
        if before >= 0:
            if roles[before] == _ACQUIRES:
                cpus[c, _PENDING] += until - since
            else:
                time_ps[before] += until - since
        if role == _ACQUIRES:
            cpus[c, _PENDING] += now - until
        else:
            time_ps[method] += now - until + cpus[c, _PENDING]
            acquisitions[method] += cpus[c, _TAKEN]
            cpus[c, _PENDING] = cpus[c, _TAKEN] = 0
        if what == _COMPUTE:
            cpus[c, _UNTIL] = now + max(1, rows[r, 4])
        elif what == _BLOCK:
            cpus[c, _UNTIL] = _LATER
        elif what == _LOAD and cpus[c, _ASKED] != _LATER:
            cpus[c, _UNTIL] = now  # a miss, finished
        else:
            cpus[c, _UNTIL] = now + takes_ps[what]
        cpus[c, _SINCE], cpus[c, _METHOD], cpus[c, _ASKED] = now, method, _LATER


_SOURCES = ("engine/trace.py", "lang/ops.py", "study/traces/flat_profile.py", "jit.py")
_booked = jit.kept(_book, _SOURCES) if jit.enabled() else _book
