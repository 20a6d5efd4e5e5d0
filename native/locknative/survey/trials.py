"""Trials: one process each, in random order, until every cell has enough or time is up.

The process is the sampling unit, since where things lie in memory moves results by more than what
differs inside one process. Each round runs every cell that has not enough trials yet, in an order
of its own; a slow drift of the machine becomes noise in all cells, not an error in some.

A trial is rejected, and kept with the reason, when the hypervisor took time, when a thread did not
have its CPU for 99 % of its time (sleeping probes are exempt), or when the threads did not run at
the same time: one that got its CPU late has a short time of its own, in which it was alone or late;
or when one of them was slow (:mod:`.speed`).

A hypervisor may move virtual CPUs between caches while a sweep runs; what two of them share, and
with it every shared line's cost, then changes several times over. So a sentinel is run about once a
second: a hand-over between the two nearest CPUs. ``locknative.calibration.readings`` tells by it
which trials belong together.
"""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from .cells import Cell
from .folder import append, records, steal_ticks
from .judge import disturbances
from .speed import Pace

SLEEPERS = frozenset({"wake"})
PATIENCE_S = 60.0
"""A trial that takes longer than this is given up."""

SENTINEL_EVERY_S = 1.0

Progress = Callable[[int, int, float], None]


class SweepError(Exception):
    """The executable is not there, or can not do what is asked of it."""

    exit_code = 2


def kernels(executable: str) -> list[dict[str, Any]]:
    """Return what the executable can run.

    Raises:
        SweepError: it can not be run.
    """
    try:
        listed = subprocess.run([executable, "list"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SweepError(
            f"{executable} can not be run ({error}): give the path of locklab-native as built on a "
            "machine of this architecture"
        ) from error
    return [json.loads(line) for line in listed.stdout.splitlines()]


def sweep(
    executable: str,
    cells: Iterable[Cell],
    folder: Path,
    *,
    seconds: float,
    wanted: int = 10,
    trial_ms: int = 20,
    seed: int = 1,
    sentinel: Cell | None = None,
    progress: Progress | None = None,
) -> Counter[Cell]:
    """Run trials and write them into a folder; what lies there already counts.

    Args:
        executable: the path of ``locklab-native``.
        cells: what to measure.
        folder: where to, as :mod:`.folder` describes; it is made if need be.
        seconds: when to stop, whatever is missing.
        wanted: good trials that each cell gets.
        trial_ms: measured time of a trial; a tenth of it goes before as warm-up.
        seed: of the order of the trials.
        sentinel: a cell to run now and then besides; None for none.
        progress: called after every trial with good trials done, wanted, and seconds passed.

    Returns:
        Good trials for each cell.
    """
    todo = list(dict.fromkeys(cells))
    folder.mkdir(parents=True, exist_ok=True)
    good = Counter(dict.fromkeys(todo, 0))
    pace = Pace()
    for record in records(folder):
        cell = Cell.of(record["cell"])
        if record["result"]:
            pace.add(turns_ns(record["result"]))
        if cell in good and record["rejected"] is None:
            good[cell] += 1
    order = random.Random(seed)
    began = time.monotonic()
    watched = -SENTINEL_EVERY_S
    while missing := [cell for cell in todo if good[cell] < wanted]:
        order.shuffle(missing)
        for cell in missing:
            if time.monotonic() - began >= seconds:
                return good
            if sentinel is not None and time.monotonic() - watched >= SENTINEL_EVERY_S:
                record = trial(executable, sentinel, trial_ms, order.getrandbits(32), pace)
                append(folder, record)
                if record["rejected"] is None:
                    watched = time.monotonic()
            record = trial(executable, cell, trial_ms, order.getrandbits(32), pace)
            append(folder, record)
            good[cell] += record["rejected"] is None
            if progress is not None:
                done = sum(min(n, wanted) for n in good.values())
                progress(done, wanted * len(todo), time.monotonic() - began)
    return good


def trial(
    executable: str, cell: Cell, trial_ms: int, seed: int, pace: Pace | None = None
) -> dict[str, Any]:
    """Run one trial, add it to the paces seen, and return its record."""
    pace = Pace() if pace is None else pace
    before = steal_ticks(cell.cpus)
    at = time.time()
    result, failed = _run(command(executable, cell, trial_ms, seed))
    if result is not None:
        pace.add(turns_ns(result))
    stolen = steal_ticks(cell.cpus) - before
    reasons = (
        [failed]
        if failed or result is None
        else disturbances(
            result["tallies"], stolen, pace, result["duration_ns"], cell.kernel in SLEEPERS
        )
    )
    rejected = reasons[0] if reasons else None
    return {"cell": cell._asdict(), "at": round(at, 3), "rejected": rejected, "result": result}


def command(executable: str, cell: Cell, trial_ms: int, seed: int) -> list[str]:
    """Return the command line of a trial."""
    line = [executable, "run", cell.kernel, "--loop", cell.loop]
    line += ["--threads", str(cell.threads), "--cpus", ",".join(map(str, cell.cpus))]
    line += ["--duration-ms", str(trial_ms), "--warmup-ms", str(max(1, trial_ms // 10))]
    line += ["--hold", str(cell.hold), "--think", str(cell.think)]
    line += ["--write-share", str(cell.write_share), "--option", str(cell.option)]
    line += ["--patience-ms", str(int(1000 * PATIENCE_S / 2)), "--seed", str(seed)]
    return line + (["--read"] if cell.read else [])


def turns_ns(result: dict[str, Any]) -> list[float]:
    """Return the time of a turn of private work on each thread of a trial, in ns."""
    return [float(tally["turn_ns"]) for tally in result["tallies"]]


def _run(line: Sequence[str]) -> tuple[dict[str, Any] | None, str | None]:
    """Return what a trial printed, and why there is nothing."""
    try:
        ended = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return None, f"did not end within {PATIENCE_S:g} s"
    except OSError as error:
        return None, str(error)
    if ended.returncode != 0:
        reason = ended.stderr.strip().splitlines()[-1:] or [f"exit status {ended.returncode}"]
        return None, reason[0]
    return json.loads(ended.stdout), None
