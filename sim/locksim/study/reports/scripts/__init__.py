"""Scripts for other machines: each file is whole, without dependencies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def scripts() -> Mapping[str, Path]:
    """The scripts by name."""
    return {file.stem: file for file in sorted(Path(__file__).parent.glob("*.sh"))}
