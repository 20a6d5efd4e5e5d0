"""LockLab's locks in C, on real cores.

>>> import locknative
>>> locknative.validate("ticket", threads=2).correct  # doctest: +SKIP
True

:mod:`locknative.urcu` binds liburcu, where it was found at build time (:data:`has_urcu`).
"""

from importlib.util import find_spec

from locknative.errors import ExclusionError, NativeError, StuckError
from locknative.measurement import Cell, Experiment, Trial
from locknative.measure import kernels, locks, throughput, validate
from locknative.meter import meter_rows
from locknative.provenance import Provenance
from locknative.results import Throughput, Validation
from locknative.runner import Stopping, bench
from locknative.storage import load, save

has_urcu = find_spec("locknative._urcu_memb") is not None

__all__ = [
    "Cell",
    "ExclusionError",
    "Experiment",
    "NativeError",
    "Provenance",
    "Stopping",
    "StuckError",
    "Throughput",
    "Trial",
    "Validation",
    "bench",
    "has_urcu",
    "kernels",
    "load",
    "locks",
    "meter_rows",
    "save",
    "throughput",
    "validate",
]
