"""LockLab's locks in C, on real cores.

>>> import locknative
>>> locknative.validate("ticket", threads=2).correct  # doctest: +SKIP
True

:mod:`locknative.urcu` binds liburcu, where it was found at build time (:data:`has_urcu`).
"""

import warnings
from importlib.util import find_spec
from typing import Any

from locknative.benchmark.measurement import BenchCell, Measurement, Trial
from locknative.benchmark.meter import meter_rows
from locknative.benchmark.runner import Stopping, bench
from locknative.benchmark.storage import load, save
from locknative.errors import ExclusionError, NativeError, StuckError
from locknative.host.provenance import Provenance
from locknative.measure import kernels, locks, throughput, validate
from locknative.results import Throughput, Validation

has_urcu = find_spec("locknative._urcu_memb") is not None

__all__ = [
    "BenchCell",
    "ExclusionError",
    "Measurement",
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

_RENAMED = {"Cell": "BenchCell", "Experiment": "Measurement"}


def __getattr__(name: str) -> Any:
    """Find a class by the name that it had before, and say what to write."""
    if name not in _RENAMED:
        raise AttributeError(f"module 'locknative' has no attribute '{name}'")
    new = _RENAMED[name]
    warnings.warn(
        f"locknative.{name} is now locknative.{new}: write the new name",
        DeprecationWarning,
        stacklevel=2,
    )
    return globals()[new]
