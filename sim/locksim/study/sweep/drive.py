"""Leads a sweep: which runs are still wanted, who makes them, and where they are kept.

Points come from the design one by one, and only those under way are in memory. A point asks for its
runs in steps. Without a goal of precision there is one step. With one, the point gets half as many
replications again, from the first seeds on, until the interval of the throughput is narrow enough.
A step looks only at the runs before it, in the order of their seeds. So what is run in the end
depends on nothing else: not on the number of workers, nor on what was killed on the way.

Short runs are given out many at once, so that a task takes half a second. Finished runs are written
every few seconds. A kill costs at most what was not written: two seconds, or a hundredth of the
time so far, so that the number of files grows only with the logarithm of a long sweep.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locksim import machine as machines
from locksim.compiler.identity import program_digest
from locksim.library.registry import text_of
from locksim.machine import Machine
from locksim.study.cluster import ClusterError
from locksim.study.simulation import interval
from locksim.study.sweep.dataset import DIGESTS, Dataset
from locksim.study.sweep.design import (
    CPU_COUNTS,
    FACTORS,
    Design,
    DesignError,
    Point,
    Value,
    check_names,
)
from locksim.study.sweep.identity import engine_digest, machine_digest, point_digest
from locksim.study.sweep.runs import Batch, Task, load_at, longest_ps, struct_of
from locksim.study.sweep.workers import Finished, Workers, on_cluster, on_this_machine
from lockui.portable import usable_cpus

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Goal", "Outcome", "Sweep", "sweep"]

Progress = Callable[[str, float], None]
TASK_S = 0.5
"""Seconds that a task should take."""
MOST_RUNS = 256
"""Most runs of a task."""
WRITE_S, WRITE_SHARE = 2.0, 0.01
"""Finished runs are written after so many seconds, or so large a share of the time so far."""
PATIENCE_S = 0.2
"""Seconds between two reports of progress."""


@dataclass(frozen=True)
class Goal:
    """How many replications each point gets.

    Arguments:
        replications: without ``until`` exactly so many; with it at least so many.
        seed: of the first.
        until: wanted half width of the throughput's 95 % interval, a fraction of the mean.
        most: replications at which a point is left as it is.
    """

    replications: int = 5
    seed: int = 1
    until: float | None = None
    most: int = 1000

    def needed(self, values: Mapping[int, float]) -> int:
        """How many replications a point needs, as far as its runs show: seed → throughput."""
        n = self.replications
        while self.until is not None and n < self.most:
            found = [values.get(self.seed + k) for k in range(n)]
            known = [value for value in found if value is not None]
            if len(known) < n or any(math.isnan(value) for value in known):
                return n
            rate = interval(known)
            if rate.high - rate.mean <= self.until * rate.mean:
                return n
            n = min(self.most, n + (n + 1) // 2)
        return n


@dataclass
class _Open:
    """A point under way.

    Arguments:
        batch: the point, without runs. program: digest of its program.
        values: of its runs so far, seed → throughput; NaN for one that failed. made: how many of
            them were made now.
    """

    batch: Batch
    program: str
    values: dict[int, float]
    made: int = 0


@dataclass(frozen=True)
class Outcome:
    """What a sweep has done.

    Arguments:
        points: point's digest → number of its replications, in the order of the design.
        made: runs that were made now. found: runs that the dataset had already.
        complete: False if it was interrupted.
    """

    points: Mapping[str, int]
    made: int
    found: int
    complete: bool


class Sweep:
    """A sweep that is ready to run: all names and values are checked.

    Arguments:
        design: the points. goal: replications of each. dataset: where the runs are kept.

    Raises:
        DesignError, LoadError, MachineError, CompileError, UnknownNameError: a point cannot be.
        DatasetError: the folder holds something else.
    """

    def __init__(self, design: Design, goal: Goal, dataset: Path) -> None:
        self.design, self.goal = design, goal
        self.texts: dict[str, str] = {}
        self.machines: dict[str, tuple[str, Machine]] = {}
        for point in design:
            self._check(point)
        self.dataset = Dataset(dataset, design.costs())

    def _check(self, point: Point) -> None:
        lock, machine, cpus = str(point["lock"]), str(point["machine"]), point["cpus"]
        if machine not in self.machines:
            profile = machines.load(machine)
            self.machines[machine] = machine_digest(profile), profile
            check_names(point, profile.cost_ps())
        profile = self.machines[machine][1]
        if not 1 <= int(cpus) <= profile.n_cpus:
            raise DesignError(
                f"cpus must be between 1 and {profile.n_cpus} on {machine} (got {cpus})"
            )
        if point["placement"] not in ("compact", "scatter"):
            raise DesignError(f"placement={point['placement']}: write compact or scatter")
        if int(point["operations"]) < 1:
            raise DesignError(f"operations must be at least 1 (got {point['operations']})")
        if lock not in self.texts:
            text = text_of(lock)
            if text is not None:
                self.texts[lock] = text
        load_at(point, struct_of(lock, self.texts.get(lock)))

    def run(
        self,
        workers: AbstractContextManager[Workers],
        progress: Progress = lambda text, fraction: None,
    ) -> Outcome:
        """Make the runs that the dataset lacks.

        Arguments:
            workers: :func:`on_this_machine` or :func:`on_cluster`.
            progress: called with a text and the fraction done.

        Raises:
            ClusterError, JobError: a part could not be done; finished runs are kept.
        """
        with self.dataset.writing():
            return _Run(self, progress).drive(workers)

    def table(self, outcome: Outcome) -> pd.DataFrame:
        """The runs of this sweep, in the order of the design and of the seeds.

        Arguments:
            outcome: of :meth:`run`. After an interrupt some runs are missing.
        """
        frame = self.dataset.read()
        order = {digest: k for k, digest in enumerate(outcome.points)}
        place = frame["point"].map(order)
        number = frame["seed"] - self.goal.seed
        mine = (number >= 0) & (number < frame["point"].map(outcome.points))
        frame = frame.assign(_place=place)[mine].sort_values(["_place", "seed"])
        return frame.drop(columns="_place").reset_index(drop=True)

    def digests(self, point: Point) -> tuple[str, str, str]:
        """Digests of a point, of its program, and of its machine before costs are replaced."""
        lock = str(point["lock"])
        load = load_at(point, struct_of(lock, self.texts.get(lock)))
        program = program_digest(load.workload)
        machine = self.machines[str(point["machine"])][0]
        longest = longest_ps(load, int(point["cpus"]))
        return point_digest(point, program, machine, longest), program, machine


class _Run:
    """One run of a sweep: what is under way, and what waits to be written."""

    def __init__(self, sweep: Sweep, progress: Progress) -> None:
        self.sweep, self.progress = sweep, progress
        self.known = sweep.dataset.values("per_second")
        self.fresh = iter(sweep.design)
        self.open: dict[str, _Open] = {}
        self.wanted: deque[Batch] = deque()
        self.under_way: dict[Future[Finished], Task] = {}
        self.points: dict[str, int] = {}
        self.rows: list[dict[str, Any]] = []
        self.made = self.found = self.seen = self.timed = 0
        self.spent_s = 0.0
        self.began = self.written = time.monotonic()
        self.lost: list[Task] = []

    def drive(self, workers: AbstractContextManager[Workers]) -> Outcome:
        """Make all runs; after Ctrl-C the finished ones are written."""
        complete = True
        try:
            with workers as team:
                while self._hand_out(team):
                    self._take(team)
        except KeyboardInterrupt:
            complete = False
        finally:
            self._write()
        if self.lost:
            runs = sum(task.runs for task in self.lost)
            raise ClusterError(
                f"{runs:,} runs were given up: each worker that tried them ended (such as "
                f"{dict(self.lost[0].batches[0].point)})\n"
                "help: give the workers more memory, and start the same command again; finished "
                "runs are kept",
                exit_code=3,
            )
        return Outcome(self.points, self.made, self.found, complete)

    def _hand_out(self, workers: Workers) -> bool:
        """Keep the workers busy; return whether anything is under way."""
        while len(self.under_way) < workers.slots and (batches := self._batches()):
            sweep = self.sweep
            locks = {str(batch.point["lock"]) for batch in batches}
            used = {batch.machine for batch in batches}
            task = Task(
                batches,
                {key: profile for key, profile in sweep.machines.values() if key in used},
                {lock: sweep.texts[lock] for lock in locks if lock in sweep.texts},
                engine_digest(),
            )
            self.under_way[workers.submit(task)] = task
        return bool(self.under_way)

    def _batches(self) -> list[Batch]:
        """The runs of the next task: as many as take half a second."""
        left = 1
        if self.timed:
            left = max(1, min(MOST_RUNS, int(TASK_S * self.timed / max(self.spent_s, 1e-9))))
        found: list[Batch] = []
        while left > 0 and (self.wanted or self._next_point()):
            batch = self.wanted.popleft()
            if batch.replications > left:
                rest = batch.replications - left
                self.wanted.appendleft(replace(batch, seed=batch.seed + left, replications=rest))
                batch = replace(batch, replications=left)
            found.append(batch)
            left -= batch.replications
        return found

    def _next_point(self) -> bool:
        """Go on in the design to a point that wants runs; False at its end."""
        for point in self.fresh:
            digest, program, machine = self.sweep.digests(point)
            self.seen += 1
            if digest in self.points:
                continue  # a design may name a point twice
            empty = Batch(digest, point, machine, self.sweep.goal.seed, 0)
            opened = self.open[digest] = _Open(empty, program, self.known.pop(digest, {}))
            if self._ask(opened):
                return True
            self._report()
        return False

    def _ask(self, opened: _Open) -> bool:
        """Queue the runs that a point lacks; False if it lacks none, and is finished."""
        goal, batch = self.sweep.goal, opened.batch
        needed = self.points[batch.digest] = goal.needed(opened.values)
        seeds = range(goal.seed, goal.seed + needed)
        missing = [seed for seed in seeds if seed not in opened.values]
        for first, number in _stretches(missing):
            self.wanted.append(replace(batch, seed=first, replications=number))
        if not missing:
            self.found += needed - opened.made
            del self.open[batch.digest]
        return bool(missing)

    def _take(self, workers: Workers) -> None:
        """Take what is finished."""
        done, _ = wait(self.under_way, timeout=PATIENCE_S, return_when=FIRST_COMPLETED)
        for future in done:
            task = self.under_way.pop(future, None)
            if task is None:
                continue
            try:
                rows, seconds = future.result()
            except Exception as error:
                if workers.after(error) == "lost":
                    self.lost.append(task)
                    continue
                for batch in task.batches:
                    self.wanted.appendleft(batch)
                self._requeue()
                break
            self._keep(task, rows, seconds)
        self._report()
        now = time.monotonic()
        if now - self.written > max(WRITE_S, WRITE_SHARE * (now - self.began)):
            self._write()

    def _requeue(self) -> None:
        """Take back what the lost processes had; a task that they had finished counts."""
        for future, task in self.under_way.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self._keep(task, *future.result())
            else:
                self.wanted.extendleft(task.batches)
        self.under_way.clear()

    def _keep(self, task: Task, rows: Sequence[dict[str, Any]], seconds: float) -> None:
        self.spent_s += seconds
        self.timed += len(rows)
        self.made += len(rows)
        touched: dict[str, _Open] = {}
        for row in rows:
            opened = touched[row["point"]] = self.open[row["point"]]
            rate = row["per_second"]
            opened.values[row["seed"]] = math.nan if rate is None else rate
            opened.made += 1
            digests = opened.program, opened.batch.machine, task.engine
            self.rows.append(
                {**row, **opened.batch.point, **dict(zip(DIGESTS, digests, strict=True))}
            )
        for digest, opened in touched.items():
            seeds = range(self.sweep.goal.seed, self.sweep.goal.seed + self.points[digest])
            if all(seed in opened.values for seed in seeds):
                self._ask(opened)

    def _write(self) -> None:
        if self.rows:
            self.sweep.dataset.append(self.rows)
            self.rows = []
        self.written = time.monotonic()

    def _report(self) -> None:
        goal, points = self.sweep.goal, len(self.sweep.design)
        if goal.until is not None:
            finished = self.seen - len(self.open)
            self.progress(f"{finished:,} of {points:,} points", finished / points)
            return
        total = points * goal.replications
        runs = self.made + self.found
        self.progress(f"{runs:,} of {total:,} runs", min(1.0, runs / total))


def _stretches(seeds: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Consecutive seeds: the first one, and how many."""
    start = 0
    for k in range(1, len(seeds) + 1):
        if k == len(seeds) or seeds[k] != seeds[k - 1] + 1:
            yield seeds[start], k - start
            start = k


