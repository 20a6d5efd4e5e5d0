"""Run a workload on a machine and report the measurements with their uncertainty.

One replication warms up until every CPU has done some units of work, then measures until enough
more are done. Replications differ only in their seeds. Means come with 95 % intervals from
Student's t over the replications.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from locksim import machine as machines
from locksim.compiler.bytecode import BLOCK, NOTICED
from locksim.core.result import SimulationError
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS, LOCK_MAXIMA
from locksim.engine.histogram import PERCENTILES, percentile
from locksim.engine.meters import histograms
from locksim.engine.prepared import prepare
from locksim.lang.struct import Workload
from locksim.machine import Machine
from locksim.study.quantiles import student_t

if TYPE_CHECKING:
    import pandas as pd

    from locksim.compiler.bytecode import Image, Place
    from locksim.core.memory import Memory
    from locksim.machine import MachineTables

Placement = Literal["compact", "scatter"] | list[int]
Progress = Callable[[str, float], None]
Reader = Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], object]
"""Reader of a trace in parts, as of :mod:`locksim.engine.fast.engine`."""
WARM_UP = 20
"""Units of work of a CPU before the measurement."""
LONGEST_PS = 10**13
"""Simulated time (10 s) after which a replication without a finished unit of work is a livelock."""
FILLING, FILLED = 0.05, 0.01
"""Caches are still being filled if so large a share of the transfers adds a copy, and there are so
many new copies per unit of work, in both halves of a window."""
_TIMED = ("hold", "wait")
TIMES = tuple(
    f"{side}{what}_{name}_ns" for side in ("", "read_") for what in _TIMED for name in PERCENTILES
)
"""The names of :meth:`Simulation.times`: ``hold_p50_ns``, ``read_wait_p999_ns`` and the like."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval; with a single replication low and high are NaN."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Replication:
    """The raw counts of one replication's measuring window.

    Arguments:
        seed: of the random streams.
        window_ps: length of the window.
        cpu: int64[n_cpus, len(CPU_COUNTERS)].
        locks: int64[n_locks, len(LOCK_COUNTERS)].
        lines: int64[n_lines], transfers of each line.
        durations: histograms of waits and holds, by lock and column: those of
            :class:`~locksim.core.result.RunResult`.
        copies: of lines in all caches, at the start, near the middle and at the end of the window.
    """

    seed: int
    window_ps: int
    cpu: npt.NDArray[np.int64]
    locks: npt.NDArray[np.int64]
    lines: npt.NDArray[np.int64]
    durations: dict[tuple[int, int], int] = field(default_factory=dict)
    copies: tuple[int, int, int] = (0, 0, 0)

    @property
    def warming(self) -> bool:
        """Whether the caches were still being filled, so that fewer and fewer accesses miss."""
        begin, middle, end = self.copies
        transfers, done = int(self.lines.sum()), int(self.cpu[:, CPU_COUNTERS.index("done")].sum())
        least = max(FILLING * transfers, FILLED * done) / 2
        return min(middle - begin, end - middle) > least


