"""A whole grading: sandbox, validation, checks, result; in a lab made for it."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lockgrader import evaluate as evaluating
from lockgrader.batch import attempt_of, grade_all, tasks
from lockgrader.checks import Finding, Submitted
from lockgrader.cli.grade import app
from lockgrader.evaluate import evaluate
from lockgrader.grade import grade
from lockgrader.lab import Lab, LabError, Proven, load
from lockgrader.result import Result
from lockgrader.result import load as load_result
from lockgrader.sandbox import available

KEY = b"a key of sixteen bytes or more"
TAS = """
from locksim.lang import ACQUIRE, RELEASE, Lock, pause, word

class TAS(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.locked.store(0, RELEASE)
"""
LAB = """
format = 1
name = "tiny"
title = "Tiny"
locks = "tas.py"
answers = "answers.json"

[[check]]
name = "right"
title = "Right"
kind = "proven"
lock = "TAS"
memory = "c11"
points = 4
hints = ["first", "second"]
[check.misconceptions]
exclusion = "two steps are one"

[[check]]
name = "cheap"
title = "Cheap"
kind = "simulated"
lock = "TAS"
machine = "ideal-8"
cpus = [4]
measure = "transfers"
points = 4
needs = ["right"]
band = { high = 3.0, fade = 1.0 }

[[check]]
name = "number"
title = "Number"
kind = "answer"
answer = "n"
expected = 10.0
tolerance = 0.1
fade = 0.5
points = 2
"""
needs_sandbox = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A lab of three checks."""
    folder = tmp_path / "lab"
    folder.mkdir()
    (folder / "lab.toml").write_text(LAB)
    return load(folder)


def hand_in(folder: Path, text: str = TAS, answers: str = '{"n": 10}') -> Path:
    """A submission's folder."""
    folder.mkdir(parents=True)
    (folder / "tas.py").write_text(text)
    (folder / "answers.json").write_text(answers)
    return folder


def graded(lab: Lab, path: Path, attempt: int = 1) -> Result:
    """A student's grading."""
    return grade(lab, path, student="ada", key=KEY, attempt=attempt)


def verdicts(result: Result) -> list[str]:
    """One a check."""
    return [c.verdict for c in result.checks]


@needs_sandbox
def test_right_submission(lab: Lab, tmp_path: Path) -> None:
    """A proof is all of its points; a number outside its band is some of them, and says why."""
    result = graded(lab, hand_in(tmp_path / "ada"))
    assert ["pass", "partial", "pass"] == verdicts(result)
    assert "too big, by" in result.checks[1].rows[0].says
    assert 6.0 < result.points < 10.0


@needs_sandbox
def test_same_submission_same_result(lab: Lab, tmp_path: Path) -> None:
    """All that is decided is equal, however long it took."""
    path = hand_in(tmp_path / "ada")
    assert graded(lab, path).decided() == graded(lab, path).decided()


@needs_sandbox
def test_wrong_lock_teaches(lab: Lab, tmp_path: Path) -> None:
    """Counterexample with the student's own lines, misconception, hint, and what depends on it."""
    text = TAS.replace("swap(1, ACQUIRE)", "load(ACQUIRE)").replace("pause()\n\n", "pause()\n\n")
    result = graded(lab, hand_in(tmp_path / "ada", text), attempt=2)
    assert ["fail", "skipped", "pass"] == verdicts(result)
    first = result.checks[0]
    assert ("second", "two steps are one") == (first.hint, first.misconception)
    assert "self.locked.load(ACQUIRE)" in first.message


@needs_sandbox
def test_parts_are_apart(lab: Lab, tmp_path: Path) -> None:
    """A lock that does not compile leaves the answers' points alone."""
    result = graded(lab, hand_in(tmp_path / "ada", "import os\n"))
    assert ["student_error", "student_error", "pass"] == verdicts(result)


@needs_sandbox
def test_zip_is_read(lab: Lab, tmp_path: Path) -> None:
    """A zip with one folder in it is what platforms make of a folder."""
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        archive.writestr("homework/tas.py", TAS)
        archive.writestr("homework/answers.json", '{"n": 14}')
    result = graded(lab, tmp_path / "ada.zip")
    assert ["pass", "partial", "partial"] == verdicts(result)


@needs_sandbox
def test_batch_grades_once_and_resumes(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on disk is not graded again; what is missing, changed or ours to mend is."""
    for name in ("ada", "bob", "eve"):
        hand_in(tmp_path / "in" / name)
    todo = tasks(tmp_path / "in", tmp_path / "out")
    first = grade_all(lab, todo, key=KEY, profile="namespaces", processes=2)
    before = {t.student: (t.results / "result.json").stat().st_mtime_ns for t in todo}
    (tmp_path / "out" / "bob" / "result.json").unlink()  # as if killed before bob's was written
    again = grade_all(lab, todo, key=KEY, profile="namespaces", processes=2)
    after = {t.student: (t.results / "result.json").stat().st_mtime_ns for t in todo}
    assert [r.decided() for r in first] == [r.decided() for r in again]
    assert ["bob"] == [s for s in before if before[s] != after[s]]


def test_attempts_are_different_submissions(tmp_path: Path) -> None:
    """Handing in the same again is no new attempt; what a crash cut off is none."""
    lines = [json.dumps({"submission_sha256": x}) for x in ("a", "b", "a")]
    (tmp_path / "history.jsonl").write_text("\n".join(lines) + '\n{"submiss')
    assert [1, 2, 3] == [attempt_of(tmp_path, x) for x in ("a", "b", "c")]


def a_check(lab: Lab) -> Proven:
    """The lab's first."""
    first = lab.checks({})[0]
    assert isinstance(first, Proven)
    return first


def test_crash_of_a_check_is_ours(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception, a signal and a silent exit are grader_errors, never a pass."""
    for crash in (lambda *_: 1 / 0, lambda *_: os.kill(os.getpid(), 9), lambda *_: os._exit(0)):
        monkeypatch.setattr(evaluating, "judge", crash)
        assert "grader_error" == evaluate(a_check(lab), Submitted(), 5).verdict


def test_check_without_end_is_ended(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processor time is what counts: a busy machine takes longer, and changes nothing."""

    def spin(*_: object) -> Finding:
        while True:
            pass

    monkeypatch.setattr(evaluating, "judge", spin)
    assert "timeout_cpu" == evaluate(a_check(lab), Submitted(), 1).verdict


def test_check_that_sleeps_is_ended(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for ever ends, too."""
    monkeypatch.setattr(evaluating, "judge", lambda *_: signal.pause())
    monkeypatch.setattr(evaluating, "WALL_FACTOR", 1)
    assert "timeout_wall" == evaluate(a_check(lab), Submitted(), 1).verdict


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('kind = "answer"', 'kind = "essay"'), "essay"),
        (("points = 2", "points = -2"), "points"),
        (('needs = ["right"]', 'needs = ["number"]'), "no check before it"),
        (('name = "cheap"', 'name = "right"'), "already"),
        (("expected = 10.0", "expected = nan"), "expected"),
        (("points = 2", "points = 2\nbonus = 1"), "bonus"),
        (('machine = "ideal-8"', 'machine = "$machine"'), "no variant"),
    ],
)
def test_mistakes_in_a_lab_are_named(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    """A lab is refused with the place and the reason."""
    (tmp_path / "lab.toml").write_text(LAB.replace(*change))
    with pytest.raises(LabError, match=says):
        load(tmp_path).checks({})


@needs_sandbox
def test_command_prints_json_only(lab: Lab, tmp_path: Path) -> None:
    """One document on stdout, that is a result."""
    path = hand_in(tmp_path / "ada")
    done = CliRunner().invoke(app, [lab.folder, str(path), "--json"])
    document = json.loads(done.stdout)
    assert (0, "ada", 10.0) == (done.exit_code, document["student"], document["max_points"])


def test_command_refuses_nonsense(lab: Lab, tmp_path: Path) -> None:
    """No sandbox profile, no submission, no lab: exit code 2 and a way out."""
    for arguments in ([lab.folder], [lab.folder, "nowhere"], ["lab99", "."]):
        assert 2 == CliRunner().invoke(app, arguments).exit_code
    assert 2 == CliRunner().invoke(app, [lab.folder, str(tmp_path), "--sandbox", "none"]).exit_code


@needs_sandbox
@pytest.mark.slow
def test_killed_batch_goes_on(lab: Lab, tmp_path: Path) -> None:
    """Killed at any moment and started again: the results of an undisturbed run, each once."""
    students = [f"s{i}" for i in range(6)]
    for name in students:
        text = TAS if name != "s3" else TAS.replace("swap(1, ACQUIRE)", "load(ACQUIRE)")
        hand_in(tmp_path / "in" / name, text)
    calm = tmp_path / "calm"
    command = [sys.executable, "-m", "locklab", "grade", lab.folder, str(tmp_path / "in"), "-o"]
    subprocess.run([*command, str(calm)], check=True, capture_output=True, timeout=300)
    for number in range(20):
        out = tmp_path / f"out{number}"
        victim = subprocess.Popen(
            [*command, str(out)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            victim.wait(random.Random(number).uniform(0.2, 4.0))
        with contextlib.suppress(ProcessLookupError):
            victim.kill()  # the grader alone: its workers are for it to end
        victim.wait()
        subprocess.run([*command, str(out)], check=True, capture_output=True, timeout=300)
        for name in students:
            wanted, got = result_of(calm / name), result_of(out / name)
            assert wanted.model_dump(exclude={"measured"}) == got.model_dump(exclude={"measured"})
            assert 1 == len((out / name / "history.jsonl").read_text().splitlines())


def result_of(folder: Path) -> Result:
    """The result that a folder holds."""
    found = load_result(folder)
    assert found is not None
    return found
