"""The mutants that the checker is known to prove, each with its reason: survivors.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

FILE = Path(__file__).parent / "survivors.toml"
Key = tuple[str, str, str, str]


def survivors() -> dict[Key, str]:
    """The reason of each known survivor, by :attr:`mutants.mutant.Mutant.key`.

    A reason may stand for several: ``reason = "hint"`` names one of the table ``[reasons]``.
    """
    document = tomllib.loads(FILE.read_text(encoding="utf-8"))
    shared = document["reasons"]
    return {
        (one["lock"], one["method"], one.get("line", ""), one["change"]): shared.get(
            one["reason"], one["reason"]
        )
        for one in document.get("survivor", [])
    }
