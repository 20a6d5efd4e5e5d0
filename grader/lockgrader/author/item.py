"""One property of a lab that lint has looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """One property of a lab.

    Arguments:
        what: its kind, a key of :data:`lockgrader.cli.lint_show.PROPERTIES`.
        name: of a check, a mutant, a file or a command. ok: whether the property holds.
        says: the finding. cpu_s: processor time, where something ran.
    """

    what: str
    name: str
    ok: bool
    says: str
    cpu_s: float = 0.0