def sweep(
    locks: Sequence[str],
    *,
    dataset: str | Path,
    machine: str | Sequence[str] = str(FACTORS["machine"]),
    cpus: Sequence[int] | None = None,
    vary: Mapping[str, Sequence[Value]] | None = None,
    points: Sequence[Point] = ({},),
    replications: int = 5,
    seed: int = 1,
    until: float | None = None,
    most: int = 1000,
    jobs: int | None = None,
    scheduler: str = "",
    progress: Progress = lambda text, fraction: None,
    **fixed: Value,
) -> pd.DataFrame:
    """Simulate the product of locks, machines, CPU counts and factors; keep each run.

    Runs that the dataset has are not made again.

    Arguments:
        locks: names of the library, or ``FILE.py:CLASS``.
        dataset: folder of Parquet files; new, or that of an earlier sweep.
        machine: one name or file, or several.
        cpus: CPU counts (1, 2, 4 … 32 by default, as far as the machine has them).
        vary: factor → its values; factors are those of ``design.FACTORS`` and the machine's costs
            in ns (``"transfer.half"``). The sweep visits every combination.
        points: further parts of points, of :func:`latin_hypercube` or :func:`read_points`.
        replications, seed, until, most: see :class:`Goal`.
        jobs: processes (all usable CPUs by default). scheduler: address of a Dask cluster instead.
        progress: called with a text and the fraction done.
        fixed: other factors, such as ``think_ns=4000``.

    Returns:
        A row for each run, with the columns of the dataset (docs/use/sweeps.md).

    Raises:
        DesignError, LoadError, MachineError, CompileError, UnknownNameError: a point cannot be.
        DatasetError: the folder cannot be used. ClusterError, JobError: workers were lost.
        KeyboardInterrupt: the finished runs are kept.
    """
    machine_names = [machine] if isinstance(machine, str) else list(machine)
    design = product(locks, machine_names, cpus, vary or {}, points, fixed)
    ready = Sweep(design, Goal(replications, seed, until, most), Path(dataset))
    workers = on_cluster(scheduler) if scheduler else on_this_machine(jobs or usable_cpus())
    outcome = ready.run(workers, progress)
    if not outcome.complete:
        raise KeyboardInterrupt
    return ready.table(outcome)


