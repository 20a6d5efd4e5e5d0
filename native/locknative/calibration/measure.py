"""Probe cells on this machine, with the executable that was built with the package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from locknative.compilation import executable
from locknative.errors import NativeError
from locknative.survey import folder as folders
from locknative.survey import topology
from locknative.survey.cells import Cell
from locknative.survey.collect import Plan, collect

LEAST_GOOD = 3
"""Good trials below which a cell's median means little."""


def collect_here(
    cells: Sequence[Cell],
    folder: Path,
    plan: Plan,
    report: Callable[[str, float], None] = lambda text, fraction: None,
) -> None:
    """Measure cells on this machine and keep the trials in a folder.

    Args:
        cells, folder, plan: as for :func:`locknative.survey.collect.collect`.
        report: called with what is running and the fraction done.

    Raises:
        NativeError: the executable is not built, or the machine is too busy: a cell did not get
            three good trials in time.
    """
    cpus = topology.read()
    good = collect(executable.path(), cells, folder, cpus, plan, plan.progress(report))
    short = [cell for cell, n in good.items() if n < min(LEAST_GOOD, plan.wanted)]
    if short:
        where = f"{short[0].kernel} on CPUs {', '.join(map(str, short[0].cpus))}"
        raise NativeError(
            f"{len(short)} of {len(good)} cells have fewer than {LEAST_GOOD} good trials, for "
            f"example {where}\n{folders.rejections(folder)}\nhelp: measure when the machine is "
            f"idle, allow more time (--max-time), or use shorter trials (--duration "
            f"{max(1, plan.trial_ms // 4)}ms)"
        )
