"""The number of a file's format, and one sentence where it is another (docs/use/versions.md)."""

from __future__ import annotations

import json


def other_format(document: object, reads: int, key: str = "format") -> str:
    """Return why a file cannot be read, by the number of its format; "" if it can.

    Arguments:
        document: what TOML or JSON holds, or the JSON text. Without the key it is of format 1: it
            had no number then. What is not a table at all is left to its reader.
        reads: the number that this version reads and writes. key: its name in the file.
    """
    if isinstance(document, bytes | str):
        try:
            document = json.loads(document)
        except (ValueError, RecursionError):
            return ""
    found = document.get(key, 1) if isinstance(document, dict) else reads
    if found == reads:
        return ""
    from importlib.metadata import PackageNotFoundError, version

    try:
        here = f"LockLab {version('locklab')}"
    except PackageNotFoundError:  # in a browser
        here = "this LockLab"
    return f"it has {key} {found!r}, and {here} reads {key} {reads}"
