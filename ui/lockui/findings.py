"""Findings: what a check of this machine found, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Check", "Status"]

Status = Literal["ok", "warning", "unknown", "broken"]


@dataclass(frozen=True)
class Check:
    """One finding.

    Attributes:
        name: what was looked at.
        status: ``ok``; ``warning`` (works, with a drawback); ``unknown`` (this system does not
            say); ``broken`` (the simulator cannot work).
        found: what is there.
        advice: what to do about it, where there is something to do.
    """

    name: str
    status: Status
    found: str
    advice: str | None = None
