"""Plug-ins of other installed packages, found through entry points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Any


def plugins(group: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield name and loading function of each entry point of a group, sorted by name."""
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
        yield entry.name, entry.load
