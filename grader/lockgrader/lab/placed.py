"""A machine and numbers of CPUs that it has: a lab that asks for more is refused when it is read.

In a check the same mistake would look like the grader's fault, or like the student's.
"""

from __future__ import annotations

import functools
from typing import Self

from pydantic import model_validator

from lockgrader.lab.closed import Closed, Text


class Placed(Closed):
    """What runs on a machine; subclasses have the field ``cpus``, one number or several."""

    machine: Text

    @model_validator(mode="after")
    def _fits(self) -> Self:
        cpus = getattr(self, "cpus")  # noqa: B009 - of a subclass, in a type of its own
        most, has = max(cpus) if isinstance(cpus, tuple) else cpus, _cpus_of(self.machine)
        if most > has:
            raise ValueError(
                f"{self.machine} has {has} CPUs, and cpus is {most}; choose fewer, or a larger "
                "machine"
            )
        return self


@functools.cache
def _cpus_of(name: str) -> int:
    from locksim import machine as machines

    try:
        return machines.load(name).n_cpus
    except machines.MachineError as error:
        raise ValueError(str(error)) from None
