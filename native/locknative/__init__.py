"""LockLab's locks in C, on real cores.

>>> import locknative
>>> locknative.validate("ticket", threads=2).correct  # doctest: +SKIP
True

:mod:`locknative.urcu` binds liburcu, where it was found at build time (:data:`has_urcu`).
"""

from locknative.errors import ExclusionError, NativeError, StuckError
from locknative.measure import locks, throughput, validate
from locknative.provenance import Provenance
from locknative.results import Throughput, Validation

try:
    from locknative import _urcu  # noqa: F401

    has_urcu = True
except ImportError:
    has_urcu = False

__all__ = [
    "ExclusionError",
    "NativeError",
    "Provenance",
    "StuckError",
    "Throughput",
    "Validation",
    "has_urcu",
    "locks",
    "throughput",
    "validate",
]