@dataclass(frozen=True)
class Simulation:
    """The measurements of ``simulate``.

    Arguments:
        machine: the profile's name. cpus: number of CPUs. placement: their places.
        lock_names: the metered structs, in the order of the rows of each replication's ``locks``.
        replications: the raw counts.
        complete: False if it was interrupted; the replications are then the finished ones.
        may_sleep: whether the program has a ``block``.
        ran: the operations that ran, warm-up included, of those that other threads can notice;
            empty if the run was not watched.
    """

    machine: str
    cpus: int
    placement: str
    lock_names: list[str]
    replications: list[Replication]
    complete: bool = True
    may_sleep: bool = False
    seconds: float = field(default=0.0, compare=False)
    ran: frozenset[Place] = field(default=frozenset(), repr=False)

    @property
    def warming(self) -> bool:
        """Whether hit rates still rose when the measurement ended, in every replication."""
        return all(r.warming for r in self.replications)

    def operation_ps(self) -> Interval:
        """Mean time from one unit of work to the next, on one CPU, in picoseconds."""
        done = CPU_COUNTERS.index("done")
        return interval([r.window_ps * self.cpus / r.cpu[:, done].sum() for r in self.replications])

    def throughput(self) -> Interval:
        """Units of work per second of simulated time, all CPUs together."""
        return self.per_second("done")

    def per_second(self, counter: str) -> Interval:
        """A CPU counter (see ``CPU_COUNTERS``) per second of simulated time, all CPUs together."""
        column = CPU_COUNTERS.index(counter)
        return interval([r.cpu[:, column].sum() / r.window_ps * 1e12 for r in self.replications])

    def per_operation(self, counter: str) -> Interval:
        """Mean count of a CPU counter (see ``CPU_COUNTERS``) per unit of work."""
        done, column = CPU_COUNTERS.index("done"), CPU_COUNTERS.index(counter)
        return interval([r.cpu[:, column].sum() / r.cpu[:, done].sum() for r in self.replications])

    def summary(self) -> pd.DataFrame:
        """The rows of :meth:`measures` as a table."""
        import pandas as pd

        return pd.DataFrame(self.measures())

    def measures(self) -> list[dict[str, Any]]:
        """One row for each measure of the whole run: mean, low, high (95 % interval), unit."""
        rows = {
            "throughput": (self.throughput(), "1/s"),
            "time per operation": (_scaled(self.operation_ps(), 1e-3), "ns"),
            "line transfers per operation": (self.transactions(), "1"),
            "fairness (slowest / fastest CPU)": (self.fairness(), "1"),
        }
        switches = self.per_second("switches")
        if switches.mean:
            rows["context switches"] = (switches, "1/s")
        return [
            {"measure": k, "mean": v.mean, "low": v.low, "high": v.high, "unit": u}
            for k, (v, u) in rows.items()
        ]

    def by_cpu(self) -> pd.DataFrame:
        """One row for each CPU and replication: the counters (``CPU_COUNTERS``) in the window."""
        import pandas as pd

        frames = []
        for r in self.replications:
            frame = pd.DataFrame(r.cpu, columns=list(CPU_COUNTERS))
            frame.insert(0, "cpu", range(self.cpus))
            frame.insert(0, "seed", r.seed)
            frame["window_ps"] = r.window_ps
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def by_lock(self) -> pd.DataFrame:
        """The rows of :meth:`meters` as a table."""
        import pandas as pd

        return pd.DataFrame(self.meters())

    def meters(self) -> list[dict[str, Any]]:
        """One row for each lock and side, with lockmeter's columns.

        They are utilisation, contention, hold and wait times (means and maxima), and counts.
        ``wait_ns`` is the mean over contended acquisitions only and ``cpu_share`` the share of all
        CPUs' time spent waiting, as in lockmeter. A writer that waited for another writer also
        counts in ``con_ww`` and ``wait_ww_ns``. ``busy_ns`` is the mean reader busy period: from
        the first reader's entry to the last one's exit, cut by the window. ``hold_p50_ns``,
        ``wait_p999_ns`` and the like are percentiles of the same holds and waits (50, 90, 99,
        99.9): never too small, and at most 1.6 % too large (:mod:`locksim.engine.histogram`).
        ``rejected`` counts failed tries of both sides, which are not part of ``total``.
        """
        window = sum(r.window_ps for r in self.replications)
        rows: list[dict[str, Any]] = []
        durations: Counter[tuple[int, int]] = Counter()
        for r in self.replications:
            durations.update(r.durations)
        by_lock = histograms(durations)
        for i, name in enumerate(self.lock_names):
            counts = {
                k: (max if k in LOCK_MAXIMA else sum)(int(r.locks[i, j]) for r in self.replications)
                for j, k in enumerate(LOCK_COUNTERS)
            }
            found = by_lock.get(i, {})
            rows += meter_rows(name, counts, window_ps=window, cpus=self.cpus, durations=found)
        return rows

    def times(self) -> dict[str, float]:
        """Percentiles of the first lock's holds and waits, by the names in ``TIMES``.

        Each is the mean over the replications; NaN: no thread took that side of the lock.
        """
        runs = [replace(self, replications=[r]) for r in self.replications]
        each = [times_of(run.meters(), self.lock_names) for run in runs]
        found = {name: [one[name] for one in each if name in one] for name in TIMES}
        return {k: sum(v) / len(v) if v else float("nan") for k, v in found.items()}

    def violations(self) -> int:
        """How often a lock was entered while a thread was in that excludes this."""
        return violations_of(self.meters())

    def transactions(self) -> Interval:
        """Line transfers (misses and upgrades of all CPUs) per unit of work."""
        done = CPU_COUNTERS.index("done")
        return interval([r.lines.sum() / r.cpu[:, done].sum() for r in self.replications])

    def done(self) -> list[int]:
        """Units of work of each CPU, all replications together."""
        column = CPU_COUNTERS.index("done")
        return [sum(int(r.cpu[c, column]) for r in self.replications) for c in range(self.cpus)]

    def fairness(self) -> Interval:
        """Units of work of the slowest CPU over the fastest's: 1 is fair, 0 is starvation."""
        done = CPU_COUNTERS.index("done")
        return interval([r.cpu[:, done].min() / r.cpu[:, done].max() for r in self.replications])


