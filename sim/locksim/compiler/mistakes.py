"""The texts of all compile errors (``mistakes.toml``)."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path

from locksim.lang.struct import KINDS


@dataclass(frozen=True)
class Mistake:
    """One kind of mistake.

    Arguments:
        message: what was found. help: what to do. Both are format strings.
        example: one line that makes the mistake (a statement of a program where nothing else is
            said).
    """

    message: str
    help: str
    example: str


@functools.cache
def mistakes() -> dict[str, Mistake]:
    """Every kind of mistake, by its code."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    text = text.replace("{kinds}", ", ".join(kind.__name__ for kind in KINDS))
    return {code: Mistake(**texts) for code, texts in tomllib.loads(text).items()}
