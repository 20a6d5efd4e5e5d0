"""The learner's own record: one file over lessons, labs, drills and levels.

Each line is JSON: ``{"kind", "name", "at", …}``, oldest first. Commands and notebooks add lines;
``locklab progress`` reads them. The file is a record for its owner, not a proof for anybody else.
It lies at ``$LOCKLAB_PROGRESS``, by default ``~/.local/share/locklab/progress.jsonl``.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lockui.console import warn

__all__ = ["RecordError", "note", "path", "read"]

Line = dict[str, Any]


class RecordError(Exception):
    """The record cannot be read."""

    exit_code = 2


def path() -> Path:
    """Return the file, which may not exist yet."""
    named = os.environ.get("LOCKLAB_PROGRESS")
    if named:
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data, "locklab", "progress.jsonl")


def note(kind: str, name: str, **said: Any) -> None:
    """Add a line. Where the file cannot be written a warning says so, and the work goes on.

    Arguments:
        kind: such as "drill". name: of the lesson, lab, drill or level. said: what else to keep.
    """
    line = {"kind": kind, "name": name, "at": datetime.now(UTC).isoformat(timespec="seconds")}
    file = path()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line | said) + "\n")
    except OSError as error:
        warn(f"{file}: your progress was not recorded: {error.strerror}; set LOCKLAB_PROGRESS")


def read(file: Path | None = None) -> list[Line]:
    """Return the lines, oldest first; none if there is no file yet.

    Arguments:
        file: by default the learner's own.

    Raises:
        RecordError: it cannot be read, or a line is not one of a record.
    """
    file = file or path()
    try:
        texts = file.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{file} cannot be read: {error}") from error
    found = []
    for number, text in enumerate(texts, start=1):
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or not {"kind", "name", "at"} <= line.keys():
            raise RecordError(f"{file}, line {number} is not a line of a record; delete that line")
        found.append(line)
    return found
