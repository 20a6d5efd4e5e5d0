"""Collect trials in a folder, until every cell has enough good ones or time is up.

A hypervisor may move virtual CPUs between caches meanwhile. Two CPUs then share other caches, and
the cost of every shared line changes by several times. So a sentinel runs about once a second: a
handoff between the two nearest CPUs. ``locknative.calibration.readings`` decides by it which trials
belong together.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from . import host, process, topology
from .cells import Cell, kernel_cells, probe_cells, sentinel_cell
from .errors import NativeError, unknown
from .folder import append, records, write_csv, write_provenance
from .speed import SpeedCheck, turns_ns
from .topology import Cpu
from .trials import rounds, trial

SENTINEL_EVERY_S = 1.0
SENTINEL_AGAIN_S = 0.25
"""When the next sentinel follows one that was disturbed, in s. On a busy host most are."""
FIRST_TRIALS = 3
"""Good trials of each probe before locks are measured: without a probe there is no calibration."""
FIRST_SHARE = 1 / 3
"""The share of the time after which locks are measured, whatever the probes lack."""
PATIENCE_S = 30.0
"""How long a trial waits for threads that do not return, in s."""

Progress = Callable[[int, int, float], None]


class Plan(NamedTuple):
    """How much to measure.

    ``seconds`` is when to stop, whatever is missing; ``wanted`` the good trials that each cell
    gets; ``trial_ms`` the measured time of a trial, after a tenth of it as warm-up; ``seed`` that
    of the order of the trials.
    """

    seconds: float = 540
    wanted: int = 10
    trial_ms: int = 20
    seed: int = 1

    def progress(self, report: Callable[[str, float], None]) -> Progress:
        """Return a progress function that reports a text and the fraction done."""
        return lambda done, of, spent_s: report(
            f"{done} of {of} good trials", max(done / of, min(1.0, spent_s / self.seconds))
        )


def survey(
    path: str | Path,
    folder: Path,
    plan: Plan,
    *,
    only: str | None = None,
    kernels: Collection[str] = (),
    csv: Path | None = None,
    progress: Progress | None = None,
) -> Counter[Cell]:
    """Measure all that this machine and this build have: probes, locks, structures, workloads.

    Args:
        path: of ``locklab-native``.
        folder, plan, progress: see :func:`collect`.
        only: ``"probes"`` or ``"kernels"``; None: both.
        kernels: their names; empty: all.
        csv: a folder that gets all trials as CSV too.

    Raises:
        NativeError: the executable cannot be run, or has no such kernel.
    """
    built = process.list_kernels(path)
    cpus = topology.read()
    cells: list[Cell] = []
    if only != "kernels":
        cells += probe_cells(cpus, host.llc_kib(), host.memory_kib() // 4)
    probes = frozenset(cells)
    if only != "probes":
        cells += kernel_cells(cpus, built)
    known = {cell.kernel for cell in cells}
    for name in kernels:
        if name not in known:
            raise unknown("kernel", name, known)
    if kernels:
        cells = [cell for cell in cells if cell.kernel in kernels]
    good = collect(path, cells, folder, cpus, plan, progress, first=probes.intersection(cells))
    if csv is not None:
        write_csv(folder, csv)
    return good


def collect(
    path: str | Path,
    cells: Iterable[Cell],
    folder: Path,
    cpus: Sequence[Cpu],
    plan: Plan,
    progress: Progress | None = None,
    *,
    first: Collection[Cell] = (),
) -> Counter[Cell]:
    """Run trials and write them into a folder; what lies there already counts.

    Args:
        path: of ``locklab-native``.
        cells: what to measure.
        folder: for the trials (:mod:`.folder`); it is made if need be.
        cpus: of the machine; two or more make a sentinel.
        plan: how much to measure.
        progress: called after every trial with good trials done, wanted, and seconds passed.
        first: cells that get their first trials before the others.

    Returns:
        Good trials for each cell.

    Raises:
        NativeError: the executable cannot be run.
    """
    todo = list(dict.fromkeys(cells))
    folder.mkdir(parents=True, exist_ok=True)
    write_provenance(folder, cpus, path, trial_ms=plan.trial_ms)
    good = Counter(dict.fromkeys(todo, 0))
    speed = SpeedCheck()
    for record in records(folder):
        cell = Cell.of(record["cell"])
        if record["result"]:
            speed.add(turns_ns(record["result"]["tallies"]))
        if cell in good and record["rejected"] is None:
            good[cell] += 1

    def run(cell: Cell, seed: int) -> bool:
        """Run a trial and keep it; whether it counts."""
        at = time.time()
        why, result = None, None
        try:
            found = trial(
                path,
                cell,
                seed,
                speed,
                duration_ms=plan.trial_ms,
                warmup_ms=max(1, plan.trial_ms // 10),
                patience_s=PATIENCE_S,
            )
            result, why = found.result, next(iter(found.rejected), None)
        except NativeError as error:  # kept as a trial that failed
            why = str(error)
        record = {"cell": cell._asdict(), "at": round(at, 3), "rejected": why, "result": result}
        append(folder, record)
        return why is None

    dice = random.Random(plan.seed)
    sentinel = sentinel_cell(cpus)
    began = due = time.monotonic()

    def needs_more(cell: Cell) -> bool:
        """Whether it is the cell's turn, and it lacks trials."""
        begun = all(good[one] >= min(FIRST_TRIALS, plan.wanted) for one in first)
        late = time.monotonic() - began >= FIRST_SHARE * plan.seconds
        return good[cell] < plan.wanted and (cell in first or begun or late)

    for cell, trial_seed in rounds(todo, needs_more, dice):
        if time.monotonic() - began >= plan.seconds:
            break
        if sentinel is not None and time.monotonic() >= due:
            undisturbed = run(sentinel, dice.getrandbits(32))
            due = time.monotonic() + (SENTINEL_EVERY_S if undisturbed else SENTINEL_AGAIN_S)
        good[cell] += run(cell, trial_seed)
        if progress is not None:
            done = sum(min(n, plan.wanted) for n in good.values())
            progress(done, plan.wanted * len(todo), time.monotonic() - began)
    return good
