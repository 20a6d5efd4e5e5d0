"""The format of a document that is kept: one number, and one sentence where it is another one."""

from __future__ import annotations

from importlib.metadata import version

__all__ = ["other_format"]


def other_format(document: object, reads: int) -> str:
    """Why a document cannot be read, by its key ``format``; "" if this version reads it.

    Arguments:
        document: of JSON or TOML. Without the key it is of format 1: it had no number then.
        reads: the format that this version reads and writes.
    """
    found = document.get("format", 1) if isinstance(document, dict) else reads
    if found == reads:
        return ""
    return f"it has format {found!r}, and LockLab {version('locklab')} reads format {reads}"