def simulate(
    workload: Workload,
    *,
    machine: str | Machine = "ideal-8",
    cpus: int | None = None,
    placement: Placement = "compact",
    operations: int = 100,
    warmup: int = WARM_UP,
    replications: int = 5,
    seed: int = 1,
    heap_lines: int | None = None,
    longest_ps: int = LONGEST_PS,
    progress: Progress | None = None,
    watch: Reader | bool = False,
) -> Simulation:
    """Simulate a workload in its steady state.

    Arguments:
        workload: a description, such as ``CriticalSection(lock=TicketLock)``.
        machine: a profile, its name, or the path of its TOML file.
        cpus: number of CPUs (default: all), with one thread on each.
        placement: "compact" fills node by node, "scatter" alternates between the nodes, or a list
            of CPU numbers.
        operations: units of work (``yield done()``) to measure, on average over the CPUs.
        warmup: units of work, on average over the CPUs, before the measurement.
        replications: independent runs, with seeds seed, seed + 1, …
        heap_lines: cache lines for ``alloc``.
        longest_ps: simulated time without a finished unit of work after which the run is stopped as
            a livelock.
        progress: called at times with the running part and the fraction done.
        watch: whether to note which operations run; a reader also gets the trace in parts.

    Returns:
        A :class:`Simulation`. After Ctrl-C: the finished replications, with ``complete`` False,
        if there is one.

    Raises:
        CompileError, LinkError: the program is outside the language.
        MachineError: the machine is unknown, or has fewer CPUs.
        SimulationError: a fault, deadlock or livelock of the program.
    """
    if replications < 1 or operations < 1 or warmup < 0:
        raise SimulationError(
            "a simulation needs at least 1 replication and 1 operation, and no negative warm-up "
            f"(replications={replications}, operations={operations}, warmup={warmup})"
        )
    began = time.perf_counter()
    profile = machines.load(machine) if isinstance(machine, str) else machine
    n = profile.n_cpus if cpus is None else cpus
    tables = profile.tables(n, placement)
    image, memory = prepare(workload, tables, heap_lines=heap_lines)
    finished: list[Replication] = []
    complete, watched = True, Watched(image, n, watch) if watch else None
    try:
        for k in range(replications):
            finished.append(
                _replicate(
                    image,
                    memory,
                    tables,
                    seed + k,
                    warmup * n,
                    operations * n,
                    longest_ps,
                    watched,
                    None
                    if progress is None
                    else lambda f, k=k: progress(  # type: ignore[misc]
                        f"replication {k + 1} of {replications}", (k + f) / replications
                    ),
                )
            )
    except KeyboardInterrupt:
        if not finished:
            raise
        complete = False
    return Simulation(
        machine=profile.name,
        cpus=n,
        placement=placement if isinstance(placement, str) else ",".join(map(str, placement)),
        lock_names=memory.locks,
        replications=finished,
        complete=complete,
        may_sleep=any(row[0] == BLOCK for row in image.code),
        seconds=time.perf_counter() - began,
        ran=frozenset() if watched is None else watched.places(),
    )


