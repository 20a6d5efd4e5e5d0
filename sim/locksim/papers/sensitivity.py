"""How much a reproduction depends on a cost of its machine.

One cost at a time goes to the lower and the upper end of its range, with the same seeds: the data
of a tornado plot. Sobol indices let all costs vary at once over their ranges. They are the shares
of the response's variance: the first-order index that of one cost alone, the total index that of
the cost with all its interactions (Saltelli et al., Computer Physics Communications 181, 2010;
computed by SALib).

An experiment sets its inputs and its fitted costs of paths anew for every machine, as it does for
its own. So a swing is what remains after that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from locksim import machine as machines
from locksim.machine import Machine
from locksim.machine.quantities import PS_PER_NS
from locksim.papers.experiment import Experiment, ExperimentError, Progress, Reproduction
from locksim.study.bands import Cause, Range, bands, range_of, with_ns
from locksim.study.jobs import Runner
from lockui.plots import Axis, Bar, Bars, Plot, Words, made_by
from lockui.suggest import did_you_mean

__all__ = [
    "Index",
    "Sensitivity",
    "Swing",
    "saltelli",
    "sensitivity",
    "sobol_indices",
    "tornado",
    "with_bands",
]

MEAN_ERROR = "mean error"
"""The response where no cell is named: the mean error of the predicted cells, a fraction."""


@dataclass(frozen=True, slots=True)
class Swing:
    """The response at both ends of a cost's range.

    Arguments:
        range: the cost's. at_low, at_high: the response there.
        cell: the cell whose simulated value changes most, as "row, column".
        cell_low, cell_high: its change, a fraction of the value at the profile's own cost.
    """

    range: Range
    at_low: float
    at_high: float
    cell: str
    cell_low: float
    cell_high: float

    @property
    def width(self) -> float:
        """The difference of the responses."""
        return abs(self.at_high - self.at_low)


@dataclass(frozen=True, slots=True)
class Index:
    """Sobol indices of a cost, each with half of its 95 % interval (bootstrap)."""

    name: str
    first: float
    first_half: float
    total: float
    total_half: float


@dataclass(frozen=True)
class Sensitivity:
    """The swings of an experiment, the widest first.

    Arguments:
        experiment, machine: names. response: ``MEAN_ERROR``, or a cell. base: the response at the
            profile's own costs. indices: Sobol's, if asked for. runs: whole tables simulated.
    """

    experiment: str
    machine: str
    response: str
    base: float
    swings: list[Swing]
    indices: list[Index]
    runs: int


def sensitivity(
    experiment: Experiment,
    costs: Sequence[str],
    *,
    by: Mapping[str, float] | None = None,
    cell: str | None = None,
    samples: int = 0,
    run: Runner | None = None,
    progress: Progress = lambda text, fraction: None,
    **options: Any,
) -> Sensitivity:
    """Simulate an experiment with costs at both ends of their ranges.

    Arguments:
        experiment: such as ``papers.find("kaigai-2004")``.
        costs: names of its machine's costs, such as ``transfer.half``.
        by: a cost → half of its range, as a fraction of the cost. Other costs have the range that
            the profile gives, or else a tenth.
        cell: "row, column" of the cell to watch; by default the mean error of predicted cells.
        samples: of Sobol's sequence, a power of 2; 0 leaves the indices out. They take
            samples × (costs + 2) tables.
        run: the runner. progress: called with a text and the fraction done.
        options: of the experiment's plan, such as ``replications``.

    Raises:
        ExperimentError: a cost, a cell or a range cannot be used.
        MachineError: an end of a range makes no sound machine.
    """
    runner = run or Runner()
    base = experiment.plan(**options).run(runner, progress)
    profile = machines.load(base.machine)
    ranges = [_range(profile, name, (by or {}).get(name)) for name in costs]
    value = _response(base, cell)
    points = saltelli(ranges, samples) if samples else []
    ends = [{r.name: end} for r in ranges for end in (r.low, r.high)]
    tables = _tables(experiment, profile, ends, runner, progress, options)
    swings = [
        _swing(one, base, tables[2 * k], tables[2 * k + 1], cell) for k, one in enumerate(ranges)
    ]
    found = _tables(experiment, profile, points, runner, progress, options)
    responses = [_response(table, cell) for table in found]
    return Sensitivity(
        experiment.name,
        profile.name,
        cell or MEAN_ERROR,
        value,
        sorted(swings, key=lambda swing: -swing.width),
        sobol_indices(ranges, responses) if responses else [],
        1 + len(tables) + len(found),
    )


def with_bands(
    experiment: Experiment,
    result: Reproduction,
    causes: Sequence[Cause],
    *,
    run: Runner,
    progress: Progress = lambda text, fraction: None,
    **options: Any,
) -> Reproduction:
    """A reproduction whose cells have bands.

    Arguments:
        experiment: what was reproduced. result: its table.
        causes: of :mod:`locksim.study.bands`, on its machine; without any the result is as it was.
        run: the runner. progress: called with a text and the fraction done.
        options: of the experiment's plan, as they were; each table here has one replication.

    Raises:
        KeyboardInterrupt: not all tables were finished.
    """
    if not causes:
        return result
    machine = machines.load(result.machine)
    all_ = [machine, *(one for cause in causes for one in cause.machines)]
    once = {**options, "replications": 1}
    base, *moved = (
        {(c.row, c.column): c.simulated for c in table.cells}
        for table in _simulated(experiment, all_, run, progress, once)
    )
    tables = iter(moved)
    values = {(c.row, c.column): c.simulated for c in result.cells}
    found = bands(causes, lambda _: next(tables), values, base)
    cells = [replace(c, band=found[c.row, c.column]) for c in result.cells]
    return replace(result, cells=cells)


def tornado(found: Sensitivity, caption: str) -> Plot:
    """Return the tornado plot: how far the response moves at both ends of each range.

    Arguments:
        found: the swings. caption: where they come from.
    """
    share = found.response == MEAN_ERROR
    scale, what = (100.0, "mean error [percentage points]") if share else (1.0, found.response)
    bars = [
        Bar(f"{swing.range.name} = {end:.4g} ns", (at - found.base) * scale)
        for swing in found.swings
        for end, at in ((swing.range.low, swing.at_low), (swing.range.high, swing.at_high))
    ]
    title = f"{found.experiment}: change with costs of {found.machine}"
    panel = Bars(bars, Axis(f"change of {what}", log=False))
    return Plot(title, [panel], f"{caption} {made_by()}", Words(line="cost"))


def saltelli(ranges: Sequence[Range], samples: int) -> list[dict[str, float]]:
    """Points for the indices: Saltelli's scheme over Sobol's sequence.

    Raises:
        ExperimentError: ``samples`` is not a power of 2, which the sequence needs.
    """
    from SALib.sample import sobol as sampler

    if samples & (samples - 1):
        raise ExperimentError(f"--samples {samples}: write a power of 2, such as 16")
    rows = sampler.sample(_problem(ranges), samples, calc_second_order=False, seed=1)
    return [{r.name: float(x) for r, x in zip(ranges, row, strict=True)} for row in rows]


def sobol_indices(ranges: Sequence[Range], responses: Sequence[float]) -> list[Index]:
    """The indices, from the responses at the points of :func:`saltelli`.

    Raises:
        ExperimentError: the response is the same everywhere.
    """
    import numpy as np
    from SALib.analyze import sobol as analysis

    values = np.array(responses)
    if not np.ptp(values):
        raise ExperimentError(
            "the response does not change with the costs, so there are no Sobol indices"
        )
    found = analysis.analyze(_problem(ranges), values, calc_second_order=False, seed=1)
    columns = zip(*(found[key] for key in ("S1", "S1_conf", "ST", "ST_conf")), strict=True)
    return [Index(r.name, *map(float, column)) for r, column in zip(ranges, columns, strict=True)]


def _problem(ranges: Sequence[Range]) -> dict[str, Any]:
    names, bounds = [r.name for r in ranges], [[r.low, r.high] for r in ranges]
    return {"num_vars": len(ranges), "names": names, "bounds": bounds}


def _range(profile: Machine, name: str, by: float | None) -> Range:
    """A cost's range: its value more and less by a fraction, or the profile's own."""
    known = {p.name: p for p in profile.parameters() if not p.name.startswith("cache.")}
    if name not in known:
        raise ExperimentError(
            f"{profile.name} has no cost {name!r}; {did_you_mean(name, known)}\n"
            "help: only costs of the machine can be varied; the experiment has its own inputs "
            "from the published table"
        )
    value = profile.cost_ps()[name] / PS_PER_NS
    given = range_of(known[name], value)
    if given is not None and by is None:
        return given
    by = 0.1 if by is None else by
    if not value:
        raise ExperimentError(
            f"{name} is zero on {profile.name}, so ±{by:.0%} gives no range: leave it out"
        )
    return Range(name, value, value * (1 - by), value * (1 + by), f"±{by:.0%}")


def _tables(
    experiment: Experiment,
    profile: Machine,
    points: Sequence[Mapping[str, float]],
    runner: Runner,
    progress: Progress,
    options: Mapping[str, Any],
) -> list[Reproduction]:
    """The experiment with other costs, in ns, of its machine."""
    varied = [with_ns(profile, point) for point in points]
    tables = _simulated(experiment, varied, runner, progress, options)
    for point, table in zip(points, tables, strict=True):
        used = {p.name: p.value for p in table.parameters}
        ignored = [name for name, ns in point.items() if abs(used.get(name, 0.0) - ns) > 1e-3]
        if ignored:
            raise ExperimentError(
                f"{experiment.name} does not take {ignored[0]} from another machine; vary the "
                "experiments that it is made of"
            )
    return tables


def _simulated(
    experiment: Experiment,
    profiles: Sequence[Machine],
    runner: Runner,
    progress: Progress,
    options: Mapping[str, Any],
) -> list[Reproduction]:
    """The experiment on other machines."""
    plans = []
    for k, machine in enumerate(profiles):
        progress(f"preparing {k + 1} of {len(profiles)} tables", 0.0)
        plans.append(experiment.plan(machine=machine, **options))
    runner.start(job for plan in plans for job in plan.jobs.values())
    tables = [plan.run(runner, progress) for plan in plans]
    if not all(table.complete for table in tables):
        raise KeyboardInterrupt
    return tables


def _response(table: Reproduction, cell: str | None) -> float:
    if cell is not None:
        names = {f"{c.row}, {c.column}": c.simulated for c in table.cells}
        if cell not in names:
            raise ExperimentError(f"unknown cell {cell!r}; {did_you_mean(cell, names)}")
        return names[cell]
    error = table.summary()["mean_abs_error"]
    if error is None:
        raise ExperimentError(
            f"{table.experiment} has no predicted cells and so no mean error; name one cell: --only"
        )
    return float(error)


def _swing(
    one: Range, base: Reproduction, low: Reproduction, high: Reproduction, cell: str | None
) -> Swing:
    changes = [
        (
            f"{b.row}, {b.column}",
            below.simulated / b.simulated - 1,
            above.simulated / b.simulated - 1,
        )
        for b, below, above in zip(base.cells, low.cells, high.cells, strict=True)
        if b.simulated
    ]
    most = max(changes, key=lambda change: max(abs(change[1]), abs(change[2])))
    return Swing(one, _response(low, cell), _response(high, cell), *most)
