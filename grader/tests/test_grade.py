"""A whole grading: sandbox, validation, checks, result; in a lab made for it."""

import json
import os
import signal
import zipfile
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError
from tiny_lab import KEY, LAB, TAS, WRONG, hand_in, make_lab, make_whole, needs_sandbox
from typed import typed

from lockgrader import result as result_module
from lockgrader.batch.run import grade_all
from lockgrader.batch.tasks import attempt_of, tasks
from lockgrader.check import Check
from lockgrader.export.gradebook import enter
from lockgrader.finding import Finding
from lockgrader.grade import grade
from lockgrader.judging import evaluate as evaluating
from lockgrader.judging.evaluate import evaluate
from lockgrader.kinds.proven import Proven
from lockgrader.lab import Lab, LabError, load
from lockgrader.read import submission
from lockgrader.read.submission import Submission, read
from lockgrader.result import Result
from lockgrader.submitted import Submitted


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A lab of three checks."""
    return make_lab(tmp_path)


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
def test_names_in_any_script(lab: Lab, tmp_path: Path) -> None:
    """Names that Python takes are graded and shown; one from right to left reverses nothing."""
    japanese = graded(lab, hand_in(tmp_path / "ada", TAS.replace("locked", "\u9320")))
    assert ["pass", "partial", "pass"] == verdicts(japanese)
    name = "\u05de\u05e0\u05e2\u05d5\u05dc"
    hebrew = graded(lab, hand_in(tmp_path / "eve", WRONG.replace("locked", name)))
    assert "fail" == hebrew.checks[0].verdict
    assert f"load lock.{name}\N{LEFT-TO-RIGHT MARK}: 0" in hebrew.checks[0].message


@needs_sandbox
def test_a_measurement_alone_brings_its_proofs(lab: Lab, tmp_path: Path) -> None:
    """A measurement compares itself with what proofs reached, so they run before it."""
    names = [check.name for check in lab.checks({})]
    result = grade(lab, hand_in(tmp_path / "ada"), student="ada", key=KEY, only=[names[1]])
    assert [(names[0], "pass"), (names[1], "partial")] == [
        (check.name, check.verdict) for check in result.checks
    ]


@needs_sandbox
def test_result_is_written_once_a_check(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three checks are three files, each with one check more; the last one is complete."""
    seen: list[tuple[int, bool]] = []

    def look(folder: Path, result: Result) -> Result:
        seen.append((len(result.checks), result.complete))
        return result_module.keep(folder, result)

    def read_again(path: Path, names: tuple[str, ...]) -> Submission:
        reads.append(path)
        return read(path, names)

    reads: list[Path] = []
    monkeypatch.setattr("lockgrader.cli.grade_one.keep", look)
    monkeypatch.setattr(submission, "read", read_again)
    path, out = hand_in(tmp_path / "ada"), tmp_path / "out"
    done = typed("grade", lab.folder, str(path), "-o", str(out), "--json")
    assert 0 == done.exit_code
    assert [(1, False), (2, False), (3, True)] == seen
    assert [path] == reads
    assert 0 == enter(out, ["ada"])  # it has reached the gradebook already


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
    assert "thread 0  tas.py:8  load lock.locked: 0, acquired lock" in first.message


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
    """What is on disk is not graded again; what is missing, changed or failed by our error is."""
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


