"""How far off predictions on a calibrated machine are expected to be.

The expected error is the mean error of loops that were predicted without having been seen:

- every reading of the fits, left out and predicted by the costs that fit the others;
- loops of locks on two CPUs, one of each kind (:data:`CHECKED`), which no fit sees. The probes are
  not locks, and a lock does much that no probe does.

Private work takes the same time on both machines. So an error counts by its *exposure*: the share
of a loop's time that private work does not explain. The expected error is that of a loop without
any private work; a loop with exposure x is expected to be off by x times as much.

The 95 % interval comes from resampling these loops (:func:`scipy.stats.bootstrap`).

**Warnings.** One set of costs serves all readings of a fit. If it is too slow for one and too
quick for another, the machine does something that the simulated one does not (:func:`strained`).
Where there are no more readings than costs, they fit whatever the machine does, and the expected
error rests on the other loops alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from locknative.calibration.fit import Fit
from locknative.calibration.loops import loop_ns, reading_ns
from locknative.calibration.readings import Reading
from locknative.survey.cells import WHOLE, Cell
from locksim.machine import Machine
from lockui.numbers import significant

CHECKED = (
    ("tas", False),
    ("ticket", False),
    ("mcs", False),
    ("rwlock", False),
    ("rwlock", True),
    ("seqlock", True),
)
"""(lock, whether its read side) that check a calibration, one of each kind: all waiters write, all
read one word, each waits on its own word; readers and writers of a word, its readers, readers that
do not write."""
STRAIN = 1.25
"""Factor between the simulated over measured ratios of two readings that is worth a warning."""
ALONE_COUNTS = ("write_shared",)
"""Probes whose reading is that of one thread."""
MIN_LOOPS = 3
"""Fewer say nothing about an error."""

Pairs = Mapping[Cell, tuple[float, float]]
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Expected:
    """The expected error, and the loops that it comes from.

    Arguments:
        error, low, high: of a loop without private work, as a fraction, and its 95 % interval.
        left_out: readings of the fits, as measured and as predicted by the others, in ns.
        checked: loops of locks, as measured and as predicted, in ns.
    """

    error: float
    low: float
    high: float
    left_out: dict[Cell, tuple[float, float]]
    checked: dict[Cell, tuple[float, float]]


def check_cells(pair: tuple[int, ...]) -> list[Cell]:
    """Return the loops of locks that check a calibration, on two CPUs."""
    return [Cell(lock, pair, read=read) for lock, read in CHECKED]


def expected(
    fits: Iterable[Fit], readings: Mapping[Cell, Reading], machine: Machine
) -> Expected | None:
    """Return the expected error of a calibrated machine; None where too little was left out.

    Args:
        fits: what the machine was solved for with, with their readings left out.
        readings: all readings; those of :func:`check_cells` are predicted here.
        machine: the calibrated profile, with its origin.
    """
    origin = machine.origin
    assert origin is not None
    left_out = dict(chain.from_iterable(fit.left_out.items() for fit in fits))
    checked = {
        cell: (
            readings[cell].value_ns,
            reading_ns(
                cell,
                machine,
                origin.turn_ns,
                loop_ns=loop_ns(cell, readings),
                placement=[origin.cpus.index(cpu) for cpu in cell.cpus],
            ),
        )
        for cell in readings
        if cell.threads == 2 and cell in check_cells(cell.cpus)
    }
    pairs = {**left_out, **checked}
    if len(pairs) < MIN_LOOPS:
        return None
    error, low, high = mean_error(pairs, origin.turn_ns)
    return Expected(error, low, high, left_out, checked)


def mean_error(pairs: Pairs, turn_ns: float) -> tuple[float, float, float]:
    """Return the mean error at full exposure, and its 95 % interval, as fractions.

    Args:
        pairs: loops, as measured and as predicted, in ns.
        turn_ns: time of one iteration of private work.
    """
    from scipy.stats import bootstrap

    errors = np.array([abs(predicted / measured - 1) for measured, predicted in pairs.values()])
    shares = np.array([exposure(cell, ns, turn_ns) for cell, (_, ns) in pairs.items()])

    def ratio(errors: _Floats, shares: _Floats, axis: int = -1) -> _Floats:
        return np.asarray(errors.sum(axis) / shares.sum(axis))

    found = bootstrap(
        (errors, shares), ratio, paired=True, vectorized=True, method="percentile", rng=1
    ).confidence_interval
    return float(ratio(errors, shares)), float(found.low), float(found.high)


def exposure(cell: Cell, simulated_ns: float, turn_ns: float) -> float:
    """Return the share of a loop's time that private work does not explain, 0 to 1.

    Private work alone bounds the time from one operation to the next: N threads overlap theirs, but
    for what they do while they hold the lock for themselves.
    """
    writes = cell.write_share / WHOLE if cell.loop == "latency" else float(not cell.read)
    threads = 1 if cell.kernel in ALONE_COUNTS else cell.threads
    least_ns = turn_ns * max((cell.hold + cell.think) / threads, cell.hold * writes)
    return max(0.0, 1 - least_ns / simulated_ns)


def strained(fit: Fit) -> tuple[Cell, Cell] | None:
    """Return the readings for which a fit is too slow and too quick, if that is worth a warning."""
    ratios = {cell: simulated / measured for cell, (measured, simulated) in fit.cells.items()}
    slow, quick = max(ratios, key=ratios.__getitem__), min(ratios, key=ratios.__getitem__)
    return (slow, quick) if ratios[slow] > STRAIN * ratios[quick] else None


def warnings(fits: Sequence[Fit]) -> list[str]:
    """Return a sentence for each fit that nothing tests, or that cannot serve all its readings."""
    found = []
    for fit in fits:
        if len(fit.cells) <= len(fit.costs):
            found.append(
                f"{len(fit.cells)} readings for {len(fit.costs)} costs ({', '.join(fit.costs)}): "
                "none can be left out, so nothing tests this fit; measure more into the same folder"
            )
        pair = strained(fit)
        if pair is not None:
            texts = (_text(cell, *fit.cells[cell]) for cell in pair)
            found.append(
                f"{' and '.join(texts)}: no value of {', '.join(fit.costs)} gives both. "
                "The machine does something that the simulated one does not"
            )
    return found


def _text(cell: Cell, measured: float, simulated: float) -> str:
    mix = [f"{n} {v}" for n, v in (("think", cell.think), ("option", cell.option)) if v]
    name = f"{cell.kernel} ({', '.join(mix)})" if mix else cell.kernel
    return (
        f"{name} reads {significant(measured)} ns and is simulated as {significant(simulated)} ns"
    )