class Watched:
    """A reader of traces that notes which operations of an image have run.

    Arguments:
        image: what runs. cpus: on how many.
        reader: gets each part of the trace as well; True: there is none.
    """

    def __init__(self, image: Image, cpus: int, reader: Reader | bool = True) -> None:
        self.image, self.reader = image, None if isinstance(reader, bool) else reader
        self.seen = np.zeros((len(image.code) + 1, cpus), bool)

    def __call__(self, rows: npt.NDArray[np.int64], origins: npt.NDArray[np.int64]) -> None:
        """Take a part of a trace; a mark's place is -1, the last row."""
        self.seen[origins[:, 0], rows[:, 1] >> 1] = True
        if self.reader is not None:
            self.reader(rows, origins)

    def places(self) -> frozenset[Place]:
        """The places of the operations that have run, of those that other threads can notice."""
        return frozenset(self.cpus_by_place())

    def cpus_by_place(self) -> dict[Place, frozenset[int]]:
        """The places of :meth:`places`, each with the CPUs that ran it."""
        places, code, seen = self.image.places, self.image.code, self.seen
        return {
            places[k]: frozenset(map(int, np.flatnonzero(seen[k])))
            for k in np.flatnonzero(seen[:-1].any(axis=1))
            if code[k][0] in NOTICED
        }


def meter_rows(
    name: str,
    counts: dict[str, int],
    *,
    window_ps: int,
    cpus: int,
    durations: Mapping[str, Mapping[int, int]] | None = None,
) -> list[dict[str, Any]]:
    """A lock's rows, one for each side that was taken: see :meth:`Simulation.meters`.

    Arguments:
        name: the lock's. counts: its ``LOCK_COUNTERS``.
        window_ps: total length of the counting windows. cpus: number of CPUs.
        durations: its histograms, by name; without them the rows have no percentiles.
    """
    rows: list[dict[str, Any]] = []
    for side, p in (("write", ""), ("read", "read_")):
        total, contended = counts[f"{p}total"], counts[f"{p}contended"]
        if not total and not (p and counts["busy_ps"]):
            continue  # no thread took this side, nor held it through the window
        ww = 0 if p else counts["contended_ww"]
        rows.append(
            {
                "lock": name,
                "side": side,
                "util": (counts["busy_ps"] if p else counts["hold_ps"]) / window_ps,
                "con": _share(contended, total),
                "hold_ns": _mean_ns(counts[f"{p}hold_ps"], total),
                "hold_max_ns": counts[f"{p}hold_max_ps"] / 1e3,
                "wait_ns": _mean_ns(counts[f"{p}wait_ps"], contended),
                "wait_max_ns": counts[f"{p}wait_max_ps"] / 1e3,
                "cpu_share": counts[f"{p}wait_ps"] / window_ps / cpus,
                "total": total,
                "per_second": total / window_ps * 1e12,
                "readers_max": counts["readers_max"] if p else 0,
                "rejected": counts["rejected"],
                "con_ww": _share(ww, total),
                "wait_ww_ns": _mean_ns(counts["wait_ww_ps"], ww),
                "wait_ww_max_ns": 0.0 if p else counts["wait_ww_max_ps"] / 1e3,
                "busy_ns": _mean_ns(counts["busy_ps"], counts["busy_periods"]) if p else 0.0,
                "busy_max_ns": counts["busy_max_ps"] / 1e3 if p else 0.0,
                "violations": counts["violations"],
            }
        )
        if durations is not None:
            for what in _TIMED:
                found = durations.get(p + what, {})
                rows[-1] |= _percentiles(what, found, counts[f"{p}{what}_max_ps"])
    return rows


