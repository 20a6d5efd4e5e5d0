"""The command ``locklab-native``: where it is, and one trial in a process of its own.

What a trial finds is settled to a good part when its process starts, by where stack, state and
threads come to lie; so the process is the sampling unit. The command needs neither Python nor,
where the C library allows it, anything else, and may be carried to another machine.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from locknative import measure
from locknative.errors import NativeError, StuckError

# Exit statuses of harness/main.c.
_STUCK = 3
#: How long a trial waits for threads that do not come back, in s: on a busy machine a thread that
#: is pinned to one CPU was seen to wait 20 s for it.
PATIENCE_S = 60.0
# Beyond its own patience a process gets this long to start and to print, in s.
_GRACE_S = 60.0


class Clock(BaseModel):
    """The cheap clock of a trial, and what was measured with it.

    ``cost_ns`` is one reading of it, ``turn_ns`` one turn of private work; one acquisition in
    ``sample_every`` is timed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    ticks_per_ns: float
    cost_ns: float
    turn_ns: float
    sample_every: int


def path() -> Path:
    """Return where ``locklab-native`` lies.

    Raises:
        NativeError: it is not built.
    """
    file = Path(measure.extension_file()).with_name("locklab-native")
    if not file.exists():
        raise NativeError(f"{file} does not exist: build it with 'make setup'")
    return file


def clock() -> Clock:
    """Measure the clock and a turn of private work, in a process of its own (some 30 ms)."""
    return Clock.model_validate(_start(["clock"], _GRACE_S))


def trial(
    kernel: str,
    loop: str,
    *,
    threads: int,
    cpus: Sequence[int] = (),
    duration_ms: int = 100,
    warmup_ms: int = 20,
    read: bool = False,
    hold: int = 0,
    think: int = 0,
    write_share: int = 65536,
    option: int = 0,
    seed: int = 0,
    patience_s: float = PATIENCE_S,
    program: Path | None = None,
) -> dict[str, Any]:
    """Run one timed trial in a process of its own.

    Args:
        kernel: a name of :func:`locknative.kernels`, or one that ``program`` knows.
        loop: ``"throughput"`` or ``"latency"``.
        threads: how many.
        cpus: one a thread; none: not pinned.
        duration_ms: of the measured stretch. warmup_ms: of the one before it, on the same state.
        read: the throughput loop takes the read side.
        hold: turns of private work inside a section. think: between two sections.
        write_share: of 65536 sections, how many write, in the latency loop of a reader-writer lock.
        option: what a data structure or workload makes of it.
        seed: of the threads' dice.
        patience_s: how long to wait for threads that do not come back, in s.
        program: another build of ``locklab-native``; None: the one that was installed.

    Returns:
        What ``locklab-native run`` prints: per-thread tallies, with the latency loop histograms.

    Raises:
        StuckError: the threads did not come back.
        NativeError: the command refused, or could not start or pin a thread.
    """
    arguments = ["run", kernel, "--loop", loop, *(["--read"] if read else [])]
    numbers = {
        "threads": threads,
        "duration-ms": duration_ms,
        "warmup-ms": warmup_ms,
        "patience-ms": max(1, round(1000 * patience_s)),
        "hold": hold,
        "think": think,
        "write-share": write_share,
        "option": option,
        "seed": seed,
    }
    for name, number in numbers.items():
        arguments += [f"--{name}", str(number)]
    if cpus:
        arguments += ["--cpus", ",".join(map(str, cpus))]
    limit_s = (duration_ms + warmup_ms) / 1000 + 2 * patience_s + _GRACE_S
    try:
        return _start(arguments, limit_s, program)
    except _Stuck:
        raise StuckError(kernel, threads, patience_s) from None


class _Stuck(Exception):
    """The command said that its threads do not come back."""


def _start(arguments: list[str], limit_s: float, program: Path | None = None) -> dict[str, Any]:
    """Start the command and return the object that it prints."""
    command = [str(program or path()), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        raise _Stuck from None
    except OSError as error:
        raise NativeError(f"{command[0]} cannot be started: {error.strerror}") from error
    if done.returncode == _STUCK:
        raise _Stuck
    if done.returncode != 0:
        said = done.stderr.strip().removeprefix("error: ")
        raise NativeError(said or f"{' '.join(command)} ended with status {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
