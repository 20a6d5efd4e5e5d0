"""locksim: the lock language, the machines, the engines and the experiments of LockLab.

    from locksim import simulate
    from locksim.library.locks.ticket import TicketLock
    from locksim.library.workloads.critical_section import CriticalSection

    simulate(CriticalSection(lock=TicketLock), machine="desktop-4").summary()

Importing the package loads nothing else: the engines come with the first use of a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from locksim.kinds.checking import check_lock, sample_lock
    from locksim.machine import Machine
    from locksim.study.simulation import Simulation, simulate
    from locksim.study.sweep import sweep

__all__ = ["Machine", "Simulation", "check_lock", "sample_lock", "simulate", "sweep"]

_WHERE = {
    "Machine": "locksim.machine",
    "Simulation": "locksim.study.simulation",
    "check_lock": "locksim.kinds.checking",
    "sample_lock": "locksim.kinds.checking",
    "simulate": "locksim.study.simulation",
    "sweep": "locksim.study.sweep",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _WHERE:
        raise AttributeError(f"module 'locksim' has no attribute {name!r}")
    return getattr(importlib.import_module(_WHERE[name]), name)
