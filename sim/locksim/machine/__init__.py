"""Machines: what the engines charge for memory operations, and where each quantity comes from.

A machine is a TOML profile under ``profiles/`` (or one of the synthetic ``ideal-N``): topology,
coherence protocol and costs, each cost with its unit, source and role. Locks have no cost here;
what a lock costs follows from the operations that it does.

>>> load("ideal-4").tables(4).n_cpus
4

The engines read only :class:`MachineTables`. Profiles come with the first use of one: the checker
needs none of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from locksim.machine.errors import MachineError
from locksim.machine.tables import MachineTables, Placement

if TYPE_CHECKING:
    from locksim.machine.caches import CacheLevel, Caches
    from locksim.machine.catalogue import load, names
    from locksim.machine.profile import ExpectedError, Machine, Origin, Protocol
    from locksim.machine.quantities import Parameter, Quantity, Role
    from locksim.machine.topology import Topology

__all__ = [
    "CacheLevel",
    "Caches",
    "ExpectedError",
    "Machine",
    "MachineError",
    "MachineTables",
    "Origin",
    "Parameter",
    "Placement",
    "Protocol",
    "Quantity",
    "Role",
    "Topology",
    "load",
    "names",
]

_WHERE = {
    "caches": ("CacheLevel", "Caches"),
    "catalogue": ("load", "names"),
    "profile": ("ExpectedError", "Machine", "Origin", "Protocol"),
    "quantities": ("Parameter", "Quantity", "Role"),
    "topology": ("Topology",),
}


def __getattr__(name: str) -> Any:
    for module, held in _WHERE.items():
        if name in held:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
