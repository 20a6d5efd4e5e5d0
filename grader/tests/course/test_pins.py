"""A term that stays put: pins, what they notice, and what an upgrade changes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from results_made import check, result
from tiny_lab import make_lab, needs_sandbox
from typer.testing import CliRunner

import locksim
from lockgrader import digests
from lockgrader.batch.compare import compare
from lockgrader.cli.course import app
from lockgrader.cli.grade import app as grade
from lockgrader.course.pins import LOCK
from lockgrader.lab import load
from lockgrader.result import keep


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with one pinned lab."""
    make_lab(tmp_path)
    path = tmp_path / "course.toml"
    path.write_text('format = 1\ntitle = "Locks"\n')
    assert 0 == run("pin", path, tmp_path / "lab")[0]
    return path


def run(*arguments: object) -> tuple[int, str]:
    """The command's exit code, and what it says."""
    done = CliRunner().invoke(app, [str(a) for a in arguments])
    return done.exit_code, done.output.replace("\n", " ")


def test_a_lab_of_ones_own_is_found(tmp_path: Path) -> None:
    """By the folder that the course names, from that of its file."""
    (tmp_path / "labs").mkdir()
    make_lab(tmp_path / "labs")
    path = tmp_path / "course.toml"
    text = 'format = 1\ntitle = "Locks"\n[lab.tiny]\ndue = 2026-03-02T12:00:00+00:00\n'
    path.write_text(text)
    assert "give its folder" in run("pin", path)[1]
    path.write_text(text + 'folder = "labs/lab"\n')
    assert 0 == run("pin", path)[0]
    assert (0, "tiny: as pinned ") == run("check", path)


def refusal(course: Path) -> tuple[int, str]:
    """Grading with the course: exit code, and what it says."""
    folder = course.parent
    (folder / "in").mkdir(exist_ok=True)
    asked = [folder / "lab", folder / "in", "-o", folder / "out", "--course", course]
    done = CliRunner().invoke(grade, [str(a) for a in asked])
    return done.exit_code, done.output.replace("\n", " ")


@needs_sandbox
def test_a_changed_lab_is_refused(course: Path) -> None:
    """With what has changed, and what to do; pinned anew it is graded again."""
    assert 0 == refusal(course)[0]
    lab = course.parent / "lab" / "lab.toml"
    lab.write_text(lab.read_text().replace("points = 2", "points = 3"))
    code, said = refusal(course)
    assert 2 == code
    assert "is not what" in said
    assert "the lab's files" in said
    assert "locklab grade --compare OLD NEW" in said
    assert 0 == run("pin", course, course.parent / "lab")[0]
    assert 0 == refusal(course)[0]


def test_changed_sources_are_refused(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that decide a verdict."""
    monkeypatch.setattr(digests, "engine", lambda with_c=False: "another")
    assert "LockLab's sources (0.1.0: " in refusal(course)[1]


def test_our_labs_are_pinned_by_name(tmp_path: Path) -> None:
    """The labs that the course names; a machine that changes is named."""
    path = tmp_path / "course.toml"
    path.write_text(
        'format = 1\ntitle = "L"\n[lab.lab02-spinlocks]\ndue = 2026-10-12T23:59:00+02:00\n'
    )
    assert (0, "no lab is pinned; pin them: locklab course pin COURSE.toml ") == run("check", path)
    assert 0 == run("pin", path)[0]
    assert (0, "lab02-spinlocks: as pinned ") == run("check", path)
    held = json.loads((tmp_path / LOCK).read_text())
    machine = next(iter(held["labs"]["lab02-spinlocks"]["profiles"]))
    held["labs"]["lab02-spinlocks"]["profiles"][machine] = "another"
    (tmp_path / LOCK).write_text(json.dumps(held))
    assert (1, f"lab02-spinlocks: the machine {machine} ") == run("check", path)
    (tmp_path / LOCK).write_text("{}")
    assert 2 == run("check", path)[0]


def test_digests_depend_on_sources_alone(tmp_path: Path) -> None:
    """Another process, another folder, another order of hashes: the same digest."""
    lab = make_lab(tmp_path)
    text = (
        "from pathlib import Path; from lockgrader.lab import load; "
        f"from lockgrader.digests import versions; print(versions(load(Path({lab.folder!r}))))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert str(digests.versions(load(Path(lab.folder)))) == done.stdout.strip()


def test_pages_and_commands_decide_nothing() -> None:
    """A change there grades nothing again; a change of a check or of the language does."""
    paths = {str(p) for p in digests.deciding()}
    ends = {path.rpartition("/")[2] for path in paths}
    assert {"ops.py", "judge.py", "bytecode.py", "grade.py", "loop.py"} <= ends
    for aside in ("/cli/", "/report/", "/export/", "/batch/", "/review/", "/papers/"):
        assert not [path for path in paths if f"lockgrader{aside}" in path]


def test_all_that_a_deciding_file_imports_decides() -> None:
    """Of the simulator: a module that a check begins to use is in the digest, too."""
    paths = {path.resolve() for path in digests.deciding()}
    package = Path(locksim.__file__ or "").parent
    for path in paths:
        for name in re.findall(r"^ *from locksim\.(\S+) import", path.read_text(), re.MULTILINE):
            module = package / name.replace(".", "/")
            # Of a folder, what is found in it decides; locksim.study and locksim.papers do not.
            used = module.with_suffix(".py") if module.with_suffix(".py").exists() else module
            inside = used.is_dir() and used.parent == package and used.name != "study"
            assert inside or used in paths or used / "__init__.py" in paths, (path, name)


def test_every_changed_mark_is_listed(tmp_path: Path) -> None:
    """Points, verdicts, checks and students that are not in both."""
    old = [
        result("ada", check("a"), check("b", "fail")),
        result("bob", check("a")),
        result("eve", check("a")),
    ]
    new = [
        result("ada", check("a"), check("b", "grader_error"), check("c", "partial", 1.0)),
        result("bob", check("a")),
        result("zoe", check("a")),
    ]
    assert [
        ("ada", "b", "0 of 4, fail", "0 of 4, grader_error", 0.0),
        ("ada", "c", "not there", "1 of 4, partial", 1.0),
        ("ada", "total", "4 of 8", "5 of 12", 1.0),
        ("eve", "total", "4 of 4", "not there", -4.0),
        ("zoe", "total", "not there", "4 of 4", 4.0),
    ] == [(c.student, c.check, c.was, c.now, c.points) for c in compare(old, new)]
    for name, results in (("old", old), ("new", new)):
        for one in results:
            keep(tmp_path / name / one.student, one)
    asked = [str(tmp_path / "old"), str(tmp_path / "new")]
    done = CliRunner().invoke(grade, ["--compare", *asked])
    assert (1, "3 students with differences") == (done.exit_code, done.output.splitlines()[-1])
    same = CliRunner().invoke(grade, ["compare", asked[0], asked[0], "--json"])
    assert (0, []) == (same.exit_code, json.loads(same.stdout))
