"""GitHub Actions: the workflows, and gradings in a checked-out repository."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from results_made import EVIL, check, counterexample, result, rich_result
from tiny_lab import ANSWERS, KEY, STARTER, TAS, WRONG, make_whole, needs_sandbox
from typed import typed

from lockgrader.author.bundle import public_files
from lockgrader.export.actions import comments, summary
from lockgrader.export.neutral import feedback
from lockgrader.lab import load
from lockgrader.platforms import actions
from lockgrader.platforms.package import Config, PackageError
from lockgrader.result import Result
from lockgrader.result import load as load_result
from lockgrader.workspace import folder as workspaces

WORKFLOWS = Path(actions.__file__).parent / "files" / "actions"
ACTIONLINT = shutil.which("actionlint")


def written(parts: dict[str, bytes], root: Path) -> Path:
    """A bundle that was unpacked; without our sources, which this environment stands in for."""
    for name, data in parts.items():
        if not name.startswith(".locklab/source/"):
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return root


def workspace(lab: Path, folder: Path, text: str, answers: str = ANSWERS) -> Path:
    """A student's workspace."""
    made = workspaces.start(
        public_files(lab), folder, student="ada", draw=lambda _: {"machine": "ideal-8"}
    )
    (made.folder / "tas.py").write_text(text)
    (made.folder / "answers.json").write_text(answers)
    return folder


@pytest.mark.parametrize("name", ["check.yml", "grade.yml"])
def test_a_workflow_asks_for_no_more_than_it_needs(name: str) -> None:
    """It reads and writes nothing else; its own commands are ones that exist."""
    document = yaml.safe_load((WORKFLOWS / name).read_text())
    assert {"contents": "read"} == document["permissions"]
    (job,) = document["jobs"].values()
    run = [step["run"] for step in job["steps"] if "run" in step]
    assert ".locklab/source/.venv/bin/locklab grade here actions" == run[-1]
    assert "bash .locklab/source/tools/setup" in run[-2]
    # An expression in a command would be executed as it stands in the student's text.
    assert not any("${{" in command for command in run)
    secret = "LOCKLAB_COURSE_KEY" in (WORKFLOWS / name).read_text()
    assert (name == "grade.yml") == secret


@pytest.mark.skipif(ACTIONLINT is None, reason="actionlint is not installed")
def test_actionlint_finds_nothing() -> None:
    """The syntax, the expressions and the inputs of the actions are right."""
    assert ACTIONLINT is not None
    files = sorted(map(str, WORKFLOWS.glob("*.yml")))
    done = subprocess.run([ACTIONLINT, *files], capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stdout)


@needs_sandbox
@pytest.mark.parametrize(
    ("text", "code", "line"), [(TAS, 0, set()), (WRONG, 1, {"8"}), (STARTER, 1, {"8"})]
)
def test_a_students_repository(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    code: int,
    line: set[str],
) -> None:
    """Public checks only: the exit code, the line of the mistake, the page."""
    lab = make_whole(tmp_path / "lab")
    parts = actions.parts(load(lab), Config(public=True), KEY)
    assert not any(b"again-and-again" in data for data in parts.values())
    root = written(parts, tmp_path / "repository")
    workspace(lab, root / "tiny", text)
    page = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    graded = actions.run(root)
    assert (code, "ada") == (graded.code, graded.result.student)
    out = capsys.readouterr().out
    assert line == set(re.findall(r"file=tiny/tas\.py,line=(\d+)", out))
    assert page.read_text().startswith(f"## Tiny: {graded.result.points:g} of 10 points")


