"""A run's report in the field's formats, as ``locklab run --report`` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lockui.document import plain
from lockui.errors import UsageError

if TYPE_CHECKING:
    from locksim.lang.struct import Workload
    from locksim.machine import Machine
    from locksim.study.simulation import Placement, Simulation

#: Covered by all replications; the others need the callers.
TABLES = ("lockmeter", "lock_stat", "perf")
FORMATS = (*TABLES, "lockmeter-callers", "kernprof", "callgraph", "awr")
#: Units of work per CPU before and in the window; few, since the reference engine is slow.
_WARMUP, _OPERATIONS = 10, 40


def check_format(name: str | None) -> None:
    """Refuse an unknown format.

    Raises:
        UsageError: the format is unknown.
    """
    if name is not None and name not in FORMATS:
        raise UsageError(f"--report {name}: unknown format; choose {', '.join(FORMATS)}")


def report_text(
    name: str,
    result: Simulation,
    workload: Workload,
    machine: Machine,
    placement: Placement,
    seed: int,
) -> str:
    """Return a report's text.

    The formats in ``TABLES`` cover all replications of the simulation. The others need the callers,
    so a short window is run again in the reference engine.

    Arguments:
        name: one of ``FORMATS``. result: the simulation.
        workload, machine, placement, seed: those of the simulation.
    """
    from locksim.study.reports import awr, calls, kernprof, lockmeter
    from locksim.study.reports.formats import WRITERS
    from locksim.study.reports.table import of_meter

    if name in TABLES:
        window_ps = sum(r.window_ps for r in result.replications)
        return WRITERS[name](
            of_meter(
                plain(result.meters()),
                source="simulated",
                cpus=result.cpus,
                window_ns=window_ps / 1e3,
                system=f"LockLab on {result.machine}",
            )
        )
    operation_ps = round(result.operation_ps().mean)
    profile = calls.profile_calls(
        workload,
        machine=machine,
        cpus=result.cpus,
        placement=placement,
        seed=seed,
        warmup_ps=_WARMUP * operation_ps,
        window_ps=_OPERATIONS * operation_ps,
    )
    match name:
        case "lockmeter-callers":
            return lockmeter.text(profile.locks)
        case "kernprof":
            return kernprof.flat(profile)
        case "callgraph":
            return kernprof.call_graph(profile)
    return awr.text(awr.shares(profile))
