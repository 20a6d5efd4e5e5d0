"""Sweeps: many runs over locks, machines, loads, CPUs and costs, kept in a dataset.

A *point* is a mapping of factors to values (:mod:`design`); a *run* is one replication of a point
with one seed. :mod:`identity` gives each point a digest of everything that determines its runs.
:mod:`dataset` keeps the finished runs; what it has is never run again. :mod:`workers` runs the
others, in processes or on a Dask cluster. :mod:`drive` leads: it asks for runs until each point has
enough, and is the only one that writes.
"""

from __future__ import annotations

from locksim.study.sweep.dataset import Dataset, DatasetError
from locksim.study.sweep.design import Design, DesignError, latin_hypercube, read_points
from locksim.study.sweep.drive import Goal, Outcome, Sweep, product, sweep
from locksim.study.sweep.workers import on_cluster, on_this_machine

__all__ = [
    "Dataset",
    "DatasetError",
    "Design",
    "DesignError",
    "Goal",
    "Outcome",
    "Sweep",
    "latin_hypercube",
    "on_cluster",
    "on_this_machine",
    "product",
    "read_points",
    "sweep",
]
