"""The synthetic machines ``ideal-1`` to ``ideal-1024``: one node, every CPU equally far.

They show what a lock's algorithm does by itself, without the geography of a real machine. The
numbers are round, of the size that one socket of 2020 has; they claim no more.
"""

from __future__ import annotations

import re
from typing import Any

from locksim.machine.errors import MachineError
from locksim.machine.profile import Machine, parse
from locksim.machine.topology import MAX_CPUS

_COST_NS = {
    "l1_hit": 1,
    "store": 1,
    "rmw": 5,
    "fence": 5,
    "pause": 5,
    "tenure": 0,
    "jitter": 0,
    "invalidate_each": 0,
    "alloc": 20,
    "free": 20,
    "context_switch": 1000,
    "wake": 1000,
}
_TRANSFER_NS = 50
_MEMORY_NS = 100


def is_ideal(name: str) -> bool:
    """Tell whether ``name`` belongs to the family ``ideal-N``, whatever its N."""
    return re.fullmatch(r"ideal-(\d+|N)", name) is not None


def ideal(name: str) -> Machine:
    """Return the synthetic machine ``ideal-N``.

    Raises:
        MachineError: N is not a whole number from 1 to 1024.
    """
    digits = name.removeprefix("ideal-")
    cpus = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else 0
    if not 1 <= cpus <= MAX_CPUS or digits != str(cpus):
        raise MachineError(
            f"unknown machine '{name}'; the ideal ones are ideal-1 to ideal-{MAX_CPUS}, "
            "as in ideal-64"
        )
    cost: dict[str, Any] = {key: _figure(value) for key, value in _COST_NS.items()}
    cost["transfer"] = {"node": _figure(_TRANSFER_NS)}
    cost["memory"] = {"node": _figure(_MEMORY_NS)}
    cost["invalidate"] = {"node": _figure(_TRANSFER_NS)}
    return parse(
        {
            "schema": 1,
            "name": name,
            "title": f"Ideal machine, {cpus} CPU{'s' if cpus > 1 else ''}",
            "description": "Synthetic: one node, uniform distances, round numbers.",
            "topology": {
                "nodes": 1,
                "cores_per_node": cpus,
                "line_bytes": 64,
                "node_classes": ["node"],
                "distance": "uniform",
            },
            "protocol": {
                "directory": "blocking",
                "clean_supplier": "memory",
                "bus": "none",
                "store_buffer_entries": 16,
            },
            "cost": cost,
        },
        name,
    )


def _figure(value_ns: int) -> dict[str, Any]:
    return {
        "value": value_ns,
        "unit": "ns",
        "source": "round number of a synthetic machine",
        "role": "assumed",
    }
