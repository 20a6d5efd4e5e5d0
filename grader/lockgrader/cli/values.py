"""The values that a shell completes; nothing is imported before one asks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def labs() -> Iterable[str]:
    """Return the names of the installed labs."""
    from locklabs import names

    return names()


def checks() -> Iterable[str]:
    """Return the names of the public checks of the lab in which the shell is."""
    from lockgrader.workspace.attempt import public_checks
    from lockgrader.workspace.folder import find

    return [check.name for check in public_checks(find(Path()))]


def export_formats() -> Iterable[str]:
    """Return the formats in which results are written."""
    from lockgrader.export import FORMATS

    return FORMATS


def keeps() -> Iterable[str]:
    """Return which of several submissions can count."""
    from lockgrader.course.document import KEEP

    return KEEP
