"""Machines: what the engines charge for memory operations, and where each quantity comes from.

A machine is a TOML profile under ``profiles/`` (or one of the synthetic ``ideal-N``): topology,
coherence protocol and costs, each cost with its unit, source and role. Locks have no cost here;
what a lock costs follows from the operations that it does.

>>> load("ideal-4").tables(4).n_cpus
4

The engines read only :class:`MachineTables`.
"""

from locksim.machine.caches import CacheLevel, Caches
from locksim.machine.errors import MachineError
from locksim.machine.load import load, names
from locksim.machine.profile import ExpectedError, Machine, Origin, Protocol
from locksim.machine.quantities import Parameter, Quantity, Role
from locksim.machine.tables import MachineTables, Placement
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
