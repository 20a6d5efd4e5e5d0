"""Which waiting request is served next is found from a probe: here on simulated machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from locknative.calibration.arbitration import rule
from locknative.calibration.loops import reading_ns
from locknative.calibration.readings import Reading
from locknative.survey.cells import Cell, probe_cells
from locknative.survey.topology import Cpu
from locksim.machine import Machine, load

CPUS = [Cpu(n, n, n // 2 * 2, n // 2, 0) for n in range(4)]
TURN_NS = 0.3


def place(cell: Cell) -> list[int]:
    """Two cores of each of two sockets of ten."""
    return [n // 2 * 10 + n % 2 for n in cell.cpus]


def readings_of(machine: Machine) -> dict[Cell, Reading]:
    """What the probe reads on a machine."""
    cells = [cell for cell in probe_cells(CPUS) if cell.kernel == "served_next"]
    return {
        cell: Reading.of([reading_ns(cell, machine, TURN_NS, placement=place(cell), seed=77)])
        for cell in cells
    }


@pytest.mark.parametrize(
    "settings",
    [
        {"arbitration": "fifo"},
        {"arbitration": "random"},
        {"arbitration": "near", "arbitration_passes": 4},
    ],
    ids=lambda settings: settings["arbitration"],
)
def test_the_rule_is_found(settings: Mapping[str, Any]) -> None:
    """A machine's rule is that under which the simulated probe reads what the machine read."""
    machine = load("westmere-ex-8x10")
    assert machine.protocol.arbitration == "fifo"
    asked = machine.with_protocol(**settings)
    found = rule(machine, readings_of(asked), place, TURN_NS)
    assert found is not None
    assert settings == found.settings
    assert found.error < 0.1
    assert found.error == min(found.others.values())


def test_no_probe_no_rule() -> None:
    """Without readings of the probe there is nothing to choose by."""
    assert rule(load("desktop-4"), {}, place, TURN_NS) is None


def test_caches_are_the_groups() -> None:
    """As many CPUs of each cache take part, if two caches have two CPUs or more each."""
    (once, twice) = [cell for cell in probe_cells(CPUS) if cell.kernel == "served_next"]
    assert ((0, 1, 2, 3), 4, 5) == (once.cpus, once.option, twice.option)
    for fewer in (CPUS[:2], CPUS[::2], CPUS[:3]):
        assert "served_next" not in {cell.kernel for cell in probe_cells(fewer)}
