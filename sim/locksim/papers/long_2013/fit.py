"""The fit of long-2013: five numbers, each from the cells that depend on it most.

1. ``read_ps`` from the share in spinlocks of the rows without writers (32 and 80 readers);
2. ``write_paths_percent`` from that share with 64 writers (32 and 80 readers);
3. ``log_paths_percent`` from redo at 8 and 32 readers with 64 writers; all three without the
   patches. ``log_ps`` goes with it, so that redo with the patches stays the input that it is;
4. ``latched_ps`` and ``sleep_percent`` from system time and spinlocks of 128 readers without
   writers, of both kernels.

2 and 3 depend on each other slightly, so they are repeated once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from locksim.papers.long_2013 import setting as long_2013
from locksim.papers.long_2013.setting import (
    Row,
    Work,
    mean,
    published,
    redo,
    runs,
    spinlock,
    system,
)

__all__ = ["fit", "fit_latched"]

PATH_PS = 11_000
"""Cost of a hundredth of a path to the log writer with the patches, taken from ``log_ps``."""


def fit(
    start: Work = long_2013.WORK, *, replications: int = 4, samples: int = 4000, rounds: int = 2
) -> Work:
    """Fit the five numbers; the defaults of ``long_2013.Work`` are the result.

    Arguments:
        start: the other numbers, and the initial values.
        replications, samples: of each run; the seeds are the same at every step.
        rounds: number of times that 2 and 3 run.
    """
    goal = {cell: value for cell, (_, value) in published().items()}

    def share(work: Work, row: Row, patch: str = "without") -> float:
        found = runs(row, patch, work=work, replications=replications, samples=samples)
        return mean(spinlock, found).mean

    def misfit(work: Work, rows: tuple[Row, ...]) -> float:
        return sum((share(work, r) - goal[*r, "spinlock", "without"]) ** 2 for r in rows)

    work = start
    work = _best(work, "read_ps", (550e6, 800e6), lambda w: misfit(w, ((32, 0), (80, 0))))
    for _ in range(rounds):
        work = _best(
            work,
            "write_paths_percent",
            (900, 1150),
            lambda w: misfit(w, ((32, 64), (80, 64))),
        )

        def logged(w: Work) -> float:
            off = 0.0
            for row in ((8, 64), (32, 64)):
                found = runs(row, "without", work=w, replications=replications, samples=samples)
                off += (mean(redo, found).mean - goal[*row, "redo", "without"]) ** 2
            return off

        whole = work.log_ps + PATH_PS * work.log_paths_percent
        work = _best(
            work,
            "log_paths_percent",
            (220, 400),
            lambda w, whole=whole, logged=logged: logged(_paid(w, whole)),  # type: ignore[misc]
        )
        work = _paid(work, whole)

    return fit_latched(work, replications=replications, samples=samples, rounds=rounds)


def fit_latched(work: Work, *, replications: int = 4, samples: int = 4000, rounds: int = 2) -> Work:
    """The fourth step alone: the two numbers of the rows with 128 readers."""
    goal = {cell: value for cell, (_, value) in published().items()}

    def latched(w: Work) -> float:
        errors = []
        for patch in long_2013.PATCHES:
            found = runs((128, 0), patch, work=w, replications=replications, samples=samples)
            for name, measure in (("spinlock", spinlock), ("system", system)):
                errors.append(math.log(mean(measure, found).mean / goal[128, 0, name, patch]))
        return sum(e * e for e in errors)

    for _ in range(rounds):
        work = _best(work, "sleep_percent", (10, 60), latched)
        work = _best(work, "latched_ps", (150e6, 400e6), latched)
    return work


def _paid(work: Work, whole_ps: int) -> Work:
    """The work with the same time of the log writer per record, for any number of paths."""
    return replace(work, log_ps=whole_ps - PATH_PS * work.log_paths_percent)


def _best(
    work: Work, name: str, bounds: tuple[float, float], misfit: Callable[[Work], float]
) -> Work:
    """The work with one number set to the least misfit, to about 2 %."""
    from scipy.optimize import minimize_scalar

    def at(value: float) -> Work:
        return replace(work, **{name: _round(value)})

    found = minimize_scalar(
        lambda x: misfit(at(x)),
        bounds=bounds,
        method="bounded",
        options={"xatol": (bounds[1] - bounds[0]) / 100, "maxiter": 15},
    )
    return at(found.x)


def _round(value: float) -> int:
    """Round to three digits."""
    unit = int(10 ** max(0, int(math.log10(value)) - 2))
    return round(value / unit) * unit
