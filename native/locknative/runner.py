"""Run experiments: many short processes in random order, until the figures are narrow enough.

Trials run in rounds. A round has one trial of each cell that still needs some, in an order drawn
anew each time: what drifts on the machine (temperature, a neighbour's load) then hits all cells
alike. A cell needs no more when ten trials were accepted and the interval of its median is
narrow enough, or when it has had its share of attempts. One run at a time: two measurements on a
machine disturb each other.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from locknative import emitted, executable, measure, placement
from locknative.emitted import Prepared
from locknative.errors import NativeError, unknown
from locknative.executable import Clock
from locknative.measurement import ENOUGH, Cell, Experiment, Tally, Trial, estimate
from locknative.provenance import Recorder, runnable, steal_ticks
from locknative.survey.judge import disturbances
from locknative.survey.speed import Pace
from locknative.placement import place

if TYPE_CHECKING:
    from locknative._kernels import Kernel

Loop = Literal["throughput", "latency"]
Progress = Callable[[str, float], None]
T = TypeVar("T")

#: A turn of private work takes well below a ns: 32 bits of turns last about a second.
MOST_TURNS = 2**32 - 1
LONGEST_TRIAL_MS = 3_600_000


@dataclass(frozen=True)
class Stopping:
    """When a cell has had enough trials.

    ``precision`` is the relative half width of the median's 95 % interval, ``trials`` the most
    attempts of one cell (rejected ones count), ``seconds`` what the whole experiment may take. A
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
) -> Experiment:
    """Measure kernels on real cores, every combination of what is given as a sequence.

    With the throughput loop the empty loop (``none``) is measured besides, on the same CPUs.

    Args:
        kernels: names of :func:`locknative.kernels`; ``FILE.py:CLASS``, or ``emitted:NAME`` for a
            lock of the library, is printed as C, compiled and validated first.
        threads: how many, each on a CPU of its own.
        loop: ``"latency"`` (hold, think, waits, contention) or ``"throughput"`` (bare pairs; a
            structure's or a workload's operations).
        hold_ns: time inside a section. think_ns: between two sections. Both are turned into turns
            of private work, whose time is measured first.
        write_share: fraction of the sections that write; of a lock with one side all do. The
            throughput loop takes 0 (read side) or 1.
        placement: see :func:`locknative.placement.place`.
        option: what a data structure or workload makes of it.
        duration_ms: of a trial. warmup_ms: before it, on the same state.
        stopping: precision and caps.
        seed: of the order and of the threads' dice; None draws one. It is in the result.
        progress: called before each trial with what runs and the fraction done.

    Returns:
        An :class:`Experiment`. After Ctrl-C: what had been measured, with ``complete`` False, if
        anything had.

    Raises:
        NativeError: an unknown kernel or loop, an impossible number or placement, no permission to
            pin. StuckError: a lock let nobody in.
    """
    stopping = stopping or Stopping()
    _check(stopping, duration_ms, warmup_ms)
    clock = executable.clock()
    machine = placement.read()
    names = _many(kernels)
    printed = emitted.prepared(
        [name for name in names if emitted.is_emitted(name)], max(_many(threads)), clock.turn_ns
    )
    cells = _cells(
        names,
        printed,
        _many(threads),
        loop,
        _many(hold_ns),
        _many(think_ns),
        _many(write_share),
        placement,
        option,
        clock,
        machine,
    )
    for lock in printed.values():
        emitted.validate(lock)
    cpus = sorted({cpu for cell in cells for cpu in cell.cpus})
    recorder = Recorder(cpus, *measure.build())
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    began, start_s = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    trials: list[Trial] = []
    pace = Pace()
    complete = True
    try:
        for index, number, dice in _order(cells, trials, stopping, start_s, random.Random(seed)):
            if progress is not None:
                spent = (time.monotonic() - start_s) / stopping.seconds
                done = len(trials) / (stopping.trials * len(cells))
                progress(cells[index].title, min(1.0, max(spent, done)))
            trials.append(
                _trial(cells[index], printed, index, number, dice, duration_ms, warmup_ms, pace)
            )
    except KeyboardInterrupt:
        if not trials:
            raise
        complete = False
    return Experiment(
        began=began,
        seconds=time.monotonic() - start_s,
        seed=seed,
        precision=stopping.precision,
        duration_ms=duration_ms,
        warmup_ms=warmup_ms,
        cells=tuple(cells),
        trials=tuple(trials),
        clock=clock,
        topology=machine.cpus,
        provenance=recorder.finish(),
        complete=complete,
    )


def _order(
    cells: Sequence[Cell],
    trials: Sequence[Trial],
    stopping: Stopping,
    start_s: float,
    dice: random.Random,
) -> Iterable[tuple[int, int, int]]:
    """Yield cell, number and seed of each trial, looking at ``trials`` as they come in."""
    number = 0
    while needy := [i for i in range(len(cells)) if _needs_more(i, trials, stopping)]:
        dice.shuffle(needy)
        for index in needy:
            # Every cell gets one trial, however little time there is.
            if number >= len(cells) and time.monotonic() - start_s > stopping.seconds:
                return
            yield index, number, dice.randrange(2**32)
            number += 1


