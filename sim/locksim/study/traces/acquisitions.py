"""Acquisitions of locks, found from the marks, and the acquisition of each row of a trace.

An acquisition has three phases: *acquire* up to the success mark, *hold* up to the release mark
(before the release's first operation), and *release* up to the thread's next mark. A row belongs to
the phase that its thread entered last, so the rows of a nested lock are not counted twice. A
drained store belongs to the phase that issued it. If another thread releases the lock, the release
belongs to that thread.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from locksim.engine.trace import MARK
from locksim.lang.ops import Kind, Mark

if TYPE_CHECKING:
    from locksim.study.traces.trace import Trace

PHASES = ("acquire", "hold", "release")
ACQUIRE, HOLD, RELEASE = range(3)
NOTHING = -1

_STARTS = {Mark.ACQUIRE_START: "write", Mark.READ_START: "read"}
_SUCCESSES = {Mark.ACQUIRED: "write", Mark.READ_ACQUIRED: "read"}
_FAILURES = (Mark.TRY_FAILED, Mark.READ_TRY_FAILED)
_RELEASES = (Mark.RELEASED, Mark.READ_RELEASED)


@dataclass(slots=True)
class Acquisition:
    """One acquisition of a lock, from the first try to the end of the release.

    Arguments:
        number: in the order of their starts. thread: its thread. cpu: where it started.
        lock: index into the trace's locks.
        mode: "write" or "read"; locks without readers have only "write".
        start_ps, acquired_ps, released_ps: times of the marks, -1 if the trace ends earlier.
        end_ps: time of the release's last operation.
        failed: a try that did not succeed.
    """

    number: int
    thread: int
    cpu: int
    lock: int
    mode: str
    start_ps: int
    acquired_ps: int = NOTHING
    released_ps: int = NOTHING
    end_ps: int = NOTHING
    failed: bool = False

    @property
    def complete(self) -> bool:
        """Whether it succeeded and its release lies within the trace."""
        return self.released_ps != NOTHING


@dataclass(frozen=True)
class Attribution:
    """The acquisitions of a trace, and the acquisition and phase of each row.

    Arguments:
        acquisitions: in the order of their starts.
        of_row: for each row the acquisition's number, or -1.
        phase_of_row: for each row an index into PHASES, or -1.
    """

    acquisitions: list[Acquisition]
    of_row: list[int]
    phase_of_row: list[int]


def attribute(trace: Trace) -> Attribution:
    """Find the acquisitions of a trace."""
    lock_of = trace.memory.lock_of
    running = list(range(trace.tables.n_cpus))
    marks = _Marks()
    entries: list[tuple[int, int]] = []
    for time, agent, what, address, value in trace.rows.tolist():
        cpu = agent >> 1
        thread = running[cpu]
        if what > MARK:
            lock = int(lock_of[address]) - 1 if 0 <= address < len(lock_of) else NOTHING
            marks.read(Mark(what - MARK), lock, thread, cpu, time)
        stack = marks.stacks[thread]
        number, phase = stack[-1] if stack and not agent & 1 else (NOTHING, NOTHING)
        entries.append((number, phase))
        if phase == RELEASE:
            marks.found[number].end_ps = time
        if what == Kind.SWITCH:
            running[cpu] = value
    _give_to_issuers(trace, entries)
    numbers, phases = [number for number, _ in entries], [phase for _, phase in entries]
    return Attribution(marks.found, numbers, phases)


def _give_to_issuers(trace: Trace, entries: list[tuple[int, int]]) -> None:
    """Count the rows of a drained store to the acquisition and phase that issued it."""
    for transfer in trace.transfers:
        for row in (transfer.row, transfer.effect):
            if transfer.buffered and row != NOTHING:
                entries[row] = entries[transfer.issued]


class _Marks:
    """What the marks up to a row of a trace say.

    ``found`` has the acquisitions. ``stacks`` has for each thread those that it is in, as
    [number, phase], the last one entered at the end.
    """

    def __init__(self) -> None:
        self.found: list[Acquisition] = []
        self.stacks: dict[int, list[list[int]]] = defaultdict(list)
        self._holders: dict[int, int] = {}

    def read(self, mark: Mark, lock: int, thread: int, cpu: int, time: int) -> None:
        """Take the next mark; ``lock`` is NOTHING for one that belongs to no lock."""
        stack = self.stacks[thread]
        if mark != Mark.NOTE:
            stack[:] = [entry for entry in stack if entry[1] != RELEASE]
        if lock < 0:
            return
        if mode := _STARTS.get(mark) or self._changes_sides(mark, lock, stack):
            new = Acquisition(len(self.found), thread, cpu, lock, mode, time)
            self.found.append(new)
            stack.append([new.number, ACQUIRE])
        if mark in _STARTS:
            return
        if mark == Mark.ACQUIRED:
            self._holders[lock] = thread
        elif mark == Mark.RELEASED and self._holders.get(lock, thread) != thread:
            self._inherit(self.stacks[self._holders[lock]], stack, lock)
        self._pass(mark, lock, time, stack)

    def _changes_sides(self, mark: Mark, lock: int, stack: list[list[int]]) -> str:
        """The mode in which a lock is held from a mark on that no start belongs to; "" for none.

        A downgrade or an upgrade ends one acquisition and begins the next at once.
        """
        waits = any(entry[1] == ACQUIRE and self.found[entry[0]].lock == lock for entry in stack)
        return "" if waits else _SUCCESSES.get(mark, "")

    def _inherit(self, theirs: list[list[int]], mine: list[list[int]], lock: int) -> None:
        """Move an acquisition to the thread that releases it."""
        for entry in reversed(theirs):
            if entry[1] == HOLD and self.found[entry[0]].lock == lock:
                theirs.remove(entry)
                mine.append(entry)
                return

    def _pass(self, mark: Mark, lock: int, time: int, stack: list[list[int]]) -> None:
        """End a phase of the lock that a thread entered last."""
        phase = HOLD if mark in _RELEASES else ACQUIRE
        for entry in reversed(stack):
            acquisition = self.found[entry[0]]
            if acquisition.lock == lock and entry[1] == phase:
                if mark in _SUCCESSES:
                    acquisition.acquired_ps = time
                    entry[1] = HOLD
                else:
                    stack.remove(entry)
                    if mark in _RELEASES:
                        acquisition.released_ps = acquisition.end_ps = time
                        stack.append([entry[0], RELEASE])
                    else:
                        acquisition.failed = True
                return
