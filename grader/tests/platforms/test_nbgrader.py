"""nbgrader: the notebook, what the preprocessor hands over, and the real package (slow)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from results_made import rich_result
from tiny_lab import ANSWERS, KEY, STARTER, TAS, WRONG, make_whole, needs_sandbox

from lockgrader.author.mutants import solution
from lockgrader.export.nbgrader import document
from lockgrader.lab import Lab, load
from lockgrader.platforms import nbgrader
from lockgrader.platforms.package import Config, PackageError
from locklabs import find, names

PYTHON = os.environ.get("NBGRADER_PYTHON", "")
"""A Python with requirements/beside/nbgrader.txt, for the tests with the real package."""
LAB = "lab99-tiny"


def graded_cells(notebook: dict[str, Any]) -> dict[str, float]:
    """Name → points of the cells that get points."""
    found = [c["metadata"]["nbgrader"] for c in notebook["cells"] if "nbgrader" in c["metadata"]]
    assert all(one["grade"] and one["locked"] and not one["solution"] for one in found)
    return {one["grade_id"]: one["points"] for one in found}


def test_notebook_has_a_cell_for_each_check(tmp_path: Path) -> None:
    """All points, one cell for what is hidden, and the starter's files; no name of a secret."""
    lab = load(make_whole(tmp_path / "lab"))
    made = nbgrader.notebook(lab)
    assert {"right": 4, "cheap": 3, "guessed": 2, "number": 1, "hidden-checks": 4} == (
        graded_cells(made)
    )
    files = [c["source"] for c in made["cells"] if c["source"].startswith("%%writefile")]
    assert [f"%%writefile tas.py\n{STARTER}", "%%writefile answers.json\n{}\n"] == files
    assert "again" not in json.dumps(made)
    assert len(made["cells"]) == len({c["id"] for c in made["cells"]})


@needs_sandbox
def test_a_submission_is_graded(tmp_path: Path) -> None:
    """The points of each cell, by the folder that the preprocessor makes."""
    lab = make_whole(tmp_path / "lab")
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission/tas.py").write_text(TAS)
    (tmp_path / "submission/answers.json").write_text(ANSWERS)
    about = {"lab": str(lab), "student": "ada", "key": ""}
    (tmp_path / "about.json").write_text(json.dumps(about))
    assert 0 == nbgrader.run(tmp_path).code
    cells = json.loads((tmp_path / "cells.json").read_text())["cells"]
    points = {name: cell["points"] for name, cell in cells.items()}
    assert {"right": 4, "cheap": 3, "guessed": 2, "number": 1, "hidden-checks": 4} == points
    (tmp_path / "about.json").write_text("{}")
    with pytest.raises(PackageError, match="does not name a lab to grade"):
        nbgrader.run(tmp_path)


def test_cells_show_no_more_than_they_may() -> None:
    """Of hidden checks the verdicts only; every cell's points are there."""
    told = document(rich_result())
    text = json.dumps(told)
    assert "4711" not in text
    assert "secret-one: not right yet" in text
    assert 0.0 == told["cells"]["hidden-checks"]["points"]


def course(folder: Path, lab: Lab) -> Path:
    """A course with the bundle of a lab."""
    for name, data in nbgrader.parts(lab, Config(), KEY).items():
        path = folder / "course" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / "course"


def python(course: Path, *arguments: str, code: int = 0) -> str:
    """Run nbgrader's Python in a course; what it printed. It has no LockLab but the command."""
    folders = (Path(PYTHON).parent, Path(sys.prefix) / "bin", os.environ["PATH"])
    environment = {"PATH": ":".join(map(str, folders)), "LC_ALL": "C.UTF-8"}
    environment |= {"HOME": str(course), "JUPYTER_PLATFORM_DIRS": "1"}
    done = subprocess.run(
        [PYTHON, *arguments], cwd=course, env=environment, capture_output=True, text=True
    )
    assert code == done.returncode, done.stderr[-4000:]
    return done.stdout


def hand_in(
    course: Path, student: str, files: dict[str, str], extra: str = "", lab: str = LAB
) -> Path:
    """A student's notebook: the released one with other files, and perhaps a cell of their own."""
    made = json.loads((course / f"release/{lab}/{lab}.ipynb").read_text())
    for cell in made["cells"]:
        for name, text in files.items():
            if "".join(cell["source"]).startswith(f"%%writefile {name}\n"):
                cell["source"] = f"%%writefile {name}\n{text}"
    if extra:
        cell = {"cell_type": "code", "id": "own", "metadata": {}, "source": extra}
        made["cells"].append(cell | {"outputs": [], "execution_count": None})
    path = course / f"submitted/{student}/{lab}/{lab}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(made))
    return path.parent


SCORES = """
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    print(json.dumps({s.student.id: [s.score, s.max_score, s.needs_manual_grade]
                      for s in book.assignment_submissions(sys.argv[1])}))
"""


def scores(course: Path, assignment: str) -> dict[str, list[float]]:
    """Student → score, most possible, whether a person must look; by nbgrader's own gradebook."""
    return json.loads(python(course, "-c", SCORES, assignment))  # type: ignore[no-any-return]


@needs_sandbox
@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="NBGRADER_PYTHON does not name a Python with nbgrader")
def test_the_real_package(tmp_path: Path) -> None:
    """Release, autograde, feedback: right work, the starter, wrong work, and code that cheats."""
    home = course(tmp_path, load(make_whole(tmp_path / "lab")))
    python(home, "-m", "nbgrader", "generate_assignment", LAB, "--create")
    released = (home / f"release/{LAB}/{LAB}.ipynb").read_text()
    assert "%%writefile tas.py" in released
    right = {"tas.py": TAS, "answers.json": ANSWERS}
    hand_in(home, "ada", right)
    hand_in(home, "bob", {})
    hand_in(home, "eve", {"tas.py": WRONG}, f"open({str(tmp_path / 'ran')!r}, 'w')\n14.0")
    python(home, "-m", "nbgrader", "autograde", LAB, "--create")
    assert {"ada": [14.0, 14.0, False], "bob": [0.0, 14.0, False], "eve": [0.0, 14.0, False]} == (
        scores(home, LAB)
    )
    assert not (tmp_path / "ran").exists()
    python(home, "-m", "nbgrader", "generate_feedback", LAB)
    page = (home / f"feedback/eve/{LAB}/{LAB}.html").read_text()
    assert "two threads hold the lock" in page
    assert "Right, twice" not in page
    (home / f"locklab/{LAB}/lab.toml").write_text("nonsense")
    python(home, "-m", "nbgrader", "autograde", LAB, "--force", "--student", "ada", code=1)


@needs_sandbox
@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="NBGRADER_PYTHON does not name a Python with nbgrader")
@pytest.mark.parametrize("name", names())
def test_the_real_package_with_a_lab(tmp_path: Path, name: str) -> None:
    """The solution earns everything, the released notebook nothing."""
    lab = load(find(name))
    home, right = course(tmp_path, lab), solution(lab, "ada", KEY)
    python(home, "-m", "nbgrader", "generate_assignment", name, "--create")
    hand_in(home, "ada", right, lab=name)
    hand_in(home, "bob", {}, lab=name)
    python(home, "-m", "nbgrader", "autograde", name, "--create")
    most = sum(graded_cells(nbgrader.notebook(lab)).values())
    assert {"ada": [most, most, False], "bob": [0.0, most, False]} == scores(home, name)