@needs_sandbox
def test_a_repository_of_the_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hidden checks, the variant of the key, the predictions of the workspace, a kept result."""
    lab = make_whole(tmp_path / "lab")
    root = written(actions.parts(load(lab), Config(), KEY), tmp_path / "course")
    work = workspace(lab, root / "submission", TAS)
    state = workspaces.Workspace(work).state
    locked = {"guess": {"values": (10.0, 10.0), "at": state.started}}
    workspaces.Workspace(work).update(lambda _: {"predictions": locked})
    monkeypatch.setenv("LOCKLAB_STUDENT", "ada")
    monkeypatch.delenv("LOCKLAB_COURSE_KEY", raising=False)
    with pytest.raises(PackageError, match="LOCKLAB_COURSE_KEY is not set"):
        actions.run(root)
    monkeypatch.setenv("LOCKLAB_COURSE_KEY", KEY.decode() + "\n")
    graded = actions.run(root)
    assert (0, 14.0, 14.0) == (graded.code, graded.result.points, graded.result.max_points)
    assert graded.result == load_result(root / "results" / "ada")
    assert (root / "results" / "ada" / "feedback.html").is_file()
    monkeypatch.delenv("LOCKLAB_STUDENT")
    with pytest.raises(PackageError, match="LOCKLAB_STUDENT"):
        actions.run(root)


def test_a_repository_without_a_workspace(tmp_path: Path) -> None:
    """The message says how to make one; two are one too many."""
    (tmp_path / ".locklab").mkdir()
    (tmp_path / ".locklab/config.json").write_bytes(Config(public=True).file())
    with pytest.raises(PackageError, match="has 0 workspaces"):
        actions.run(tmp_path)
    lab = make_whole(tmp_path / "lab")
    for name in ("a", "b"):
        workspace(lab, tmp_path / name, TAS)
    with pytest.raises(PackageError, match="has 2 workspaces"):
        actions.run(tmp_path)


def named(*checks: object) -> Result:
    """A result whose submission has the file of the counterexamples."""
    return result("ada", *checks, files={"tas.py": "0" * 64})  # type: ignore[arg-type]


def test_no_text_is_a_command_of_its_own() -> None:
    """Line ends, percent signs, colons and commas of a text stay in it."""
    one = check("a", "fail", title="A: b, c", message="100%\n::add-mask::x\r\n::error::y")
    (text,) = comments(feedback(named(one)))
    assert text.startswith("::error title=A%3A b%2C c::")
    assert "100%25" in text
    assert not {"\n", "\r"} & set(text)


def test_the_line_is_where_the_mistake_is() -> None:
    """The last step of a counterexample; else what the message names; else none."""
    bad = check("a", "fail", counterexample=counterexample())
    error = check("b", "student_error", message="tas.py:12: no such operation")
    other = check("c", "fail", message="the number 7 is wrong")
    texts = comments(feedback(named(bad, error, other)))
    assert [["3"], ["12"], []] == [re.findall(r"file=tas\.py,line=(\d+)", t) for t in texts]


def test_the_page_holds_no_markup_of_a_student() -> None:
    """Hidden checks show their verdict only, and no sign of a text acts."""
    text = summary(feedback(rich_result()), "Lab")
    assert "secret-one: not right yet" in text.replace("\\", "")
    assert "4711" not in text
    assert EVIL not in re.sub(r"(`{3,}).*?\1", "", text, flags=re.DOTALL)


def test_command_makes_both(tmp_path: Path) -> None:
    """For students without, for the course with the hidden checks; never with the key."""
    lab, key = make_whole(tmp_path / "lab"), tmp_path / "course.key"
    key.write_bytes(KEY)
    for more, wanted in (([], True), (["--public"], False)):
        out = tmp_path / "a.zip"
        arguments = ["bundle", "actions", str(lab), "-o", str(out), "--key", str(key), *more]
        assert 0 == typed("grade", *arguments).exit_code
        data = out.read_bytes()
        assert wanted == (b".locklab/lab/hidden/checks.toml" in data)
        assert b"course.key" not in data
    for wrong in (["gitlab", str(lab)], ["gradescope", str(lab), "--public"]):
        assert 2 == typed("grade", "bundle", *wrong).exit_code
