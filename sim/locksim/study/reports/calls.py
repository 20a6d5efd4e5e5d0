"""Simulated time by method and caller, exact to the picosecond, and lock meters by caller.

The reference engine drives the generators themselves. So the chain of suspended generators shows
the callers whenever an operation is issued. The time of a CPU from one operation's issue to the
next one's belongs to the innermost method: the operation's own cost, its misses, the queue at a
line, a full store buffer. Nothing is sampled and nothing is added to the program. So the times of
all methods and the idle time add up to the window times the CPUs.

A CPU that sleeps in ``block()``, or whose thread has returned, is in :data:`IDLE`; the blocking
method is its caller. A call without an operation is not seen; it takes no time either.

A lock's caller is the method that takes it, as in lockmeter. The meter of a caller is the same
function as the meter of the lock (:mod:`locksim.engine.meters`), fed only with the marks of that
caller's acquisitions.

The reference engine is slow: about a hundred thousand operations a second. A profile is of a short
window, and so are its longest waits.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from locksim import machine as machines
from locksim.core.places import frames_of, method_of
from locksim.engine import meters
from locksim.engine.counters import LOCK_COUNTERS
from locksim.engine.meters import FOUND_WRITER, begin_window, end_window, mark
from locksim.engine.prepared import prepare
from locksim.engine.reference import engine as reference
from locksim.lang.ops import Kind, Mark
from locksim.lang.struct import Workload
from locksim.machine import Machine
from locksim.study.reports.table import LockRow, LockTable, of_meter
from locksim.study.simulation import Placement, meter_rows

__all__ = ["IDLE", "CallProfile", "Node", "profile_calls"]

IDLE = "idle"
"""The method of a CPU that sleeps or has nothing left to do."""

Part = Literal["user", "system", "lock", "idle"]
Path = tuple[str, ...]
_STARTS = (Mark.ACQUIRE_START, Mark.READ_START)
_OWNER, _NESTING = (LOCK_COUNTERS.index(name) for name in ("owner", "nesting"))


@dataclass(slots=True)
class Node:
    """A method, called along one path.

    Arguments:
        part: ``user`` for the workload's own methods, ``lock`` inside any metered lock, ``idle``,
            and ``system`` for the rest.
        self_ps: time in the method itself, without callees. calls: number of calls.
    """

    part: Part
    self_ps: int = 0
    calls: int = 0


@dataclass(frozen=True)
class CallProfile:
    """The CPUs' time in a window, by path of methods.

    Arguments:
        nodes: path of methods, outermost first → its time.
        locks: the lock meters of the same window, callers included.
        window_ps: its length. cpus: number of CPUs. machine, title: of the run.
    """

    nodes: dict[Path, Node]
    locks: LockTable
    window_ps: int
    cpus: int
    machine: str
    title: str

    @property
    def total_ps(self) -> int:
        """All CPUs' time."""
        return sum(node.self_ps for node in self.nodes.values())

    def part_ps(self, part: Part) -> int:
        """Time in one part."""
        return sum(node.self_ps for node in self.nodes.values() if node.part == part)


def profile_calls(
    workload: Workload,
    *,
    machine: str | Machine = "ideal-8",
    cpus: int | None = None,
    placement: Placement = "compact",
    seed: int = 1,
    warmup_ps: int = 0,
    window_ps: int,
    heap_lines: int | None = None,
) -> CallProfile:
    """Profile a workload in the reference engine.

    Arguments:
        workload, machine, cpus, placement, seed, heap_lines: as for :func:`locksim.simulate`.
        warmup_ps: simulated time before the window. window_ps: the window's length, above 0.

    Raises:
        CompileError, LinkError, MachineError, SimulationError: as for :func:`locksim.simulate`.
    """
    found = machines.load(machine) if isinstance(machine, str) else machine
    tables = found.tables(found.n_cpus if cpus is None else cpus, placement)
    _, memory = prepare(workload, tables, heap_lines=heap_lines)
    watch = _Watch(tables.n_cpus, memory.space.n_threads, memory.recursive, warmup_ps)
    end_ps = warmup_ps + window_ps
    reference.run(memory, tables, seed=seed, until_ps=end_ps, observer=watch)
    watch.end(end_ps)
    return CallProfile(
        watch.nodes,
        _locks(watch, memory.locks, tables.n_cpus, window_ps, found.name),
        window_ps,
        tables.n_cpus,
        found.name,
        type(workload).__name__,
    )


@dataclass(slots=True)
class _At:
    """Position of a CPU: its path, and the time since when."""

    since_ps: int = 0
    path: Path = (IDLE,)


@dataclass(slots=True)
class _Thread:
    """Position of a thread on any CPU: its path, and the generators of the path."""

    path: Path = ()
    programs: list[Any] = field(default_factory=list)


class _Meter:
    """The meter of a lock's acquisitions by one caller, or by all."""

    def __init__(self, recursive: int) -> None:
        self.counts: dict[tuple[int, int], int] = defaultdict(int)
        self.counts.update(dict.fromkeys(meters.fresh([recursive]), 1))
        self.durations: dict[tuple[int, int], int] = defaultdict(int)
        self.state: dict[tuple[int, int, int], int] = defaultdict(int)


