"""Measure kernels: many short processes in random order, until the intervals are narrow enough.

:mod:`locknative.survey.trials` runs the trials; here is the rule that ends them. A cell needs no
more when ten trials were accepted and the interval of its median is narrow enough, or when it has
had its share of attempts.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from typing import Any, Literal

from locknative.benchmark.measurement import ENOUGH, BenchCell, Measurement, Tally, Trial, estimate
from locknative.benchmark.validation import validate
from locknative.compilation import emitted, executable
from locknative.compilation.emitted import CompiledLock
from locknative.compilation.executable import Clock, Kernel
from locknative.errors import NativeError, require, unknown
from locknative.host.placement import allowed, place
from locknative.host.provenance import Recorder
from locknative.survey import topology
from locknative.survey.speed import SpeedCheck
from locknative.survey.topology import Cpu
from locknative.survey.trials import Record, rounds, trial

Loop = Literal["throughput", "latency"]
Progress = Callable[[str, float], None]

#: An iteration of private work takes well below a ns: 32 bits of iterations last about a second.
MOST_TURNS = 2**32 - 1
LONGEST_TRIAL_MS = 3_600_000


@dataclass(frozen=True)
class Stopping:
    """When a cell has enough trials.

    ``precision`` is the relative half width of the median's 95 % interval. ``trials`` limits the
    attempts of one cell (rejected ones count), ``seconds`` the time of the whole measurement. A
    trial that has begun is finished.
    """

    precision: float = 0.02
    trials: int = 40
    seconds: float = 120.0


def bench(
    kernels: str | Sequence[str],
    threads: int | Sequence[int] = (1, 2),
    *,
    loop: Loop = "latency",
    hold_ns: float | Sequence[float] = 0.0,
    think_ns: float | Sequence[float] = 0.0,
    write_share: float | Sequence[float] = 1.0,
    placement: str | Sequence[int] = "compact",
    option: int = 0,
    duration_ms: int = 100,
    warmup_ms: int = 20,
    stopping: Stopping | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Measurement:
    """Measure kernels on real cores, in every combination of the sequences given.

    With the throughput loop the empty loop (``none``) is measured too, on the same CPUs.

    Args:
        kernels: names of :func:`locknative.kernels`; ``FILE.py:CLASS``, or ``emitted:NAME`` for a
            lock of the library, is printed as C, compiled and validated first.
        threads: how many, each on a CPU of its own.
        loop: ``"latency"`` (hold, think, waits, contention) or ``"throughput"`` (bare pairs; a
            structure's or a workload's operations).
        hold_ns: time inside a section. think_ns: between two sections. Both become iterations of
            private work, whose time is measured first.
        write_share: fraction of the sections that write; in a lock with one side all do. The
            throughput loop takes 0 (read side) or 1.
        placement: see :func:`locknative.host.placement.place`.
        option: of a data structure or workload; its source says what it means.
        duration_ms: measured time of a trial. warmup_ms: time before it, on the same state.
        stopping: precision and caps.
        seed: of the order and of the threads' dice; None: a random one. It is in the result.
        progress: called before each trial with its cell and the fraction done.

    Returns:
        A :class:`Measurement`. After Ctrl-C: the trials so far, if there are any, with ``complete``
        False.

    Raises:
        NativeError: an unknown kernel or loop, an impossible number or placement, no permission to
            pin. StuckError: a lock let no thread in.
    """
    stopping = stopping or Stopping()
    _check(stopping, duration_ms, warmup_ms)
    path, clock = executable.path(), executable.measure_clock()
    cpus = topology.read_all()
    names = _many(kernels)
    printed = emitted.compile_locks(
        [name for name in names if emitted.is_emitted(name)], max(_many(threads)), clock.turn_ns
    )
    grid = product(_many(threads), _many(hold_ns), _many(think_ns), _many(write_share))
    cells = _cells(names, printed, loop, list(grid), placement, option, clock, cpus)
    for lock in printed.values():
        validate(lock)
    pinned = sorted({cpu for cell in cells for cpu in cell.cpus})
    recorder = Recorder(pinned, *executable.read_build())
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    began, start_s = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    found: list[Trial] = []
    speed = SpeedCheck()

    def needs_more(index: int) -> bool:
        mine = [trial for trial in found if trial.cell == index]
        good = [trial.ns_per_operation for trial in mine if not trial.rejected]
        if len(mine) >= stopping.trials:
            return False
        return len(good) < ENOUGH or estimate(good).half_width > stopping.precision

    complete = True
    try:
        for index, dice in rounds(range(len(cells)), needs_more, random.Random(seed)):
            spent = (time.monotonic() - start_s) / stopping.seconds
            # Every cell gets one trial, however little time there is.
            if len(found) >= len(cells) and spent > 1:
                break
            cell = cells[index]
            if progress is not None:
                done = len(found) / (stopping.trials * len(cells))
                progress(cell.title, min(1.0, max(spent, done)))
            made = printed.get(cell.kernel)
            record = trial(
                path if made is None else made.program,
                cell.cell if made is None else cell.cell._replace(kernel=made.kernel),
                dice,
                speed,
                threads=cell.threads,
                duration_ms=duration_ms,
                warmup_ms=warmup_ms,
            )
            found.append(_trial_of(record, index, len(found), dice))
    except KeyboardInterrupt:
        if not found:
            raise
        complete = False
    return Measurement(
        began=began,
        seconds=time.monotonic() - start_s,
        seed=seed,
        precision=stopping.precision,
        duration_ms=duration_ms,
        warmup_ms=warmup_ms,
        cells=tuple(cells),
        trials=tuple(found),
        clock=clock,
        topology=tuple(cpus),
        provenance=recorder.finish(),
        complete=complete,
    )


def _trial_of(record: Record, cell: int, number: int, seed: int) -> Trial:
    """Return a record as a trial of a measurement."""
    began = datetime.fromtimestamp(record.at, UTC)
    return Trial(
        cell=cell,
        number=number,
        seed=seed,
        began=began.isoformat(timespec="milliseconds"),
        runnable=record.runnable,
        steal_ticks=record.steal_ticks,
        clock=Clock.model_validate(record.result["clock"]),
        tallies=tuple(Tally.model_validate(tally) for tally in record.result["tallies"]),
        rejected=record.rejected,
    )


def _cells(
    names: list[str],
    printed: Mapping[str, CompiledLock],
    loop: str,
    grid: Sequence[tuple[int, float, float, float]],
    placement: str | Sequence[int],
    option: int,
    clock: Clock,
    cpus: Sequence[Cpu],
) -> list[BenchCell]:
    """Return every combination once, in the order given; all of them can be run.

    ``grid`` holds threads, hold and think time in ns, and the share of writes.
    """
    known: dict[str, Kernel | CompiledLock] = {
        kernel.name: kernel for kernel in executable.kernels()
    }
    known |= printed
    if loop not in ("throughput", "latency"):
        raise unknown("timed loop", loop, ("throughput", "latency"))
    for name in names:
        if name not in known:
            raise unknown("kernel", name, known)
        if loop not in known[name].loops:
            has = ", ".join(known[name].loops) or "none"
            raise NativeError(f"kernel '{name}' has no loop '{loop}': it has {has}")
    if loop == "throughput" and any(known[name].kind == "lock" for name in names):
        if any(hold or think for _, hold, think, _ in grid):
            raise NativeError(
                "the loop 'throughput' has no hold and no think time: use the loop 'latency'"
            )
        names = [*names, "none"]
    usable = allowed()
    cells: dict[BenchCell, None] = {}
    for name, (n, hold, think, share) in product(names, grid):
        _check_mix(hold, think, share, loop)
        cell = BenchCell(
            kernel=name,
            loop=loop,
            threads=n,
            placement=placement if isinstance(placement, str) else "list",
            cpus=place(n, placement, cpus, usable),
            hold_ns=hold,
            think_ns=think,
            hold=_turns(hold, clock),
            think=_turns(think, clock),
            write_share=share if known[name].has_read else 1.0,
            option=option,
        )
        cells[cell] = None
    return list(cells)


def _turns(time_ns: float, clock: Clock) -> int:
    turns = round(time_ns / clock.turn_ns)
    most_ns = MOST_TURNS * clock.turn_ns
    require(turns <= MOST_TURNS, "hold or think time", f"at most {most_ns:.0f} ns", time_ns)
    return turns


def _check(stopping: Stopping, duration_ms: int, warmup_ms: int) -> None:
    require(0 < stopping.precision < 1, "precision", "between 0 and 1", stopping.precision)
    require(stopping.trials >= 1, "trials", "at least 1", stopping.trials)
    require(stopping.seconds > 0, "seconds", "above 0", stopping.seconds)
    for name, value, least in (("duration", duration_ms, 1), ("warm-up", warmup_ms, 0)):
        rule = f"from {least} to {LONGEST_TRIAL_MS:,} ms"
        require(least <= value <= LONGEST_TRIAL_MS, name, rule, value)


def _check_mix(hold_ns: float, think_ns: float, share: float, loop: str) -> None:
    require(hold_ns >= 0, "hold time", "at least 0 ns", hold_ns)
    require(think_ns >= 0, "think time", "at least 0 ns", think_ns)
    require(0 <= share <= 1, "write share", "a fraction from 0 to 1", share)
    rule = "0 (read side) or 1 in the throughput loop, since a mix needs the latency loop,"
    require(loop != "throughput" or share in (0, 1), "write share", rule, share)


def _many(value: Any) -> list[Any]:
    """Return a sequence as a list, anything else as a list of one."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
