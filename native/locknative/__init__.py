"""LockLab's locks in C, on real cores.

>>> import locknative
>>> locknative.validate("ticket", threads=2).correct  # doctest: +SKIP
True

:mod:`locknative.urcu` binds liburcu, where it was found at build time (:data:`has_urcu`).
"""

from importlib.util import find_spec

from locknative.benchmark.measurement import BenchCell, Measurement, Trial
from locknative.benchmark.meter import meter_rows
from locknative.benchmark.runner import Stopping, bench
from locknative.benchmark.storage import load, save
from locknative.benchmark.validation import ExclusionError, Validation, validate
from locknative.compilation.executable import kernels, locks
from locknative.errors import NativeError, StuckError
from locknative.host.provenance import Provenance

has_urcu = find_spec("locknative._urcu_memb") is not None

__all__ = [
    "BenchCell",
    "ExclusionError",
    "Measurement",
    "NativeError",
    "Provenance",
    "Stopping",
    "StuckError",
    "Trial",
    "Validation",
    "bench",
    "has_urcu",
    "kernels",
    "load",
    "locks",
    "meter_rows",
    "save",
    "validate",
]