def _needs_more(cell: int, trials: Sequence[Trial], stopping: Stopping) -> bool:
    mine = [trial for trial in trials if trial.cell == cell]
    good = [trial.ns_per_operation for trial in mine if not trial.rejected]
    if len(mine) >= stopping.trials:
        return False
    return len(good) < ENOUGH or estimate(good).half_width > stopping.precision


def _trial(
    cell: Cell,
    printed: Mapping[str, Prepared],
    index: int,
    number: int,
    seed: int,
    duration_ms: int,
    warmup_ms: int,
    pace: Pace,
) -> Trial:
    """Run one trial, add it to the paces seen, and judge it."""
    lock = printed.get(cell.kernel)
    began = datetime.now(UTC).isoformat(timespec="milliseconds")
    others = runnable()
    steal = steal_ticks(cell.cpus)
    found = executable.trial(
        cell.kernel if lock is None else lock.kernel,
        cell.loop,
        threads=cell.threads,
        cpus=cell.cpus,
        duration_ms=duration_ms,
        warmup_ms=warmup_ms,
        read=cell.loop == "throughput" and cell.write_share == 0,
        hold=cell.hold,
        think=cell.think,
        write_share=round(65536 * cell.write_share),
        option=cell.option,
        seed=seed,
        program=None if lock is None else lock.program,
    )
    stolen = steal_ticks(cell.cpus) - steal
    tallies = tuple(Tally.model_validate(tally) for tally in found["tallies"])
    pace.add([tally.turn_ns for tally in tallies])
    return Trial(
        cell=index,
        number=number,
        seed=seed,
        began=began,
        runnable=others,
        steal_ticks=stolen,
        clock=Clock.model_validate(found["clock"]),
        tallies=tallies,
        rejected=disturbances(found["tallies"], stolen, pace, 1_000_000 * duration_ms),
    )


def _cells(
    names: list[str],
    printed: Mapping[str, Prepared],
    threads: list[int],
    loop: str,
    hold_ns: list[float],
    think_ns: list[float],
    write_share: list[float],
    placement: str | Sequence[int],
    option: int,
    clock: Clock,
    machine: placement.Topology,
) -> list[Cell]:
    """Return every combination once, in the order given; all of them can be run."""
    known: dict[str, Kernel | Prepared] = {kernel.name: kernel for kernel in measure.kernels()}
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
        if any(hold_ns) or any(think_ns):
            raise NativeError("the throughput loop times bare pairs: hold and think need 'latency'")
        names = [*names, "none"]
    allowed = measure.allowed()
    cells: dict[Cell, None] = {}
    for name, n, hold, think, share in product(names, threads, hold_ns, think_ns, write_share):
        _check_mix(hold, think, share, loop)
        cell = Cell(
            kernel=name,
            loop=loop,
            threads=n,
            placement=placement if isinstance(placement, str) else "list",
            cpus=place(n, placement, machine, allowed),
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
    if turns > MOST_TURNS:
        most_ns = MOST_TURNS * clock.turn_ns
        raise NativeError(f"{time_ns:g} ns of hold or think time: take at most {most_ns:.0f}")
    return turns


def _check(stopping: Stopping, duration_ms: int, warmup_ms: int) -> None:
    if not 0 < stopping.precision < 1:
        raise NativeError(f"a precision of {stopping.precision:g}: take one between 0 and 1")
    if stopping.trials < 1:
        raise NativeError(f"{stopping.trials} trials a cell: take at least 1")
    if not stopping.seconds > 0:
        raise NativeError(f"{stopping.seconds:g} s for the experiment: take more than 0")
    for name, value, least in (("duration", duration_ms, 1), ("warm-up", warmup_ms, 0)):
        if not least <= value <= LONGEST_TRIAL_MS:
            raise NativeError(
                f"a {name} of {value} ms: take one from {least} to {LONGEST_TRIAL_MS:,}"
            )


def _check_mix(hold_ns: float, think_ns: float, share: float, loop: str) -> None:
    if not (hold_ns >= 0 and think_ns >= 0):
        raise NativeError(f"hold {hold_ns:g} ns, think {think_ns:g} ns: neither may be negative")
    if not 0 <= share <= 1:
        raise NativeError(f"a write share of {share:g}: take a fraction from 0 to 1")
    if loop == "throughput" and share not in (0, 1):
        raise NativeError(
            f"a write share of {share:g}: the throughput loop takes 0 (read side) or 1; "
            "a mix needs the latency loop"
        )


def _many(value: Any) -> list[Any]:
    """Return a sequence as a list, anything else as a list of one."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
