"""Predictions of loops that the calibration has not seen, beside the measured times.

The simulator gets the calibrated machine and the loop, nothing else. Beside it stand the analytic
models (:mod:`locksim.study.analytic`) on the same points. They get more: the machine's transfer,
and for each kernel and mix the measured time of one CPU alone, since they cannot know a lock's
cost. The Universal Scalability Law is fitted to every other CPU count of the measured curve and
judged on the rest. It needs twice as many counts as the fit does, so small machines have no such
column.

All models are judged on the points with two or more CPUs, by the time from one operation to the
next. Beside the simulator's error stands the one to expect: the geometric mean of two. One is what
the profile states, times the point's exposure (:mod:`locknative.calibration.expected`). It knows
this machine, but rests on a few loops, and on a busy machine it was half of the error that was
found (docs/use/calibration.md). The other is the mean error that the band of the model implies
(:mod:`locksim.study.model_error`). It knows which locks are hard to predict, but no machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from locknative.calibration.expected import exposure
from locknative.calibration.fit import FITTED_LOCKS
from locknative.calibration.loops import loop_ns, reading_ns, simulated
from locknative.calibration.readings import APART, Reading
from locknative.errors import NativeError
from locknative.survey.cells import Cell
from locksim.machine import Machine
from locksim.papers.factors import Factor, of_pairs
from locksim.study.bands import Effect
from locksim.study.discrepancy import HALF_80
from locksim.study.model_error import model_effect

if TYPE_CHECKING:
    import pandas as pd

MODELS = ("simulated", "mva", "markov", "usl")


def predict(
    readings: Mapping[Cell, Reading],
    machine: Machine,
    report: Callable[[str, float], None] = lambda text, fraction: None,
) -> pd.DataFrame:
    """Return one row for each measured point that the simulator has a loop for.

    Args:
        readings: as :func:`locknative.calibration.readings.read` gives them.
        machine: a calibrated profile.
        report: called with what is running and the fraction done.

    Returns:
        Columns ``kernel, loop, threads, cpus, read, hold, think, write_share`` (the cell),
        ``measured_ns, low_ns, high_ns, trials``, ``simulated_ns``, ``band_low_ns, band_high_ns``
        (the error of the model, :mod:`locksim.study.model_error`), ``mva_ns, markov_ns, usl_ns``
        (NaN where a model has no value), ``expected``, the error to expect, as a fraction, and
        ``fitted``: whether the calibration has seen the point.

    Raises:
        NativeError: the machine was not calibrated, or there is nothing to predict.
    """
    import pandas as pd

    if machine.origin is None:
        raise NativeError(
            f"{machine.name} is not a calibrated machine: make one with 'locklab machine calibrate'"
        )
    cells = [cell for cell in readings if _simulated(cell)]
    if not cells:
        raise NativeError("no lock was measured: run 'locklab native survey' without --only probes")
    expected = machine.origin.expected_error
    turn_ns = machine.origin.turn_ns
    rows = []
    for i, cell in enumerate(sorted(cells)):
        report(f"{cell.kernel}, {cell.threads} CPUs", i / len(cells))
        place = [machine.origin.cpus.index(cpu) for cpu in cell.cpus]
        low, high = readings[cell].interval_ns
        analytic = _analytic(cell, readings, machine)
        run, load = simulated(
            cell, machine, turn_ns, loop_ns=loop_ns(cell, readings), placement=place
        )
        simulated_ns = 1e9 / run.throughput().mean
        band = model_effect(run, load, simulated_ns, rate=False)
        rows.append(
            {
                **cell._asdict(),
                "threads": cell.threads,
                "measured_ns": readings[cell].value_ns,
                "low_ns": low,
                "high_ns": high,
                "trials": len(readings[cell].trials),
                "simulated_ns": simulated_ns,
                "band_low_ns": band.low,
                "band_high_ns": band.high,
                "mva_ns": analytic[0],
                "markov_ns": analytic[1],
                "usl_ns": _usl(cell, readings),
                "expected": _expected(
                    band,
                    None
                    if expected is None
                    else expected.value * exposure(cell, simulated_ns, turn_ns),
                ),
                "fitted": cell.kernel in FITTED_LOCKS
                and cell.threads == 2
                and cell.loop == "throughput",
            }
        )
    return pd.DataFrame(rows)


def errors(table: pd.DataFrame) -> pd.DataFrame:
    """Return each model's mean absolute relative error, by kernel and over all (``all kernels``).

    Only points with several CPUs that the calibration has not seen count. They are the same for all
    models: those where one CPU alone was measured too, which the queue and the chain need. The
    fitted law has fewer, since it is fitted to half the points.

    Returns:
        Rows: kernels. Columns: ``points``, one a model and ``expected``, as fractions; NaN where
        there is none.
    """
    import pandas as pd

    judged = _judged(table)
    rows = []
    groups = [*judged.groupby("kernel"), ("all kernels", judged)]
    for kernel, group in groups:
        row: dict[str, object] = {"kernel": kernel, "points": len(group)}
        for model in MODELS:
            off = (group[f"{model}_ns"] / group["measured_ns"] - 1).abs()
            row[model] = float(off.mean()) if off.notna().any() else math.nan
        row["expected"] = float(group["expected"].mean())
        rows.append(row)
    return pd.DataFrame(rows)


def factors(table: pd.DataFrame) -> list[Factor]:
    """Return each model's geometric mean of max(p/m, m/p), over the points of :func:`errors`."""
    judged = _judged(table)
    return of_pairs(
        {
            model: [*judged[[f"{model}_ns", "measured_ns"]].dropna().itertuples(index=False)]
            for model in MODELS
        }
    )