def times_of(rows: list[dict[str, Any]], locks: list[str]) -> dict[str, float]:
    """The first lock's percentiles in the rows of :meth:`Simulation.meters`, by ``TIMES``.

    Arguments:
        rows: of the meters. locks: the names of all locks.
    """
    first = [row for row in rows if row["lock"] == locks[0]]
    prefixes = ("read_" if row["side"] == "read" else "" for row in first)
    names = TIMES[: len(TIMES) // 2]
    return {f"{p}{k}": row[k] for p, row in zip(prefixes, first, strict=True) for k in names}


def violations_of(rows: list[dict[str, Any]]) -> int:
    """How often a lock of these rows was entered in violation of mutual exclusion."""
    most: dict[str, int] = {}
    for row in rows:
        most[row["lock"]] = max(row["violations"], most.get(row["lock"], 0))
    return sum(most.values())


def _percentiles(what: str, times: Mapping[int, int], longest_ps: int) -> dict[str, float]:
    """The percentiles of a histogram, by the names of their columns."""
    return {
        f"{what}_{name}_ns": percentile(times, thousandths, longest_ps) / 1e3
        for name, thousandths in PERCENTILES.items()
    }


def interval(values: list[float]) -> Interval:
    """Mean and 95 % interval of independent replications (Student's t)."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return Interval(mean, float("nan"), float("nan"))
    half = float(student_t(len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values)))
    return Interval(mean, mean - half, mean + half)


def _replicate(
    image: Image,
    memory: Memory,
    tables: MachineTables,
    seed: int,
    warmup: int,
    operations: int,
    longest_ps: int,
    watched: Watched | None,
    report: Callable[[float], None] | None,
) -> Replication:
    from locksim.engine.fast.engine import Session

    session = Session(image, memory, tables, seed=seed, trace=watched or False)
    goal = warmup + operations

    def progress(_time: int, _events: int) -> None:
        if report is not None:
            report(min(1.0, session.done() / goal))

    # A run is cut by time, so that no unit in progress is lost or counted twice.
    step = 1_000_000
    while session.done() < max(warmup, 1):
        if session.time_ps >= longest_ps:
            raise session.livelock()
        session.advance(min(session.time_ps + step, longest_ps), progress)
        if session.finished:
            raise SimulationError(
                f"all threads have returned after {session.done()} units of work, before the "
                f"warm-up of {warmup} was over\nhelp: let thread() loop forever, or measure the "
                "whole run with locksim.engine.fast.engine.run"
            )
        step *= 2
    start, before = session.time_ps, session.done()
    session.reset()
    copies = [session.copies()]
    while session.done() < operations:
        # The remaining work at the pace so far, and a little more; never below a
        # microsecond.
        done = session.done()
        pace = (session.time_ps - start) / done if done else start / max(before, 1)
        length_ps = max(1_000_000, int((operations - done) * pace * 1.05))
        end_ps = session.time_ps + length_ps
        if len(copies) == 1:
            session.advance(session.time_ps + length_ps // 2, progress)
            copies.append(session.copies())
        session.advance(end_ps, progress)
        if session.time_ps - start > longest_ps and not session.done():
            raise session.livelock()
        if session.finished:
            break
    result = session.result()
    window_ps = session.time_ps - start
    counts = result.cpu, result.locks, result.lines, result.durations
    return Replication(seed, window_ps, *counts, (copies[0], copies[1], session.copies()))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _mean_ns(total_ps: int, times: int) -> float:
    return total_ps / times / 1e3 if times else 0.0


def _scaled(value: Interval, by: float) -> Interval:
    return Interval(value.mean * by, value.low * by, value.high * by)