@needs_sandbox
def test_crash_of_a_reader_is_ours(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A submission that makes us fall over is a grader_error, and the others are graded."""

    def falls(path: Path, names: tuple[str, ...]) -> Submission:
        return read(path, names) if path.name != "bob" else {}["bob"]

    monkeypatch.setattr(submission, "read", falls)
    for name in ("ada", "bob"):
        hand_in(tmp_path / "in" / name, "import os", '{"n": 10}')
    todo = tasks(tmp_path / "in", tmp_path / "out")
    ada, bob = grade_all(lab, todo, key=KEY, profile="namespaces", processes=1)
    assert ["student_error", "student_error", "pass"] == verdicts(ada)
    assert ["grader_error"] * 3 == verdicts(bob)
    assert "KeyError" in bob.checks[0].message


def test_attempts_are_different_submissions(tmp_path: Path) -> None:
    """The same submission again is not a new attempt; neither is a line cut off by a crash."""
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
        monkeypatch.setattr(Check, "judge", crash)
        assert "grader_error" == evaluate(a_check(lab), Submitted(), 5).verdict


@pytest.mark.parametrize("share", ["1e999", "NaN", 2.0, -0.5, 1.0])
def test_share_of_a_check_is_no_more_than_all(share: object) -> None:
    """What comes back from a check's process: no infinite share, and none for a failure."""
    with pytest.raises(ValidationError):
        TypeAdapter(Finding).validate_python({"verdict": "fail", "share": share})


def test_check_without_end_is_ended(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A guard in processor time decides nothing: no point is lost, and the check is run again."""

    def spin(*_: object) -> Finding:
        while True:
            pass

    monkeypatch.setattr(Check, "judge", spin)
    monkeypatch.setattr(evaluating, "WALL_FACTOR", 1000)  # however busy the machine is
    found = evaluate(a_check(lab), Submitted(), 1)
    assert "grader_error" == found.verdict
    assert "stopped after 1 s of processor time" in found.message


def test_check_that_sleeps_is_ended(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for ever ends, too."""
    monkeypatch.setattr(Check, "judge", lambda *_: signal.pause())
    monkeypatch.setattr(evaluating, "WALL_FACTOR", 1)
    found = evaluate(a_check(lab), Submitted(), 1)
    assert "grader_error" == found.verdict
    assert "stopped after 1 s of wall time" in found.message


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('kind = "answer"', 'kind = "essay"'), "essay"),
        (("points = 2", "points = -2"), "points"),
        (('needs = ["right"]', 'needs = ["number"]'), "no check before it"),
        (('name = "cheap"', 'name = "right"'), "earlier check"),
        (("expected = 10.0", "expected = nan"), "expected"),
        (("points = 2", "points = 2\nbonus = 1"), "bonus"),
        (('machine = "ideal-8"', 'machine = "$machine"'), "defines no 'machine'"),
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
    done = typed("grade", lab.folder, str(path), "--json")
    document = json.loads(done.stdout)
    assert (0, "ada", 10.0) == (done.exit_code, document["student"], document["max_points"])


def test_command_refuses_nonsense(lab: Lab, tmp_path: Path) -> None:
    """No sandbox profile, no submission, no lab: exit code 2 and a way out."""
    for arguments in ([lab.folder], [lab.folder, "nowhere"], ["lab99", "."]):
        assert 2 == typed("grade", *arguments).exit_code
    assert 2 == typed("grade", lab.folder, str(tmp_path), "--sandbox", "none").exit_code


@needs_sandbox
def test_a_byte_order_mark_costs_nothing(lab: Lab, tmp_path: Path) -> None:
    """Nor two characters at the end of a line, tabs, or a changed name."""
    plain = graded(lab, hand_in(tmp_path / "ada"))
    odd = hand_in(tmp_path / "odd")
    for path in odd.iterdir():
        tabs = path.read_bytes().replace(b"    ", b"\t")
        path.write_bytes(b"\xef\xbb\xbf" + tabs.replace(b"\n", b"\r\n"))
    (odd / "tas.py").rename(odd / "TAS (1).PY")
    assert verdicts(plain) == verdicts(graded(lab, odd))


@needs_sandbox
def test_a_broken_class_costs_its_own_points(lab: Lab, tmp_path: Path) -> None:
    """The checks of the other classes run, and the broken one's show the compiler's message."""
    broken = """

class Other(Lock):
    held = word()

    def acquire(self):
        while (yield self.holder.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)
"""
    right = graded(lab, hand_in(tmp_path / "ada", TAS + broken))
    assert ["pass", "partial", "pass"] == verdicts(right)
    wrong = graded(
        lab, hand_in(tmp_path / "bob", TAS.replace("TAS", "Old") + broken.replace("Other", "TAS"))
    )
    assert "student_error" == wrong.checks[0].verdict
    assert "holder" in wrong.checks[0].message


@needs_sandbox
@pytest.mark.parametrize("odd", ['"eight"', "true", "NaN", "[[1]]", "null"])
def test_an_odd_answer_costs_its_own_points(tmp_path: Path, odd: str) -> None:
    """The other answer is read and judged."""
    lab = load(make_whole(tmp_path))
    result = graded(lab, hand_in(tmp_path / "ada", answers=f'{{"guess": [9, 11], "n": {odd}}}'))
    found = {c.name: c.verdict for c in result.checks}
    assert "malformed_output" in found.values()
    assert "pass" in {v for n, v in found.items() if n != "right"}


@needs_sandbox
def test_no_entry_stops_a_batch(lab: Lab, tmp_path: Path) -> None:
    """Pipes, links, odd names and two entries of one student: each costs its owner only."""
    folder, out = tmp_path / "in", tmp_path / "out"
    hand_in(folder / "ada")
    os.mkfifo(folder / "eve.zip")
    (folder / "link").symlink_to("/etc/passwd")
    for name in (b"ad\xe9", "\u202etxt".encode(), b"a\x1b[2Jb", b"summary.html", b"grades.csv"):
        hand_in(Path(os.fsdecode(os.fsencode(folder) + b"/" + name)))
    with zipfile.ZipFile(folder / "...zip", "w") as archive:
        archive.writestr("tas.py", TAS)
    with zipfile.ZipFile(folder / "ada.zip", "w") as archive:
        archive.writestr("tas.py", WRONG)
    os.utime(folder / "ada.zip", (1, 1))
    done = typed("grade", lab.folder, str(folder), "-o", str(out))
    assert 0 == done.exit_code, done.output
    assert "ada.zip" in done.stderr
    assert "ada: 0 of" not in done.stdout
    assert {"grades.csv", "summary.html"} <= {p.name for p in out.iterdir() if p.is_file()}
    assert all(line.isprintable() for line in done.output.splitlines())
    students = {p.name for p in out.iterdir() if p.is_dir()}
    odd = {"ad%E9", "%E2%80%AEtxt", "a%1B%5B2Jb", "summary%2Ehtml", "grades%2Ecsv", "%2E%2E"}
    assert {"ada", "eve", "link", *odd} == students
