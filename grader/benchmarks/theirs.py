"""nbgrader and otter-grader, each in an environment of its own, on the exercise.

Each is used as documented for a machine without containers: ``nbgrader autograde`` of a course
folder, and otter's ``grade_submission`` with all submissions in one process, which saves otter ten
seconds each compared with its command. (``otter grade`` needs a container for each submission.)
"""

from __future__ import annotations

import contextlib
import csv
import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import exercise

__all__ = ["RIVALS", "Nbgrader", "Otter", "RivalError", "Used", "environment"]

ROOT = Path(__file__).resolve().parents[2]
LONGEST_S = 540
CELL_S = 10
"""For a cell of a notebook, where a grader knows such a limit."""
PR_SET_CHILD_SUBREAPER = 36
_OTTER = """
import json, sys
from otter.api import grade_submission
found = {}
for path in sys.argv[3:]:
    try:
        found[path] = grade_submission(path, sys.argv[1], quiet=True).total
    except Exception as error:
        found[path] = None
        print(type(error).__name__, str(error)[-1500:], file=sys.stderr)
with open(sys.argv[2], "w") as file:
    json.dump(found, file)
"""


class RivalError(Exception):
    """A rival cannot be installed or does not run; the message says why."""

    exit_code = 2


@dataclass(frozen=True)
class Used:
    """What a command took: seconds on the clock, and of processors, its children's too."""

    wall_s: float
    cpu_s: float


def environment(name: str, folder: Path) -> Path:
    """A rival's environment, made from its hashed requirements if it is not there; its Python.

    Raises:
        RivalError: it cannot be made.
    """
    command = [sys.executable, ROOT / "tools" / "beside.py", name, "--folder", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RivalError(done.stderr.removeprefix("error: ").strip())
    return Path(done.stdout.strip())


def run(
    command: Sequence[str | Path], folder: Path, *, longest_s: float = LONGEST_S
) -> tuple[Used, subprocess.CompletedProcess[str]]:
    """Run a command in a folder; what it took, and how it ended.

    Raises:
        subprocess.TimeoutExpired: it took longer; what it started may go on.
    """
    # A sandbox ends before its first process is waited for, whose time would then be lost.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = {
        "PATH": f"{Path(command[0]).parent}:{os.environ.get('PATH', '')}",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=longest_s,
        check=False,
    )
    wall_s = time.monotonic() - began
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Used(wall_s, cpu_s), done


class Nbgrader:
    """nbgrader's command on a course folder."""

    name = "nbgrader"

    def __init__(self, python: Path, folder: Path) -> None:
        self.command, self.folder = python.parent / "nbgrader", folder

    def prepare(self, submissions: Mapping[str, str]) -> None:
        """Make the course: the assignment, and what was handed in (student → notebook)."""
        source = self.folder / "source" / "laws"
        source.mkdir(parents=True)
        (source / "answers.ipynb").write_text(exercise.nbgrader_source())
        (self.folder / "nbgrader_config.py").write_text(
            'c = get_config()\nc.CourseDirectory.course_id = "laws"\n'
            f"c.ExecutePreprocessor.timeout = {CELL_S}\n"
        )
        done = run([self.command, "generate_assignment", "laws"], self.folder)[1]
        if done.returncode:
            raise RivalError(f"nbgrader makes no assignment:\n{done.stderr[-2000:]}")
        release = json.loads((self.folder / "release" / "laws" / "answers.ipynb").read_text())
        for student, text in submissions.items():
            home = self.folder / "submitted" / student / "laws"
            home.mkdir(parents=True)
            functions = next(
                one["source"] for one in json.loads(text)["cells"] if one["id"] == "functions"
            )
            for cell in release["cells"]:
                if cell["metadata"].get("nbgrader", {}).get("grade_id") == "functions":
                    cell["source"] = functions
            (home / "answers.ipynb").write_text(json.dumps(release))

    def grade(self, longest_s: float = LONGEST_S) -> tuple[Used, dict[str, float | None]]:
        """Grade all; what it took, and student → points, None where there is no score."""
        used, done = run([self.command, "autograde", "laws"], self.folder, longest_s=longest_s)
        run([self.command, "export"], self.folder)
        found: dict[str, float | None] = {
            path.name: None for path in (self.folder / "submitted").iterdir()
        }
        grades = self.folder / "grades.csv"
        if not grades.exists():
            raise RivalError(f"nbgrader graded nothing:\n{done.stderr[-2000:]}")
        with open(grades, newline="") as file:
            for row in csv.DictReader(file):
                if row["score"] and (self.folder / "autograded" / row["student_id"]).exists():
                    found[row["student_id"]] = float(row["score"])
        return used, found


class Otter:
    """otter-grader's interface for a machine without containers."""

    name = "otter-grader"

    def __init__(self, python: Path, folder: Path) -> None:
        self.python, self.folder = python, folder
        self.students: list[str] = []

    def prepare(self, submissions: Mapping[str, str]) -> None:
        """Make the autograder, and what was handed in (student → notebook)."""
        self.folder.mkdir(parents=True, exist_ok=True)
        exercise.otter(self.folder)
        for student, text in submissions.items():
            (self.folder / f"{student}.ipynb").write_text(text)
        self.students = [*submissions]

    def grade(self, longest_s: float = LONGEST_S) -> tuple[Used, dict[str, float | None]]:
        """Grade all; what it took, and student → points, None where there is no score."""
        told = self.folder / "told.json"
        notebooks = [f"{student}.ipynb" for student in self.students]
        command = [self.python, "-c", _OTTER, "autograder.zip", told.name, *notebooks]
        used, done = run(command, self.folder, longest_s=longest_s)
        if not told.exists():
            raise RivalError(f"otter-grader ended without results:\n{done.stderr[-2000:]}")
        found = json.loads(told.read_text())
        if not any(found.values()):
            raise RivalError(f"otter-grader graded nothing:\n{done.stderr[-2000:]}")
        return used, {student: found.get(f"{student}.ipynb") for student in self.students}


RIVALS = {"nbgrader": Nbgrader, "otter": Otter}
