"""How far predictions are from measurements, as factors: the simulator beside formulas.

All get the same information: the machine's profile, the CPUs that take part, and the time of one
thread alone as the profile gives it. A formula has no operations, so it gets from the simulation of
one thread what it would otherwise be told: the time of an operation (hold) and of the work between
two (think). Its transfer is the mean over all pairs of CPUs that take part.

The Universal Scalability Law gets measured points instead: the lowest third of a curve, or every
third of its points. A fitted law is compared on points that neither fit has seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from locksim.machine import Machine
from locksim.study.analytic import fit, machine_repairman, ticket_lock
from locksim.study.analytic.usl import MIN_POINTS

if TYPE_CHECKING:
    from locksim.papers.experiment import Reproduction

HEADS = {
    "simulator": "simulator",
    "mva": "MVA",
    "markov": "chain",
    "usl_third": "USL low third",
    "usl_every_third": "USL each third",
}
"""Model → its name: the Boyd-Wickizer chain, and the law fitted to a curve's lowest third or to
every third point."""


@dataclass(frozen=True)
class Point:
    """One point of a curve, in ns from one operation to the next on one CPU.

    Arguments:
        row, cpus: the curve, the number of CPUs. measured: the published value.
        predicted: model → value; a law has none at the points of either fit, or if it cannot be
            fitted.
    """

    row: str
    cpus: int
    measured: float
    predicted: Mapping[str, float]


@dataclass(frozen=True)
class Factor:
    """A model's distance from some points: the geometric mean of max(p/m, m/p)."""

    model: str
    points: int
    mean: float
    worst: float


def formulas(
    machine: Machine, placement: Sequence[int], hold_ns: float, think_ns: float
) -> dict[str, float]:
    """Return MVA's and the Boyd-Wickizer chain's time from one operation to the next, in ns.

    Arguments:
        placement: the CPUs that take part. hold_ns, think_ns: of one thread alone.
    """
    n = len(placement)
    transfer_ns = mean_transfer_ns(machine, placement)
    queue = machine_repairman(n, service_ns=hold_ns + transfer_ns, think_ns=think_ns)
    chain = ticket_lock(n, serial_ns=hold_ns, parallel_ns=think_ns, transfer_ns=transfer_ns)
    return {"mva": n * 1e9 / queue.per_second, "markov": n * 1e9 / chain.per_second}


def mean_transfer_ns(machine: Machine, placement: Sequence[int]) -> float:
    """Return the mean transfer between two of the CPUs that take part, 0 for one CPU."""
    n = len(placement)
    if n == 1:
        return 0.0
    tables = machine.tables(n, placement)
    pairs = [tables.distance[a][b] for a in range(n) for b in range(a)]
    return sum(tables.transfer_ps[d] for d in pairs) / len(pairs) / 1e3


def laws(measured: Mapping[int, float]) -> dict[int, dict[str, float]]:
    """Return both fitted laws at the points that neither has seen; empty if one cannot be fitted.

    Arguments:
        measured: CPUs → ns from one operation to the next on one CPU.
    """
    counts = sorted(measured)
    seen = {"usl_third": counts[: math.ceil(len(counts) / 3)], "usl_every_third": counts[::3]}
    if min(map(len, seen.values())) < MIN_POINTS:
        return {}
    unseen = [n for n in counts if not any(n in points for points in seen.values())]
    found: dict[int, dict[str, float]] = {n: {} for n in unseen}
    for name, points in seen.items():
        law = fit(points, [n * 1e9 / measured[n] for n in points])
        for n, per_second in zip(unseen, law.per_second(unseen)[0], strict=True):
            found[n][name] = n * 1e9 / float(per_second)
    return found


def factors(points: Sequence[Point], *, unseen: bool = False) -> list[Factor]:
    """Return each model's factor over points with two or more CPUs.

    Arguments:
        unseen: only the points that no fitted law has seen; the laws have values there alone.
    """
    taken = [p for p in points if p.cpus > 1 and (not unseen or "usl_third" in p.predicted)]
    return of_pairs(
        {
            model: [(p.predicted[model], p.measured) for p in taken if model in p.predicted]
            for model in HEADS
            if unseen or not model.startswith("usl")
        }
    )


def of(result: Reproduction, *, unseen: bool = False) -> list[Factor]:
    """Return the factors of an experiment, over the points of datasets/README.md.

    These are its predicted cells that formulas have a value for; where formulas have none, all
    predicted cells but changes in per cent.

    Arguments:
        unseen: only points that no fitted law has seen, of the experiments that fit one.
    """
    if "factors" in result.extra:
        kept = result.extra["factors_unseen" if unseen else "factors"]
        return [Factor(**one) for one in kept]
    if unseen:
        return []
    judged = [
        one
        for one in result.extra.get("models", {}).get("cells", [])
        if one["role"] == "predicted" and one["corrected"] and one["model"] in HEADS
    ]
    pairs: dict[str, list[tuple[float, float]]] = {model: [] for model in HEADS}
    seen = {(one["row"], one["column"]): (one["simulated"], one["corrected"]) for one in judged}
    pairs["simulator"] = list(seen.values()) or [
        (cell.simulated, cell.corrected)
        for cell in result.cells
        if cell.role == "predicted" and cell.corrected and cell.column != "change"
    ]
    for one in judged:
        pairs[one["model"]].append((one["predicted"], one["corrected"]))
    return of_pairs(pairs)


def of_pairs(pairs: Mapping[str, Sequence[tuple[float, float]]]) -> list[Factor]:
    """Return the factor of each model that has (predicted, measured) values."""
    found = []
    for model, values in pairs.items():
        logs = [abs(math.log(p / m)) if p * m > 0 else math.inf for p, m in values]
        if logs:
            mean = math.exp(sum(logs) / len(logs))
            found.append(Factor(model, len(logs), mean, math.exp(max(logs))))
    return found
