"""A calibrated profile as TOML: every value with source, role, interval and number of trials."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

from locknative.calibration.costs import CostNs
from locknative.calibration.shape import Shape
from locksim.machine import Machine
from locksim.machine.document import toml as text
from locksim.machine.profile import parse

STORE_BUFFER_ENTRIES = 56
HEAD = (
    "Written by locklab machine calibrate. Of the protocol, 'arbitration' and\n"
    "'shared_issue_percent' are from probes if they are there; the rest is assumed, not measured."
)


def document(
    name: str,
    shape: Shape,
    costs: Mapping[str, CostNs],
    origin: Mapping[str, Any],
    protocol: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a profile as the parsed TOML document would be.

    Args:
        name: the profile's name.
        shape: the topology.
        costs: dotted name (``transfer.node``) → cost.
        origin: the table ``[origin]``.
        protocol: what was found of the table ``[protocol]``; the rest is assumed.
    """
    topology: dict[str, Any] = {
        "nodes": shape.nodes,
        "cores_per_node": shape.cores_per_node,
        "threads_per_core": shape.threads_per_core,
        "line_bytes": 64,
        "node_classes": list(shape.classes),
        "distance": "uniform" if shape.nodes == 1 else "matrix",
    }
    if shape.nodes > 1:
        topology["node_distance"] = [list(row) for row in shape.node_distance]
    cost: dict[str, Any] = {}
    for key, found in costs.items():
        table = cost
        *outer, last = key.split(".")
        for part in outer:
            table = table.setdefault(part, {})
        table[last] = _value(found)
    return {
        "schema": 1,
        "name": name,
        "title": f"{origin['cpu_model']}, {sum(cpu >= 0 for cpu in shape.cpus)} CPUs",
        "description": (
            f"Measured by locklab machine calibrate on {origin['date']}, Linux {origin['kernel']}"
            + (", a virtual machine." if origin["virtualised"] else ".")
        ),
        "topology": topology,
        "protocol": {
            "directory": "pipelined",
            "clean_supplier": "nearest",
            "bus": "none",
            "store_buffer_entries": STORE_BUFFER_ENTRIES,
            **protocol,
        },
        "cost": cost,
        "origin": dict(origin),
    }


def machine_of(found: dict[str, Any], where: str) -> Machine:
    """Return the machine of a document, parsed from its text: the file that will be written.

    Raises:
        MachineError: the costs do not make a valid profile.
    """
    return parse(tomllib.loads(toml(found)), where)


def toml(found: Mapping[str, Any]) -> str:
    """Return a document as TOML text."""
    return text(found, HEAD)


def _value(cost: CostNs) -> dict[str, Any]:
    found: dict[str, Any] = {
        "value": round(cost.value, 4),
        "unit": "ns",
        "source": cost.source,
        "role": cost.role,
    }
    if cost.spread:
        found["spread"] = cost.spread
    if cost.trials:
        low, high = min(cost.low, cost.value), max(cost.high, cost.value)
        found |= {"low": round(low, 4), "high": round(high, 4), "trials": cost.trials}
    return found
