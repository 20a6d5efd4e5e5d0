"""A machine and its CPUs: a lab that asks for CPUs that do not exist is refused when it is read."""

from typing import Any

import pytest

from lockgrader.lab import Lab, LabError

PROOF = {"name": "p", "title": "P", "kind": "proven", "lock": "A", "points": 1}
SPEED = {"name": "s", "title": "S", "kind": "simulated", "lock": "A", "points": 1}
ANSWER = {"name": "a", "title": "A", "kind": "answer", "answer": "n", "points": 1}
RANKED = {"name": "r", "title": "R", "kind": "ranked", "lock": "A", "against": "tas", "points": 1}


def of(machine: str, cpus: int) -> list[dict[str, Any]]:
    """A check of each kind that names a machine."""
    used, waits = ({"machine": machine, "cpus": cpus} for _ in range(2))
    measured = {"machine": machine, "measure": "transfers"}
    return [
        {**PROOF, "used": used},
        {**PROOF, "waits": waits | {"demands": ["own-line"]}},
        {**SPEED, **measured, "cpus": [2, cpus]},
        {**ANSWER, "expected": {**measured, "lock": "tas", "cpus": cpus}},
        {**RANKED, "band": {}, "pairs": [{"machine": machine, "cpus": cpus}]},
    ]


def read(check: dict[str, Any]) -> None:
    """Read a lab with this check."""
    Lab(format=2, name="lab", title="Lab", check=(check,)).checks({})


@pytest.mark.parametrize("number", range(5))
def test_as_many_as_the_machine_has(number: int) -> None:
    """All CPUs may be asked for, and not one more."""
    read(of("ideal-8", 8)[number])
    with pytest.raises(LabError, match="ideal-8 has 8 CPUs, and cpus is 9; choose fewer, or"):
        read(of("ideal-8", 9)[number])
    with pytest.raises(LabError, match="unknown machine 'ideal8'"):
        read(of("ideal8", 2)[number])
