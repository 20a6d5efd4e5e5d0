"""What other installed packages offer, by entry points: no package imports one above it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Any

__all__ = ["plugins"]


def plugins(group: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of each entry point of a group, and what loads it, in the names' order."""
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
        yield entry.name, entry.load
