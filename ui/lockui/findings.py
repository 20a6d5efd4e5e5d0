"""Findings of the checks of this machine, with advice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "unknown", "broken"]


@dataclass(frozen=True)
class Check:
    """One finding.

    Attributes:
        name: the thing that was checked.
        status: ``ok``; ``warning`` (usable, with a drawback); ``unknown`` (this system does not
            say); ``broken`` (the simulator cannot work).
        found: the present state.
        advice: what to do, or None.
    """

    name: str
    status: Status
    found: str
    advice: str | None = None
