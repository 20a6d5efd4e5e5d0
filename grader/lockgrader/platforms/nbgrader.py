"""nbgrader: a notebook for each lab, whose cells get their points from our grader.

The notebook holds the starter's files, each in a cell ``%%writefile NAME``, and a locked cell for
each check. nbgrader itself would run all cells in one process and look at their output, so a
student's code could decide its own points. Here no cell runs: a preprocessor of the bundle
(``files/nbgrader``) stands in nbgrader's place of execution. It takes the files out of the cells as
text, calls this grader in its sandbox, and writes the points into the locked cells.

A check that the grader fails in leaves the student without a grade, and ``nbgrader autograde``
reports it; run it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lockgrader.author.bundle import public_files
from lockgrader.export.nbgrader import HIDDEN_CELL, document
from lockgrader.export.neutral import LeftOut
from lockgrader.files import write
from lockgrader.lab import Lab, load
from lockgrader.platforms import here
from lockgrader.platforms.package import Config, PackageError, Parts, below, lab_files, own_files
from lockgrader.read.owner import student_name
from lockgrader.result import Result
from lockgrader.sandbox import SandboxError

__all__ = ["ROOT", "notebook", "parts", "run"]

ROOT = Path()


def parts(lab: Lab, _config: Config, key: bytes | None) -> Parts:
    """The files of the bundle, to be unpacked in the course's folder.

    source/LAB/LAB.ipynb    for nbgrader generate_assignment
    nbgrader_config.py      some lines, for a course that has none yet
    locklab_nbgrader.py     the preprocessor
    locklab/LAB/            the lab with its hidden checks; locklab/course.key beside it

    Raises:
        PackageError, BundleError: the hidden checks or public files are missing.
    """
    text = json.dumps(notebook(lab), indent=1, ensure_ascii=False) + "\n"
    return (
        own_files("nbgrader")
        | {f"source/{lab.name}/{lab.name}.ipynb": text.encode()}
        | ({} if key is None else {"locklab/course.key": key})
        | below(f"locklab/{lab.name}", lab_files(lab))
    )


def run(root: Path = ROOT) -> here.Graded:
    """Grade ``root/submission`` as ``root/about.json`` says; ``root/cells.json`` gets the points.

    ``about.json`` is the preprocessor's: ``{"lab": folder, "student": login, "key": file or ""}``.

    Raises:
        PackageError, LabError, SandboxError: nothing can be graded.
    """
    try:
        about = json.loads((root / "about.json").read_text(encoding="utf-8"))
        lab, student, key = Path(about["lab"]), str(about["student"]), str(about["key"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise PackageError(
            f"{root / 'about.json'} does not name a lab to grade: {error}"
        ) from error
    secret = here.key_of(Path(key) if key else None)
    given = here.Given(root / "submission", student_name(student), secret)
    graded = here.run(load(lab), given, _put)
    write(root / "cells.json", json.dumps(document(graded.result), allow_nan=False) + "\n")
    return graded


def _put(_: Result, left_out: Sequence[LeftOut]) -> None:
    """Refuse a machine that cannot grade all cells: a grade without them would stand."""
    if left_out:
        raise SandboxError(
            "the C part cannot be graded here: the grader's machine needs bubblewrap that may make "
            "namespaces\nhelp: locklab doctor --sandbox"
        )


def notebook(lab: Lab) -> dict[str, Any]:
    """The source notebook: the handout, a cell for each file, a locked cell for each check."""
    files = public_files(Path(lab.folder))
    cells = [_cell("markdown", "handout", files["handout.md"].decode())]
    cells.append(_cell("markdown", "files", FILES))
    for name in lab.wanted():
        if text := files.get(f"starter/{name}"):
            cells.append(_cell("code", f"file-{name}", f"%%writefile {name}\n{text.decode()}"))
    cells.append(_cell("markdown", "checks", CHECKS))
    hidden = 0.0
    for raw in lab.check:
        points = float(raw.get("points", 0))
        if not raw.get("public", True):
            hidden += points
        elif points:
            cells.append(_graded(raw["name"], raw["title"], points))
    if hidden:
        cells.append(_graded(HIDDEN_CELL, "Hidden checks", hidden))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


FILES = """## Your files
Each cell below is a file. Write in it, run the cell, and check in a terminal: `locklab lab check`
in a folder of `locklab lab start`, or `locklab check FILE:LOCK`. The first line must stay.
"""
CHECKS = """## Checks
These cells get your points when the notebook is graded. They do nothing before that.
"""


def _cell(kind: str, name: str, source: str, **metadata: Any) -> dict[str, Any]:
    """A cell of format 4.5; its id follows from its name, so that a bundle has the same bytes."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    cell: dict[str, Any] = {"cell_type": kind, "id": digest, "metadata": metadata}
    cell["source"] = source
    return cell if kind == "markdown" else cell | {"execution_count": None, "outputs": []}


def _graded(name: str, title: str, points: float) -> dict[str, Any]:
    """A locked cell that gets points; nbgrader's metadata, version 3."""
    about = {
        "grade": True,
        "grade_id": name,
        "locked": True,
        "points": points,
        "schema_version": 3,
        "solution": False,
        "task": False,
    }
    return _cell("code", f"check-{name}", f"# {title} ({points:g} points)", nbgrader=about)
