"""A trace in the trace-event format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.

Process "CPUs" has a track for each CPU with its acquisitions, each a slice with the slices "wait",
"hold" and "release". Below it are two tracks for the line requests of its core and of its store
buffer, each request a slice with "queue" and "transfer". Process "Locks" has a track for each lock
with the slices of its exclusive holders, and counters of waiters and readers. Arrows (flow events)
lead from a holder's release to the next holder. If threads share CPUs, process "Threads" has a
track for each CPU, with a slice for each period of a thread.

Source: "Trace Event Format", the Chromium project, as read by Perfetto and catapult.
Times are microseconds there, and viewers keep nanoseconds. Both ends of a slice are cut to whole
nanoseconds, so that slices which nest or touch still do; Parquet keeps the picoseconds.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locksim.study.traces.acquisitions import NOTHING, Acquisition
from locksim.study.traces.turns import turns

if TYPE_CHECKING:
    from locksim.study.traces.trace import Trace

CPUS, LOCKS, THREADS = 1, 2, 3
"""The processes."""
TRACKS = ("", " core: lines", " store buffer: lines")
"""The tracks of a CPU."""

FIRST_TRACK = 100_000
"""A track's number differs from every other track's and every process's. Perfetto identifies a
track by its number alone. It takes 0 for the idle task, and a process's number for its main
thread."""

Event = dict[str, Any]


def document(trace: Trace) -> dict[str, Any]:
    """The whole document, ready for ``json.dump``."""
    events = [*_metadata(trace), *_acquisitions(trace), *_requests(trace), *_locks(trace)]
    if trace.memory.space.n_threads > trace.tables.n_cpus:
        events += _turns(trace)
    return {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {"title": trace.title, "seed": trace.seed, "cpus": trace.tables.n_cpus},
    }


def _track(pid: int, number: int) -> int:
    return pid * FIRST_TRACK + number


def _us(time_ps: int) -> float:
    return time_ps // 1000 / 1000


def _seen(start_ps: int, end_ps: int) -> bool:
    """Whether a part of a slice has any length; viewers disagree on nesting in empty slices."""
    return end_ps // 1000 > start_ps // 1000


def _slice(
    pid: int, tid: int, name: str, start_ps: int, end_ps: int, args: Event | None = None
) -> Event:
    return {
        "ph": "X",
        "pid": pid,
        "tid": _track(pid, tid),
        "name": name,
        "cat": "lock" if pid == LOCKS else "cpu",
        "ts": _us(start_ps),
        "dur": (end_ps // 1000 - start_ps // 1000) / 1000,
        "args": args or {},
    }


def _named(kind: str, pid: int, tid: int, **args: Any) -> Event:
    return {"ph": "M", "name": kind, "pid": pid, "tid": _track(pid, tid), "args": args}


def _metadata(trace: Trace) -> list[Event]:
    events = [
        _named("process_name", CPUS, 0, name="CPUs"),
        _named("process_sort_index", CPUS, 0, sort_index=0),
        _named("process_name", LOCKS, 0, name="Locks"),
        _named("process_sort_index", LOCKS, 0, sort_index=1),
    ]
    tracks = [
        (CPUS, len(TRACKS) * cpu + k, f"CPU {cpu}{track}")
        for cpu in range(trace.tables.n_cpus)
        for k, track in enumerate(TRACKS)
    ]
    tracks += [(LOCKS, number, name) for number, name in enumerate(trace.locks)]
    for pid, tid, name in tracks:
        events.append(_named("thread_name", pid, tid, name=name))
        events.append(_named("thread_sort_index", pid, tid, sort_index=tid))
    return events


def _turns(trace: Trace) -> list[Event]:
    n_cpus = trace.tables.n_cpus
    events = [_named("process_name", THREADS, 0, name="Threads")]
    events.append(_named("process_sort_index", THREADS, 0, sort_index=2))
    for cpu in range(n_cpus):
        events.append(_named("thread_name", THREADS, cpu, name=f"CPU {cpu}"))
        events.append(_named("thread_sort_index", THREADS, cpu, sort_index=cpu))
    for turn in turns(trace):
        name = f"thread {turn.thread}" + " (idle)" * (turn.thread < n_cpus)
        events.append(_slice(THREADS, turn.cpu, name, turn.start_ps, turn.end_ps))
    return events


def _acquisitions(trace: Trace) -> list[Event]:
    events = []
    end_ps = trace.result.end_ps
    for a in trace.attribution.acquisitions:
        tid, name = len(TRACKS) * a.cpu, trace.locks[a.lock]
        args = {"acquisition": a.number, "mode": a.mode, "failed": a.failed}
        times = [a.start_ps, a.acquired_ps, a.released_ps, a.end_ps]
        times = times[: times.index(NOTHING)] if NOTHING in times else times
        if a.failed:
            continue
        if len(times) < 4:
            times.append(end_ps)
        events.append(_slice(CPUS, tid, name, times[0], times[-1], args))
        for phase, (start, end) in zip(("wait", "hold", "release"), pairwise(times), strict=False):
            if _seen(start, end):
                events.append(_slice(CPUS, tid, phase, start, end))
    return events


def _requests(trace: Trace) -> list[Event]:
    events = []
    for t in trace.transfers:
        tid = len(TRACKS) * t.cpu + 1 + t.buffered
        place = trace.place(t.place)
        supplier = "memory" if t.supplier is None else f"CPU {t.supplier}"
        args = {
            "kind": t.kind,
            "supplier": "nobody" if t.kind in ("upgrade", "none") else supplier,
            "losers": list(t.losers),
            "source": f"{Path(place.file).name}:{place.line} {trace.source(t.place)}",
        }
        name = f"{t.kind} {trace.line(t.line)}"
        events.append(_slice(CPUS, tid, name, t.asked_ps, t.ready_ps, args))
        if _seen(t.asked_ps, t.served_ps):
            events.append(_slice(CPUS, tid, "queue", t.asked_ps, t.served_ps))
        if _seen(t.served_ps, t.ready_ps):
            events.append(_slice(CPUS, tid, "transfer", t.served_ps, t.ready_ps))
    return events


def _locks(trace: Trace) -> list[Event]:
    events = []
    end_ps = trace.result.end_ps
    for number, name in enumerate(trace.locks):
        mine = [a for a in trace.attribution.acquisitions if a.lock == number and not a.failed]
        holds = [a for a in mine if a.mode == "write" and a.acquired_ps != NOTHING]
        holds.sort(key=lambda a: (a.acquired_ps, a.cpu))
        for a in holds:
            until = a.released_ps if a.complete else end_ps
            events.append(_slice(LOCKS, number, f"CPU {a.cpu}", a.acquired_ps, until))
        for before, after in pairwise(holds):
            if before.complete and before.cpu != after.cpu:
                events += _handover(before, after)
        waits = [(a.start_ps, a.acquired_ps) for a in mine]
        events += _counter(number, f"{name} waiters", waits)
        reads = [(a.acquired_ps, a.released_ps) for a in mine if a.mode == "read"]
        if reads:
            events += _counter(number, f"{name} readers", [r for r in reads if r[0] != NOTHING])
    return events


def _handover(before: Acquisition, after: Acquisition) -> list[Event]:
    """An arrow from a release to the next acquisition, on the tracks of the two CPUs."""
    common = {"cat": "handover", "name": "handoff", "pid": CPUS, "id": after.number}
    start = {
        "ph": "s",
        "tid": _track(CPUS, len(TRACKS) * before.cpu),
        "ts": _us(before.released_ps),
    }
    end = {
        "ph": "f",
        "bp": "e",
        "tid": _track(CPUS, len(TRACKS) * after.cpu),
        "ts": _us(after.acquired_ps),
    }
    return [common | start, common | end]


def _counter(lock: int, name: str, periods: list[tuple[int, int]]) -> list[Event]:
    """A counter that is one higher in each period; an end of -1 is after the trace."""
    changes: dict[int, int] = {}
    for start, end in periods:
        changes[start] = changes.get(start, 0) + 1
        if end != NOTHING:
            changes[end] = changes.get(end, 0) - 1
    events, value = [], 0
    for time in sorted(changes):
        value += changes[time]
        event = {"ph": "C", "pid": LOCKS, "tid": _track(LOCKS, lock), "name": name, "ts": _us(time)}
        events.append(event | {"args": {"value": value}})
    return events
