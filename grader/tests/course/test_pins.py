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
from tiny_lab import hand_in, make_lab, needs_sandbox, result_of
from typed import typed

import locksim
from lockgrader import digests
from lockgrader.batch.compare import Change, compare
from lockgrader.course.pins import LOCK
from lockgrader.lab import load
from lockgrader.mark import Late, Mark, add_mark
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
    done = typed("course", *arguments)
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


@needs_sandbox
def test_a_corrected_copy_is_what_is_graded(course: Path) -> None:
    """The folder that the course names decides, also where the command has the lab's name."""
    folder = course.parent
    (folder / "lab").rename(folder / "ours")
    course.write_text(
        f"{course.read_text()}[lab.tiny]\ndue = 2026-03-02T12:00:00+00:00\nfolder = 'ours'\n"
    )
    (folder / "in").mkdir()
    asked = ["tiny", folder / "in", "-o", folder / "out", "--course", course]
    assert 0 == typed("grade", *asked).exit_code
    lab = folder / "ours" / "lab.toml"
    lab.write_text(lab.read_text().replace("points = 2", "points = 3"))
    done = typed("grade", *asked)
    assert (2, True) == (done.exit_code, "the check 'number'" in done.output.replace("\n", " "))


def grading(course: Path, *options: str) -> tuple[int, str]:
    """Grading with the course: exit code, and what it says."""
    folder = course.parent
    (folder / "in").mkdir(exist_ok=True)
    asked = [folder / "lab", folder / "in", "-o", folder / "out", "--course", course, *options]
    done = typed("grade", *asked)
    return done.exit_code, done.output.replace("\n", " ")


@needs_sandbox
def test_a_changed_lab_is_refused(course: Path) -> None:
    """With what has changed, and what to do; pinned anew it is graded again."""
    assert 0 == grading(course)[0]
    lab = course.parent / "lab" / "lab.toml"
    lab.write_text(lab.read_text().replace("points = 2", "points = 3"))
    code, said = grading(course)
    assert 2 == code
    assert "differs from the version" in said
    assert "the check 'number'" in said
    assert "locklab grade compare OLD NEW" in said
    assert 0 == run("pin", course, course.parent / "lab")[0]
    assert 0 == grading(course)[0]


def test_changed_sources_are_refused(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that decide a verdict."""
    monkeypatch.setattr(digests, "engine", lambda with_c=False: "another")
    assert "LockLab's sources (0.1.0: " in grading(course)[1]


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
    assert {"ops.py", "check.py", "bytecode.py", "grade.py", "loop.py"} <= ends
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


@needs_sandbox
def test_a_corrected_check_then_the_pin(course: Path) -> None:
    """Only the named check may differ; what it changes is listed, and the pin keeps the rest."""
    out = hand_in(course.parent / "in" / "ada", answers='{"n": 20}').parents[1] / "out"
    assert 0 == grading(course)[0]
    lab = course.parent / "lab" / "lab.toml"
    lab.write_text(lab.read_text().replace("expected = 10.0", "expected = 20.0"))
    lab.write_text(lab.read_text().replace("high = 3.0", "high = 4.0"))
    code, said = grading(course, "--only", "number")
    assert (2, True) == (code, "has pinned: the check 'cheap'" in said)
    lab.write_text(lab.read_text().replace("high = 4.0", "high = 3.0"))
    code, said = grading(course, "--only", "number")
    assert 0 == code, said
    assert "ada: number: 0 of 2, fail -> 2 of 2, pass ada: total: " in said
    assert "1 students with differences" in said
    assert "still pins the former lab: the check 'number' help: look at what changed" in said
    assert 2 == grading(course)[0]  # until the correction is pinned
    assert 0 == run("pin", course, course.parent / "lab")[0]
    before = result_of(out / "ada")
    code, said = grading(course)
    assert (0, False) == (code, "still pins" in said)
    assert before.measured == result_of(out / "ada").measured  # nothing was graded again


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (LOCK, "it has format 1, and LockLab 0.1.0 reads format 2"),
        ("course.toml", "it has format 7, and LockLab 0.1.0 reads format 1"),
    ],
)
def test_another_format_is_refused(course: Path, path: str, says: str) -> None:
    """One sentence that names both versions."""
    file = course.parent / path
    number = "format = 7" if path == "course.toml" else '{"labs": {"tiny": {"lab": "1"}}}'
    file.write_text(file.read_text().replace("format = 1", number) if "=" in number else number)
    code, said = run("check", course)
    assert (2, True) == (code, says in said), said


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
    ] == [(c.student, c.check, c.was, c.now, c.points) for c in compare(old, new).changes]
    for name, results in (("old", old), ("new", new)):
        for one in results:
            keep(tmp_path / name / one.student, one)
    asked = [str(tmp_path / "old"), str(tmp_path / "new")]
    done = typed("grade", "compare", *asked)
    assert (1, "3 students with differences") == (done.exit_code, done.output.splitlines()[-1])
    same = typed("grade", "compare", asked[0], asked[0], "--json")
    assert (0, []) == (same.exit_code, json.loads(same.stdout))


def test_a_real_change_is_not_drowned(tmp_path: Path) -> None:
    """A grading without the course, the roster and marks differs in verdicts alone."""
    late = Late(due="d", handed_in="h", days=1, excused=0, share=0.5)
    given = Mark(check="b", points=1.0, reason="x", by="ann", submission_sha256="0" * 64)
    marked = result("ada", check("a"), check("b")).with_marks([given])
    old = [
        marked.model_copy(update={"late": late}),
        result("bob", check("a"), late=late),
        result("zoe", check("a", "no_output"), absent=True, complete=False),
    ]
    new = [result("ada", check("a"), check("b")), result("bob", check("a", "fail"))]
    found = compare(old, new)
    assert [("bob", "a", -4.0), ("bob", "total", -4.0)] == [
        (c.student, c.check, c.points) for c in found.changes
    ]
    assert (("ada", "bob"), ("ada",)) == (found.late, found.marked)
    for name, results in (("old", old), ("new", new)):
        for one in results:
            keep(tmp_path / name / one.student, one)
    add_mark(tmp_path / "old" / "ada", given)
    keep(tmp_path / "old" / "ada", old[0])
    done = typed("grade", "compare", str(tmp_path / "old"), str(tmp_path / "new"))
    assert "1 students with differences" == done.stdout.splitlines()[-1]
    assert "lateness: left out for 2 students" in done.stderr
    assert "marks by hand: left out for 1 students" in done.stderr


def test_a_deadline_that_moved_is_a_change() -> None:
    """Where both gradings have dates: in words, and the points that it brings."""
    late = Late(due="d", handed_in="h", days=1, excused=0, share=0.5)
    early = late.model_copy(update={"days": 0, "share": 1.0})
    found = compare([result("ada", check("a"), late=late)], [result("ada", check("a"), late=early)])
    words = "1 day late: 50 % of the points deducted"
    assert [Change("ada", "lateness", words, "in time", 2.0)] == [*found.changes]