def other_state(readings: Mapping[Cell, Reading], machine: Machine) -> str | None:
    """Return in words that the machine was not in the state of the profile; None if it was.

    Args:
        readings: of the survey. machine: the calibrated profile.
    """
    origin = machine.origin
    assert origin is not None
    cells = [c for c in readings if c.kernel == "handoff_cas" and set(c.cpus) <= {*origin.cpus}]
    sentinel = max(cells, key=lambda c: len(readings[c].trials), default=None)
    for cell in [sentinel] if sentinel else []:
        place = [origin.cpus.index(cpu) for cpu in cell.cpus]
        profile_ns = reading_ns(cell, machine, origin.turn_ns, placement=place)
        measured_ns = readings[cell].value_ns
        if not 1 / APART < measured_ns / profile_ns < APART:
            return (
                f"the handoff between CPUs {', '.join(map(str, cell.cpus))} took {measured_ns:.1f} "
                f"ns in this survey and {profile_ns:.1f} ns when {machine.name} was calibrated: "
                "the machine has changed its state; calibrate from this survey"
            )
    return None


def _expected(band: Effect, stated: float | None) -> float:
    """Return the mean error to expect of a time.

    Args:
        band: 80 % of the errors of the model lie in it. stated: by the calibration, if it does.
    """
    deviation = math.log(band.high / band.low) / 2 / HALF_80
    learned = math.expm1(math.sqrt(2 / math.pi) * deviation)
    return learned if stated is None else math.sqrt(learned * stated)


def _judged(table: pd.DataFrame) -> pd.DataFrame:
    return table[(table["threads"] > 1) & ~table["fitted"] & table["mva_ns"].notna()]


def _simulated(cell: Cell) -> bool:
    """Whether the simulator has the cell's loop."""
    from locksim.library.registry import entries

    if cell.loop not in ("throughput", "latency"):
        return False
    if cell.kernel.startswith("avc_"):
        return cell.kernel in {entry.name for entry in entries()}
    return cell.kernel in {entry.name for entry in entries() if entry.kind == "lock"}


def _analytic(
    cell: Cell, readings: Mapping[Cell, Reading], machine: Machine
) -> tuple[float, float]:
    """Return the times of the queue and the chain, given that of one CPU alone."""
    from locksim.study.analytic import machine_repairman, ticket_lock

    assert machine.origin is not None
    alone = readings.get(cell._replace(cpus=cell.cpus[:1]))
    if alone is None:
        return math.nan, math.nan
    think_ns = min(cell.think * machine.origin.turn_ns, 0.99 * alone.value_ns)
    hold_ns = alone.value_ns - think_ns
    transfer_ns = machine.cost_ps()["transfer.node"] / 1000
    queue = machine_repairman(
        cell.threads, service_ns=hold_ns + transfer_ns * (cell.threads > 1), think_ns=think_ns
    )
    chain = ticket_lock(
        cell.threads, serial_ns=hold_ns, parallel_ns=think_ns, transfer_ns=transfer_ns
    )
    return 1e9 / queue.per_second, 1e9 / chain.per_second


def _usl(cell: Cell, readings: Mapping[Cell, Reading]) -> float:
    """Return the time by the law, if it is fitted to the points beside this one."""
    from locksim.study.analytic import fit
    from locksim.study.analytic.usl import MIN_POINTS

    curve = {
        other.threads: reading
        for other, reading in readings.items()
        if other._replace(cpus=()) == cell._replace(cpus=())
    }
    counts = sorted(curve)
    seen = counts[::2]
    if len(seen) < MIN_POINTS or cell.threads in seen:
        return math.nan
    found = fit(seen, [1e9 / curve[n].value_ns for n in seen])
    return float(1e9 / found.law.per_second([cell.threads])[0])