class _Watch:
    """The observer: see the module."""

    def __init__(self, n_cpus: int, n_threads: int, recursive: list[int], from_ps: int) -> None:
        self.from_ps = from_ps
        self.nodes: dict[Path, Node] = {(IDLE,): Node("idle")}
        self.at = [_At() for _ in range(n_cpus)]
        self.threads = [_Thread() for _ in range(n_threads)]
        self.meters: dict[tuple[int, str], _Meter] = {
            (lock, ""): _Meter(again) for lock, again in enumerate(recursive)
        }
        self.recursive = recursive
        self.callers: dict[tuple[int, int], str] = {}
        self.counting = from_ps == 0

    def issued(self, cpu: int, thread: int, now: int, program: Any, kind: Kind | None) -> None:
        """Book the time since the CPU's last operation, and store its position."""
        self._book(cpu, now)
        at, of = self.at[cpu], self.threads[thread]
        at.since_ps = now
        if program is None:
            at.path, of.programs = (IDLE,), []
            return
        programs = list(frames_of(program))
        path: Path = ()
        for i, (generator, frame) in enumerate(programs):
            known = i < len(of.programs) and of.programs[i] is generator
            path = (*path, of.path[i] if known else method_of(frame))
            if not known:
                # From here on every generator differs from that of the last operation.
                of.programs = of.programs[:i]
                self._call(path, now, frame)
        if kind == Kind.BLOCK:
            path = (*path, IDLE)
            self._call(path, now, None)
        at.path = of.path = path
        of.programs = [generator for generator, _ in programs]

    def marked(
        self, thread: int, now: int, program: Any, what: Mark, lock: int, stops: int
    ) -> None:
        """Feed the marks to the meter of the lock and to that of its caller."""
        self._begin(now)
        whole = self.meters[lock, ""]
        found_writer = int(whole.counts[0, _OWNER] != 0)
        nesting = whole.counts[0, _NESTING]
        enters_again = nesting and whole.counts[0, _OWNER] == thread + 1
        if what in _STARTS and not enters_again:
            *_, (_, frame) = frames_of(program)
            self.callers[thread, lock] = method_of(frame)
        caller = self.callers.get((thread, lock), "?")
        if (lock, caller) not in self.meters:
            self.meters[lock, caller] = _Meter(self.recursive[lock])
        for meter in (whole, self.meters[lock, caller]):
            mark(meter.counts, meter.durations, meter.state, 0, int(what), thread, now, stops)
            if what in _STARTS:
                meter.state[thread, 0, FOUND_WRITER] = found_writer  # for any caller
            if nesting != whole.counts[0, _NESTING]:
                return  # an inner entry of a recursive lock, or its end

    def end(self, now: int) -> None:
        """Book the time up to the window's end."""
        self._begin(now)
        for cpu in range(len(self.at)):
            self._book(cpu, now)
        for meter in self.meters.values():
            meter.counts = end_window(meter.counts, 1, now)

    def _book(self, cpu: int, now: int) -> None:
        at = self.at[cpu]
        self._begin(now)
        self.nodes[at.path].self_ps += max(0, now - max(at.since_ps, self.from_ps))

    def _begin(self, now: int) -> None:
        """Reset the counts at the window's start; activities continue."""
        if not self.counting and now >= self.from_ps:
            self.counting = True
            for meter in self.meters.values():
                begin_window(meter.counts, 1, self.from_ps)

    def _call(self, path: Path, now: int, frame: Any) -> None:
        if path not in self.nodes:
            self.nodes[path] = Node(self._part(path, frame))
        self.nodes[path].calls += now >= self.from_ps

    def _part(self, path: Path, frame: Any) -> Part:
        if frame is None:
            return "idle"
        above = self.nodes[path[:-1]].part if len(path) > 1 else "user"
        struct = frame.f_locals.get("self")
        if above == "lock" or getattr(type(struct), "METERED", None):
            return "lock"
        return above if isinstance(struct, Workload) else "system"


def _locks(watch: _Watch, names: list[str], cpus: int, window_ps: int, system: str) -> LockTable:
    """The lock table of the window: each lock's rows, followed by its callers' rows."""
    rows: list[LockRow] = []
    for lock, name in enumerate(names):
        shared: list[str] = []
        for row in _rows(watch.meters[lock, ""], name, cpus, window_ps, shared):
            shared = [name] if row.kind != "spin" else []
            rows.append(row)
            for (number, caller), meter in sorted(watch.meters.items()):
                if caller and number == lock:
                    rows += [
                        _by_caller(one, caller)
                        for one in _rows(meter, name, cpus, window_ps, shared)
                        if one.kind == row.kind
                    ]
    return LockTable("simulated", rows, cpus, window_ps / 1e3, f"LockLab on {system}")


def _rows(meter: _Meter, name: str, cpus: int, window_ps: int, shared: list[str]) -> list[LockRow]:
    counts = dict(zip(LOCK_COUNTERS, meters.rows(meter.counts, 1)[0], strict=True))
    rows = meter_rows(name, counts, window_ps=window_ps, cpus=cpus)
    return of_meter(
        rows, source="simulated", cpus=cpus, window_ns=window_ps / 1e3, shared=shared
    ).rows


def _by_caller(row: LockRow, caller: str) -> LockRow:
    """A caller's row; readers' holds and busy periods are over all callers only."""
    if row.kind != "read":
        return replace(row, caller=caller)
    return replace(
        row,
        caller=caller,
        util=None,
        hold_ns=None,
        hold_max_ns=None,
        readers_max=None,
        busy_ns=None,
        busy_max_ns=None,
    )
