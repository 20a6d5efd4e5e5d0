"""The loops of the native harness on a simulated machine: the reading of a cell there.

The simulated loop does the same operations in the same order. Iterations of private work become
picoseconds by the rate that ``own_spend`` measured. A reading is the time from one operation to the
next in ns, as in :func:`locknative.calibration.readings.value_ns`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from locknative.calibration.readings import Reading
from locknative.survey.cells import WHOLE, Cell

if TYPE_CHECKING:
    from locksim.lang import Workload
    from locksim.machine import Machine
    from locksim.study.simulation import Simulation

PROBES = (
    *("contended_add", "false_sharing", "handoff_cas", "handoff_store", "write_shared"),
    *("own_spend", "served_next"),
)
OPERATIONS = 400
"""Units of work a CPU that a simulated reading is taken over, after a quarter as warm-up."""


def loop_ns(cell: Cell, readings: Mapping[Cell, Reading]) -> float:
    """Return the time of the harness's own loop round a cell's sections, in ns.

    It is what the kernel ``none`` reads on one CPU without private work; 0 if it was not measured.
    """
    share = WHOLE if cell.loop == "latency" else 0
    alone = Cell("none", cell.cpus[:1], cell.loop, write_share=share)
    return readings[alone].value_ns if alone in readings else 0.0


def workload(cell: Cell, turn_ns: float, loop_ns: float = 0) -> Workload:
    """Return the simulated loop of a cell.

    Args:
        cell: a probe of :data:`PROBES`, a lock that the simulator has under the same name, in the
            loop ``throughput`` or ``latency``, or an access vector cache that is always asked for
            the same key.
        turn_ns: time of one iteration of private work.
        loop_ns: time of the loop round a section, charged where a section has only loads.

    Raises:
        UnknownNameError, LoadError: the simulator has no such lock, or no load for it.
    """
    from locksim.library import probes

    think_ps = round(1000 * turn_ns * cell.think)
    if cell.kernel in ("contended_add", "false_sharing", "write_shared"):
        name = "".join(part.title() for part in cell.kernel.split("_"))
        found: Workload = getattr(probes, name)(think_ps=think_ps)
        return found
    if cell.kernel == "handoff_cas":
        return probes.HandoffCas()
    if cell.kernel == "handoff_store":
        return probes.HandoffStore(pauses=int(cell.option != 0))
    if cell.kernel == "served_next":
        return probes.ServedNext(group=max(1, cell.option // 2), twice=cell.option % 2)
    if cell.kernel == "own_spend":
        return probes.OwnSpend(turn_ps=round(1000 * turn_ns))
    if cell.kernel.startswith("avc_"):
        return _avc(cell, think_ps)
    return _lock(cell, round(1000 * turn_ns * cell.hold), think_ps, round(1000 * loop_ns))


def simulated(
    cell: Cell,
    machine: Machine,
    turn_ns: float,
    *,
    loop_ns: float = 0,
    placement: Sequence[int] | None = None,
    operations: int = OPERATIONS,
    seed: int = 1,
) -> tuple[Simulation, Workload]:
    """Return the run of a cell on a simulated machine, and what ran.

    Args:
        cell, turn_ns, loop_ns: as for :func:`workload`.
        machine: the simulated machine.
        placement: the machine's CPU numbers, one a thread; by default ``compact``.
        operations: units of work a CPU to measure.
        seed: of the random streams.

    Raises:
        MachineError: the machine has fewer CPUs.
        UnknownNameError, LoadError: see :func:`workload`.
    """
    from locksim import simulate

    load = workload(cell, turn_ns, loop_ns)
    run = simulate(
        load,
        machine=machine,
        cpus=cell.threads,
        placement="compact" if placement is None else list(placement),
        operations=operations,
        warmup=operations // 4,
        replications=1,
        seed=seed,
    )
    return run, load


def reading_ns(cell: Cell, machine: Machine, turn_ns: float, **options: Any) -> float:
    """Return the reading of a cell on a simulated machine, in ns; all as for :func:`simulated`."""
    return 1e9 / simulated(cell, machine, turn_ns, **options)[0].throughput().mean


def _avc(cell: Cell, think_ps: int) -> Workload:
    from locksim.library.registry import resolve
    from locksim.library.workloads.avc_mix import AvcMix

    # As in native/structures/avc.h: one key, and the mark is stored where it is missing.
    cache: Any = resolve(cell.kernel).struct
    return AvcMix(
        n_keys=1, skew=0, updates_per_thousand=0, other_ps=think_ps, cache=cache(store_used=0)
    )


def _lock(cell: Cell, hold_ps: int, think_ps: int, loop_ps: int) -> Workload:
    from locksim.kinds import ArrivalProcess, LoadSettings, plain_load
    from locksim.lang.struct import SeqLock
    from locksim.library.probes import ReadLoop
    from locksim.library.workloads.blocking_readers import BlockingReaders

    if cell.loop == "throughput":
        reads = 100 if cell.read else 0
    else:
        reads = round(100 * (1 - cell.write_share / WHOLE))
    arrivals = ArrivalProcess(think_times="constant")
    settings = LoadSettings(hold_ps, think_ps, reads, words=0, arrivals=arrivals)
    load: Any = plain_load(cell.kernel, settings).workload
    # The native loop uses the waiting read side of a sequence lock, where there is one.
    if isinstance(load.lock, SeqLock) and hasattr(load.lock, "read_acquire"):
        return BlockingReaders(lock=load.lock, **load._params, blocking_percent=100)
    if isinstance(load.lock, SeqLock) and loop_ps:
        return ReadLoop(lock=load.lock, **load._params, loop_ps=loop_ps)
    found: Workload = load
    return found
