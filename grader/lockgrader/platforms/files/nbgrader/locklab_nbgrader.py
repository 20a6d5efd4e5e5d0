"""nbgrader's autograding of LockLab's notebooks: no cell runs, LockLab grades the files in them.

Stands in the place of nbgrader's preprocessor ``Execute``. A notebook is LockLab's if the folder
``locklab`` beside this file has a lab with the assignment's name; any other is executed as usual.
"""

import json
import os
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from nbformat.v4 import new_output
from nbgrader.converters.autograde import Autograde
from nbgrader.preprocessors import Execute
from traitlets import Unicode

HOME = Path(__file__).resolve().parent / "locklab"
MAGIC = "%%writefile "
MOST_BYTES = 4 << 20


class LockLab(Execute):
    """Grade with LockLab instead of executing."""

    command = Unicode("locklab", help="the command, if it is not on PATH").tag(config=True)

    def preprocess(self, nb: Any, resources: Any, **more: Any) -> Any:
        """Write points and feedback into the locked cells.

        Raises:
            RuntimeError: LockLab failed; nbgrader reports it and gives this student no grade.
        """
        about = resources["nbgrader"]
        lab = HOME / about["assignment"]
        if not (lab / "lab.toml").is_file():
            return super().preprocess(nb, resources, **more)
        key = HOME / "course.key"
        with tempfile.TemporaryDirectory(prefix="locklab-nbgrader-") as made:
            root = Path(made)
            (root / "submission").mkdir()
            hand_in(nb, Path(resources["metadata"]["path"]), root / "submission")
            words = {"lab": str(lab), "student": about["student"]}
            words["key"] = str(key) if key.exists() else ""
            (root / "about.json").write_text(json.dumps(words), encoding="utf-8")
            command = [self.command, "grade", "here", "nbgrader", str(root)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                said = done.stderr.strip()[-2000:]
                raise RuntimeError(f"LockLab gave no grade (exit code {done.returncode}): {said}")
            cells = json.loads((root / "cells.json").read_text(encoding="utf-8"))["cells"]
        for cell in nb.cells:
            graded = cell.metadata.get("nbgrader", {})
            if cell.cell_type == "code":
                cell.outputs = []
                if graded.get("grade") and not graded.get("solution"):
                    cell.outputs = outputs(cells[graded["grade_id"]])
        return nb, resources


def hand_in(nb: Any, beside: Path, folder: Path) -> None:
    """Write the files of a submission: those beside the notebook, and above them its cells'."""
    for path in beside.iterdir():
        about = path.lstat()
        if stat.S_ISREG(about.st_mode) and about.st_size <= MOST_BYTES:
            (folder / path.name).write_bytes(path.read_bytes())
    for cell in nb.cells:
        first, _, text = cell.source.partition("\n")
        name = first.removeprefix(MAGIC).strip()
        if cell.cell_type == "code" and first.startswith(MAGIC) and os.path.basename(name) == name:
            (folder / name).write_text(f"{text}\n", encoding="utf-8")


def outputs(graded: dict[str, Any]) -> list[Any]:
    """A cell's outputs: the text, and the points in the form that nbgrader reads."""
    text = new_output("stream", name="stdout", text=f"{graded['text']}\n")
    points = new_output("execute_result", {"text/plain": str(graded["points"])}, execution_count=1)
    return [text, points]


def configure(config: Any) -> None:
    """Put LockLab in the place of Execute, and add locked cells that a student has removed."""
    usual = Autograde.class_traits()["autograde_preprocessors"].default()
    config.Autograde.autograde_preprocessors = [LockLab if p is Execute else p for p in usual]
    config.OverwriteCells.add_missing_cells = True
