"""What a check gives to the student's function, as a file to try it on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lockgrader.kinds.function import Function
from lockgrader.workspace.attempt import public_checks
from lockgrader.workspace.folder import Workspace, WorkspaceError

__all__ = ["ENDINGS", "write_given"]

ENDINGS = (".json", ".csv", ".parquet")


def write_given(workspace: Workspace, check: str, path: Path) -> dict[str, Any]:
    """Write the arguments of a check's function, or its one table, and return the others.

    Arguments:
        workspace: the student's. check: the name of one of its public checks.
        path: ``.json`` for all arguments; ``.csv`` or ``.parquet`` for the table among them.

    Raises:
        WorkspaceError: the check gives nothing, or not one table, or the ending is unknown.
        OSError: the file cannot be written.
    """
    import pandas as pd

    offered = {c.name: c for c in public_checks(workspace) if isinstance(c, Function)}
    if check not in offered:
        known = ", ".join(offered) or "none in this lab"
        raise WorkspaceError(f"no check '{check}' gives tables; those that do: {known}")
    if path.suffix not in ENDINGS:
        raise WorkspaceError(f"{path.name} must end in {', '.join(ENDINGS)}")
    arguments = offered[check].arguments()
    if path.suffix == ".json":
        path.write_text(json.dumps(arguments, indent=1) + "\n", encoding="utf-8")
        return {}
    tables = {name: rows for name, rows in arguments.items() if isinstance(rows, list)}
    if len(tables) != 1:
        raise WorkspaceError(f"the check '{check}' gives {len(tables)} tables: write a .json file")
    frame = pd.DataFrame(next(iter(tables.values())))
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path, index=False)
    return {name: value for name, value in arguments.items() if name not in tables}