def product(
    locks: Sequence[str],
    names: Sequence[str],
    cpus: Sequence[int] | None,
    vary: Mapping[str, Sequence[Value]],
    points: Sequence[Point],
    fixed: Mapping[str, Value],
) -> Design:
    """The design of a sweep; arguments as those of :func:`sweep`, ``names`` of the machines.

    Raises:
        DesignError: there is nothing to visit. MachineError: there is no such machine.
    """
    others, listed = dict(vary), {*points[0]} if points else set()
    names = [str(name) for name in others.pop("machine", names)]
    given = others.pop("cpus", (1,) if "cpus" in listed else cpus)
    if twice := sorted(listed & {"lock", "machine", *others}):
        raise DesignError(
            f"{twice[0]} is in the list of points and also given as an option: remove one of them"
        )
    on: list[Point] = []
    for name in names:
        counts = given
        if counts is None:
            counts = [n for n in CPU_COUNTS if n <= machines.load(name).n_cpus]
        on += ({"machine": name, "cpus": n} for n in counts)
    design = Design(([fixed], [{"lock": lock} for lock in locks], on))
    for name, values in others.items():
        design = design.times([{name: one} for one in values])
    design = design.times(points)
    if not len(design):
        raise DesignError("the sweep has no point: a list of values is empty")
    return design
