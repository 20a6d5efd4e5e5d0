"""The command ``locklab-native``: what it can run, and one trial in a process of its own.

When a process starts, stack, state and threads get their places in memory. These move results by
more than the differences inside one process. So the process is the sampling unit.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from .cells import Cell
from .errors import NativeError, StuckError

WRONG, STUCK = 1, 3
"""Exit statuses of harness/main.c: the lock is wrong; threads did not return."""
PATIENCE_S = 60.0
"""How long a trial waits for threads that do not return, in s: on a busy machine a thread that is
pinned to one CPU was seen to wait 20 s for it."""
GRACE_S = 60.0
"""How long a process may take to start and to print, beyond its own patience, in s."""


def list_kernels(program: str | Path) -> list[dict[str, Any]]:
    """Return the kernels of an executable: ``name``, ``kind``, ``loops`` and ``read`` of each.

    Raises:
        NativeError: it cannot be run.
    """
    return [json.loads(line) for line in run(program, ["list"]).splitlines()]


def read_build(program: str | Path) -> dict[str, str]:
    """Return how the timed loops were built: ``compiler``, ``flags`` and ``urcu`` ("" without it).

    Raises:
        NativeError: the executable cannot be run.
    """
    build: dict[str, str] = run_trial(program, Cell("none", ()), threads=1, duration_ms=1)["build"]
    return build


def measure_clock(program: str | Path) -> dict[str, Any]:
    """Measure the clock and an iteration of private work, in a process of its own (some 30 ms).

    Raises:
        NativeError: the executable cannot be run.
    """
    clock: dict[str, Any] = json.loads(run(program, ["clock"]))
    return clock


def run_trial(
    program: str | Path,
    cell: Cell,
    *,
    threads: int | None = None,
    duration_ms: int = 100,
    warmup_ms: int = 20,
    iterations: int = 0,
    seed: int = 0,
    patience_s: float = PATIENCE_S,
    quiet_ns: float | None = None,
) -> dict[str, Any]:
    """Run one trial in a process of its own.

    Args:
        program: the path of ``locklab-native``.
        cell: what to run. Without CPUs its threads are not pinned.
        threads: how many; by default one for each of the cell's CPUs.
        duration_ms: the measured time. warmup_ms: the time before it, on the same state.
        iterations: of each thread, in place of a time: for the loop ``validate``.
        seed: of the threads' dice.
        patience_s: how long to wait for threads that do not return, in s.
        quiet_ns: begin when an iteration of private work takes no longer on any thread, in ns, or
            after a fifth of a second. For threads that have a CPU each.

    Returns:
        What ``locklab-native run`` prints: per-thread tallies, with the latency loop histograms.
        A lock that the loop ``validate`` found wrong is a result, not an error.

    Raises:
        StuckError: the threads did not return.
        NativeError: the command refused, or could not start or pin a thread.
    """
    threads = cell.threads if threads is None else threads
    numbers = {
        "threads": threads,
        **({"iterations": iterations} if iterations else {"duration-ms": duration_ms}),
        "warmup-ms": 0 if iterations else warmup_ms,
        "patience-ms": max(1, round(1000 * patience_s)),
        "hold": cell.hold,
        "think": cell.think,
        "write-share": cell.write_share,
        "option": cell.option,
        "seed": seed,
        **({} if quiet_ns is None else {"quiet-ps": round(1000 * quiet_ns)}),
    }
    arguments = ["run", cell.kernel, "--loop", cell.loop, *(["--read"] if cell.read else [])]
    for name, number in numbers.items():
        arguments += [f"--{name}", str(number)]
    if cell.cpus:
        arguments += ["--cpus", ",".join(map(str, cell.cpus))]
    limit_s = (duration_ms + warmup_ms) / 1000 + 2 * patience_s + GRACE_S
    stuck = StuckError(cell.kernel, threads, patience_s)
    good = (0, WRONG) if cell.loop == "validate" else (0,)
    result: dict[str, Any] = json.loads(
        run(program, arguments, limit_s=limit_s, stuck=stuck, good=good)
    )
    return result


def run(
    program: str | Path,
    arguments: Sequence[str],
    *,
    limit_s: float = GRACE_S,
    stuck: StuckError | None = None,
    good: Collection[int] = (0,),
) -> str:
    """Run the command and return what it prints.

    Args:
        program: the path of ``locklab-native``. arguments: for it.
        limit_s: how long it may take, in s.
        stuck: the error to raise when its threads do not return, or it takes longer.
        good: exit statuses that are not errors.

    Raises:
        StuckError: see above.
        NativeError: it cannot be started, or ends with another status.
    """
    command = [str(program), *arguments]
    late = stuck or NativeError(f"'{' '.join(command)}' did not end within {limit_s:g} s")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        raise late from None
    except OSError as error:
        raise NativeError(
            f"{program} cannot be run ({error.strerror}): give the path of locklab-native as built "
            "on a machine of this architecture"
        ) from error
    if done.returncode == STUCK:
        raise late
    if done.returncode not in good:
        last = (done.stderr.strip().splitlines() or [""])[-1].removeprefix("error: ")
        raise NativeError(last or f"'{' '.join(command)}' ended with status {done.returncode}")
    return done.stdout
