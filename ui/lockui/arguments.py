"""Values that options were given, checked before anything runs."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lockui.errors import UsageError, saving

__all__ = ["bounded", "folder_to_write", "whole_numbers"]


def bounded(value: int, option: str, low: int, high: int) -> int:
    """Return a number that an option was given, if it is from ``low`` to ``high``.

    Raises:
        UsageError: it is not.
    """
    if not low <= value <= high:
        raise UsageError(f"{option} {value}: give a whole number from {low:,} to {high:,}")
    return value


def folder_to_write(folder: Path, option: str) -> Path:
    """Make a folder, its parents too, and make sure that files can be made in it.

    Tried by making one: permission bits mislead on read-only file systems and for root.

    Args:
        folder: where results shall go.
        option: what it was given by, as the user wrote it, for the message.

    Raises:
        UsageError: it can not be made or written to.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{option}: {folder} is no folder; name one, or one to make")
    with saving(option):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder


def whole_numbers(text: str, option: str) -> list[int]:
    """Read ``1,2,4`` as a list of whole numbers.

    Args:
        text: what the user wrote.
        option: the option that it was written for, for the message.

    Raises:
        UsageError: for anything that is no whole number, and for none at all.
    """
    numbers = []
    for part in text.split(","):
        try:
            numbers.append(int(part))
        except ValueError:
            raise UsageError(
                f"{option} {text}: '{part.strip()}' is no whole number; write them as 1,2,4"
            ) from None
    return numbers
