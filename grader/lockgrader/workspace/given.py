"""What a check gives to the student's function, as files to try it on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lockgrader.judging.needs import with_needs
from lockgrader.workspace.attempt import public_checks
from lockgrader.workspace.folder import Workspace, WorkspaceError

ENDINGS = (".json", ".csv", ".parquet")


def write_given(workspace: Workspace, check: str, path: Path) -> tuple[list[Path], dict[str, Any]]:
    """Write the arguments of a check's function; return the files, and what is in none of them.

    Arguments:
        workspace: the student's. check: the name of one of its public checks.
        path: ``.json`` for all arguments. ``.csv`` or ``.parquet`` for the tables: of several, each
            gets a file with its name behind the stem. What a second call gives has a 2 there, and
            behind its names in what is in none of them.

    Raises:
        WorkspaceError: the check gives nothing or shows the result of a prediction that is not
            locked yet, or the ending is unknown.
        OSError: a file cannot be written.
    """
    offered = {c.name: c for c in public_checks(workspace) if c.gives_tables}
    if check not in offered:
        known = ", ".join(offered) or "none in this lab"
        raise WorkspaceError(f"'{check}' is not a check that gives tables; these are: {known}")
    first = _unlocked(workspace, check)
    if first:
        raise WorkspaceError(
            f"'{check}' shows what '{first}' asks you to predict: run 'locklab lab check {first}' "
            "first, which locks your prediction"
        )
    if path.suffix not in ENDINGS:
        raise WorkspaceError(f"{path.name} must end in {', '.join(ENDINGS)}")
    first_call, *others = offered[check].arguments()
    files, left = _written(first_call, path)
    for number, arguments in enumerate(others, start=2):
        more, others_left = _written(arguments, path.with_stem(f"{path.stem}-{number}"))
        files += more
        left |= {f"{name}-{number}": value for name, value in others_left.items()}
    return files, left


def _written(arguments: dict[str, Any], path: Path) -> tuple[list[Path], dict[str, Any]]:
    """Write the arguments of one call; return the files, and what is in none of them."""
    import pandas as pd

    if path.suffix == ".json":
        path.write_text(json.dumps(arguments, indent=1) + "\n", encoding="utf-8")
        return [path], {}
    tables = {name: rows for name, rows in arguments.items() if isinstance(rows, list)}
    files = []
    for name, rows in tables.items():
        files.append(path if len(tables) == 1 else path.with_stem(f"{path.stem}-{name}"))
        frame = pd.DataFrame(rows)
        if path.suffix == ".csv":
            frame.to_csv(files[-1], index=False)
        else:
            frame.to_parquet(files[-1], index=False)
    return files, {name: value for name, value in arguments.items() if name not in tables}


def _unlocked(workspace: Workspace, check: str) -> str:
    """The prediction that a check waits for, if it is not locked; "" if there is none."""
    checks = public_checks(workspace)
    before = with_needs([check], checks)
    return next(
        (
            c.name
            for c in checks
            if c.name in before and not workspace.state.predictions.keys() >= {*c.predictions}
        ),
        "",
    )
