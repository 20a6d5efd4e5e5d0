"""The points of a sweep that keeps no runs: simulated one after the other, each with its band."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from locksim.cli.options import cpus_of
from locksim.cli.sweep_runs import Curve
from lockui.arguments import bounded
from lockui.console import progress
from lockui.errors import UsageError
from lockui.quantities import Numbers

if TYPE_CHECKING:
    from locksim.kinds import PlainLoad
    from locksim.machine import Machine
    from locksim.study.bands import Band, Cause
    from locksim.study.simulation import Simulation


LONGER = (4, 16, 64)
"""Times the usual warm-up that a point gets, one after the other, while its caches fill."""


def points_of(machine: str, cpus: Numbers | None) -> tuple[Machine, list[int]]:
    """Return the machine and the CPU counts, checked against its number of CPUs."""
    from locksim import machine as machines
    from locksim.study.sweep.design import CPU_COUNTS

    profile = machines.load(machine)
    if cpus is None:
        return profile, [n for n in CPU_COUNTS if n <= profile.n_cpus]
    for n in cpus:
        bounded(n, "--cpus", 1, profile.n_cpus, on=profile.name)
    return profile, list(cpus)


def simulated_curve(
    plan: list[tuple[str, PlainLoad, int]],
    causes: list[Cause],
    *,
    machine: Machine,
    replications: int,
    **options: Any,
) -> Curve:
    """Simulate points with their bands; what ends them early keeps the finished ones.

    Arguments:
        plan: of each point the lock, its load and the number of CPUs.
        causes: of the bands; none: no bands. machine: the profile. replications: of each point.
        options: of :func:`locksim.study.simulation.simulate`, the same for all points.
    """
    from locksim.core.result import SimulationError
    from locksim.study.simulation import LONGEST_PS

    rows: list[dict[str, Any]] = []
    warm_up: list[str] = []
    found: dict[tuple[str, int], Band] = {}
    broken = {name: 0 for name, _, _ in plan}
    ended: BaseException | None = None
    with progress("sweep") as report:
        for i, (name, load, n) in enumerate(plan):
            report(f"{name} on {cpus_of(n)}", i / len(plan))
            longest_ps = load.livelock_limit_ps(n) or LONGEST_PS
            options |= {"cpus": n, "longest_ps": longest_ps}
            try:
                result, warmup = _warmed_up(
                    load, {"machine": machine, "replications": replications, **options}
                )
                if not result.complete:  # fewer replications than the other points have
                    raise KeyboardInterrupt
                band = _band(result, causes, load, options | warmup)
            except KeyboardInterrupt as interrupt:
                ended = interrupt
                break
            except SimulationError as error:
                ended = UsageError(f"{name} on {cpus_of(n)}: {error}")
                break
            if band is not None:
                found[name, n] = band
            if warmup:
                warm_up.append(_in_words(name, result, warmup["warmup"]))
            rows.append(_row(name, result) | ({} if band is None else band.columns()))
            broken[name] += result.violations()
    planned = [(name, n) for name, _, n in plan]
    return Curve(rows, broken, ended, planned=planned, bands=found, warm_up=warm_up)


def _warmed_up(load: PlainLoad, options: dict[str, Any]) -> tuple[Simulation, dict[str, int]]:
    """Return a run whose caches are full, and the warm-up that it needed; empty: the usual one."""
    from locksim.study.simulation import WARM_UP, simulate

    result = simulate(load.workload, **options)
    warmup = WARM_UP
    for longer in LONGER:
        if not result.warming:
            break
        warmup = longer * WARM_UP
        result = simulate(load.workload, warmup=warmup, **options)
    return result, {"warmup": warmup} if warmup > WARM_UP else {}


def _in_words(name: str, result: Simulation, warmup: int) -> str:
    """Return that a point had a longer warm-up, and whether it was enough."""
    still = "hit rates still rise at its end" if result.warming else "hit rates rose until then"
    return f"{name} on {cpus_of(result.cpus)}: warm-up of {warmup} units of work a CPU, {still}"


def _band(
    result: Simulation, causes: list[Cause], load: PlainLoad, options: dict[str, Any]
) -> Band | None:
    """Return the band of a point's throughput; None if nothing moves it."""
    from locksim.study.bands import bands as bands_of
    from locksim.study.model_error import model_effect
    from locksim.study.simulation import simulate

    def rate(run: Simulation) -> dict[str, float]:
        return {"per_second": run.throughput().mean}

    if not causes:
        return None
    first = replace(result, replications=result.replications[:1])
    return bands_of(
        causes,
        lambda on: rate(simulate(load.workload, machine=on, replications=1, **options)),
        rate(result),
        rate(first),
        {"per_second": [model_effect(result, load.workload, result.throughput().mean, rate=True)]},
    )["per_second"]


def _row(name: str, result: Simulation) -> dict[str, Any]:
    """Return a point of the curve."""
    rate = result.throughput()
    return {
        "lock": name,
        "cpus": result.cpus,
        "per_second": rate.mean,
        "low": rate.low,
        "high": rate.high,
        "ns_per_operation": result.operation_ps().mean / 1e3,
        "transactions": result.transactions().mean,
        "fairness": result.fairness().mean,
        **result.times(),
    }
