"""Checks on the values of options, made before anything runs."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lockui.errors import UsageError, saving


def bounded(value: int, option: str, low: int, high: int, *, on: str = "") -> int:
    """Return the value of an option if it is between ``low`` and ``high``, both included.

    Arguments:
        on: the machine that has these bounds, for the message.

    Raises:
        UsageError: the value is out of range.
    """
    if not low <= value <= high:
        where = f" on {on}" if on else ""
        raise UsageError(f"{option} must be between {low:,} and {high:,}{where} (got {value})")
    return value


def folder_to_write(folder: Path, option: str) -> Path:
    """Create a folder and its parents, and check that files can be created in it.

    The check creates a file: permission bits mislead on read-only file systems and for root.

    Arguments:
        folder: where the results go.
        option: the option that named it, for the message.

    Raises:
        UsageError: the folder cannot be created or written to.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{option}: {folder} is not a folder; name a folder, which may be new")
    with saving(option):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
