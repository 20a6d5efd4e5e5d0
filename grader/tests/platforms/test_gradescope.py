"""Gradescope: the bundle, and gradings in a tree like theirs, on half a CPU and 768 MB."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from allowance import Allowance
from pydantic import BaseModel, ConfigDict, Field
from tiny_lab import LAB as TINY
from tiny_lab import TAS
from typed import typed

from lockgrader.check import Check
from lockgrader.judging import evaluate as evaluating
from lockgrader.lab import Lab, load
from lockgrader.platforms import gradescope, here
from lockgrader.platforms.gradescope import metadata, run
from lockgrader.platforms.here import handed_in
from lockgrader.platforms.package import SOURCES, Config, PackageError, write_zip
from lockgrader.sandbox import SandboxError, available
from locklabs import find

ROOT = Path(__file__).parents[3]
KEY = b"a key of sixteen bytes or more"
LAB = """
format = 2
name = "tiny"
title = "Tiny"
answers = "answers.json"

[variant.mine]
choice = [100, 200, 300]

[[check]]
name = "number"
title = "Number"
kind = "answer"
answer = "n"
expected = 10.0
points = 2
hints = ["first", "second"]

[[check]]
name = "other"
title = "Other"
kind = "answer"
answer = "m"
expected = 3.0
points = 3
"""
HIDDEN = """
[[check]]
name = "again"
title = "A title that tells too much"
kind = "answer"
answer = "n"
expected = 10.0
points = 5
"""
Visibility = Literal["hidden", "after_due_date", "after_published", "visible"]
Output = Literal["text", "html", "simple_format", "md", "ansi"]


class _Schema(BaseModel):
    """Gradescope's, as its documentation describes it: no other key, no other value."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TestCase(_Schema):
    """One of ``tests``."""

    __test__ = False
    score: float
    max_score: float
    status: Literal["passed", "failed"]
    name: str
    number: str
    output: str
    output_format: Output
    tags: list[str]
    visibility: Visibility
    extra_data: dict[str, Any]


class Document(_Schema):
    """The whole; ``score`` or ``tests`` must be there."""

    score: float | None = None
    execution_time: float = Field(ge=0)
    output: str
    output_format: Output
    test_output_format: Output = "text"
    test_name_format: Output = "text"
    visibility: Visibility
    stdout_visibility: Visibility
    extra_data: dict[str, Any]
    tests: list[TestCase]


def bundle(lab: Lab, out: Path, *, key: bytes | None) -> None:
    """Write a lab's bundle."""
    write_zip(gradescope.parts(lab, Config(), key), out)


def tree(
    root: Path,
    lab: str = LAB,
    hidden: str = HIDDEN,
    answers: str = '{"n": 10, "m": 4}',
    **config: Any,
) -> Path:
    """``/autograder`` as the platform makes it, with a small lab."""
    for name in ("source/lab/hidden", "submission", "results"):
        (root / name).mkdir(parents=True)
    (root / "source/lab/lab.toml").write_text(lab)
    (root / "source/lab/hidden/checks.toml").write_text(hidden)
    (root / "source/config.json").write_text(Config(**config).model_dump_json())
    (root / "source/course.key").write_bytes(KEY)
    about = {"id": 1, "users": [{"email": "ada@example.org", "id": 7, "name": "Ada"}]}
    (root / "submission_metadata.json").write_text(json.dumps(about))
    (root / "submission/answers.json").write_text(answers)
    return root


def results(root: Path) -> Document:
    """What the platform would read now."""
    return Document.model_validate_json((root / "results/results.json").read_text())


def test_a_submission_is_graded(tmp_path: Path) -> None:
    """Scores, hidden parts and shown parts."""
    result = run(tree(tmp_path)).result
    document = results(tmp_path)
    assert ("ada@example.org", 7.0) == (result.student, result.points)
    assert [2.0, 0.0, 5.0] == [t.score for t in document.tests]
    assert ["visible", "visible", "hidden"] == [t.visibility for t in document.tests]
    told = document.output + "".join(t.output + t.name for t in document.tests[:2])
    assert "too much" not in told
    assert "5 of 5 points" in told


SPY = """
import os
found = []
for folder, _, names in os.walk("ROOT"):
    for name in names:
        try:
            found.append(open(os.path.join(folder, name)).read())
        except OSError:
            pass
answers = {"n": 10 if not "".join(found) else -1, "m": 3}
"""


@pytest.mark.parametrize("profile", ["namespaces", "platform"])
def test_student_reads_nothing_of_the_platforms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    """Neither checks and key nor earlier results: code that looks for them finds no file."""
    if os.geteuid() != 0 or available(profile):  # type: ignore[arg-type]
        pytest.skip(f"{profile} as root: {available(profile) or 'not root'}")  # type: ignore[arg-type]
    monkeypatch.setattr(here, "profile", lambda: profile)
    root = tree(tmp_path / "autograder")
    for folder in (tmp_path, *tmp_path.parents[:-2], root):
        folder.chmod(folder.stat().st_mode | 0o055)
    for path in root.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (root / "submission/answers.json").unlink()
    (root / "submission/answers.py").write_text(SPY.replace("ROOT", str(root)))
    (root / "submission").chmod(0o700)  # so that whatever is found is not the student's own
    with monkeypatch.context() as patch:
        patch.setattr(here, "close", lambda *_: None)
        opened = run(root).result.checks[0].verdict
    assert {"platform": "fail", "namespaces": "pass"}[profile] == opened  # it would have found some
    assert ["pass", "pass", "pass"] == [c.verdict for c in run(root).result.checks]


@pytest.mark.parametrize("profile", ["namespaces", "platform"])
def test_a_lock_is_graded_as_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    """Compiled in either sandbox, proven and simulated outside: the same verdicts."""
    if os.geteuid() != 0 or available(profile):  # type: ignore[arg-type]
        pytest.skip(f"{profile} as root: {available(profile) or 'not root'}")  # type: ignore[arg-type]
    monkeypatch.setattr(here, "profile", lambda: profile)
    root = tree(tmp_path, lab=TINY, answers='{"n": 10}')
    (root / "submission/tas.py").write_text(TAS)
    assert ["pass", "partial", "pass", "pass"] == [c.verdict for c in run(root).result.checks]


def test_results_are_there_after_each_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first check, and whenever a kill may come, the document is valid."""
    seen = []

    def look(*arguments: Any) -> Any:
        seen.append(results(tmp_path))
        return evaluating.evaluate(*arguments)

    monkeypatch.setattr("lockgrader.grade.evaluate", look)
    run(tree(tmp_path))
    assert [0, 1, 2] == [len(d.tests) for d in seen]
    assert "before its first check" in seen[0].output
    assert "has not ended" in seen[2].output
    assert "has not ended" not in results(tmp_path).output


def test_what_the_time_does_not_reach_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that never ends makes itself and the later checks grader errors, nothing else."""
    judged: Callable[..., Any] = Check.judge

    def second_hangs(check: Any, submitted: Any) -> Any:
        if check.name == "other":
            time.sleep(600)
        return judged(check, submitted)

    monkeypatch.setattr(Check, "judge", second_hangs)
    root = tree(tmp_path)
    monkeypatch.setattr(gradescope, "read_config", lambda _: Config.model_construct(seconds=3))
    monkeypatch.setattr(here, "warm", lambda: None)
    monkeypatch.setattr(Config, "student", "email", raising=False)
    result = run(root).result
    assert ["pass", "grader_error", "grader_error"] == [c.verdict for c in result.checks]
    document = results(root)
    assert ["other", "again"] == document.extra_data["grader_errors"]
    assert "failed in 2 of the checks" in document.output
    assert [2.0, 0.0, 0.0] == [t.score for t in document.tests]


@pytest.mark.parametrize("gone", ["source/config.json", "submission_metadata.json"])
def test_our_own_faults_are_ours(tmp_path: Path, gone: str) -> None:
    """A damaged bundle gives no marks, and both the document and the operator learn it."""
    root = tree(tmp_path)
    (root / gone).unlink()
    with pytest.raises(PackageError):
        run(root)
    assert "error of the grader" in results(root).output


def test_no_sandbox_no_grading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail closed."""
    monkeypatch.setattr(here, "available", lambda profile: f"no {profile} here")
    with pytest.raises(SandboxError, match="no platform here"):
        run(tree(tmp_path))
    assert [] == results(tmp_path).tests


def test_attempts_are_other_files(tmp_path: Path) -> None:
    """The second hint comes with the second version, and not with the same files again."""
    root = tree(tmp_path)
    about = json.loads((root / "submission_metadata.json").read_text())
    hints = []
    for number in (1, 1, 2):
        (root / "submission/answers.json").write_text(json.dumps({"n": number}))
        run(root)
        told = json.loads((root / "results/results.json").read_text())
        hints.append(told["tests"][0]["output"].rpartition("Hint: ")[2])
        about.setdefault("previous_submissions", []).append({"score": 0, "results": told})
        (root / "submission_metadata.json").write_text(json.dumps(about))
    assert ["first", "first", "second"] == hints


def test_student_is_who_the_platform_says(tmp_path: Path) -> None:
    """Of a group the first in alphabetical order; whatever is missing is refused."""
    path = tmp_path / "m.json"
    users = [{"email": "b@x", "id": 1}, {"email": "a@x", "id": 2}, {"id": 3}]
    path.write_text(json.dumps({"users": users, "previous_submissions": [None, {"results": None}]}))
    assert ("a@x", ()) == (metadata(path, "email").student, metadata(path, "email").before)
    assert "1" == metadata(path, "id").student
    for text in ("[]", '{"users": []}', '{"users": [[]]}', "{", '{"users": [{"email": ""}]}'):
        path.write_text(text)
        with pytest.raises(PackageError):
            metadata(path, "email")


def test_a_folder_that_was_handed_in_is_looked_into(tmp_path: Path) -> None:
    """One folder, and no link."""
    (tmp_path / "in/homework").mkdir(parents=True)
    assert tmp_path / "in/homework" == handed_in(tmp_path / "in", ("a.py",))
    (tmp_path / "in/a.py").write_text("")
    assert tmp_path / "in" == handed_in(tmp_path / "in", ("a.py",))
    (tmp_path / "link").mkdir()
    (tmp_path / "link/x").symlink_to("/etc")
    assert tmp_path / "link" == handed_in(tmp_path / "link", ("a.py",))


def test_bundle_holds_what_grading_needs_and_no_more(tmp_path: Path) -> None:
    """Hidden checks and key, readable by their owner alone; nothing that solves the lab."""
    lab = load(find("lab02"))
    bundle(lab, tmp_path / "a b.zip", key=KEY)
    with zipfile.ZipFile(tmp_path / "a b.zip") as archive:
        names = archive.namelist()
        modes = {e.filename: e.external_attr >> 16 & 0o777 for e in archive.infolist()}
        assert KEY == archive.read("course.key")
    inside = sorted(n.removeprefix("lab/") for n in names if n.startswith("lab/"))
    assert {"lab.toml", "hidden/checks.toml"} <= set(inside)
    assert [] == [n for n in inside if "solution" in n or "mutants" in n]
    assert ["starter/answers.json", "starter/spinlocks.py"] == [n for n in inside if "starter" in n]
    assert {"setup.sh", "run_autograder", "config.json"} <= set(names)
    assert {0o600, 0o700} == set(modes.values())
    assert (0o700, 0o600) == (modes["setup.sh"], modes["lab/hidden/checks.toml"])
    known = subprocess.run(
        ["git", "ls-files", "-z", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\0")
    wanted = {
        f"locklab/{n}" for n in known if n and not {"tests", "benchmarks"} & set(n.split("/"))
    }
    assert wanted <= set(names)


def test_bundle_is_the_same_each_time(tmp_path: Path) -> None:
    """So that two can be compared."""
    lab = load(find("lab02"))
    for name in ("a.zip", "b.zip"):
        bundle(lab, tmp_path / name, key=None)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert "course.key" not in archive.namelist()


def test_scripts_are_shell(tmp_path: Path) -> None:
    """Both scripts parse."""
    folder = ROOT / "grader/lockgrader/platforms/files/gradescope"
    for name in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n", str(folder / name)], check=True)


def test_command_makes_a_bundle(tmp_path: Path) -> None:
    """One JSON document; nonsense is refused."""
    out = tmp_path / "autograder.zip"
    key = tmp_path / "course.key"
    key.write_bytes(KEY)
    asked = ["bundle", "gradescope", "lab02"]
    made = typed("grade", *asked, "-o", str(out), "--key", str(key), "--json")
    told = json.loads(made.stdout)
    assert (0, True, out.stat().st_size) == (made.exit_code, told["key"], told["bytes"])
    for wrong in (["--identity", "shoe-size"], ["--max-time", "5s"], ["-o", "/nowhere/a.zip"]):
        assert 2 == typed("grade", *asked, *wrong).exit_code


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["namespaces", "platform"])
def test_lab02_on_their_container(tmp_path: Path, profile: str) -> None:
    """From the bundle, by run_autograder, as root, on half a CPU and 768 MB: whole, in ten minutes.

    What setup.sh installs is stood in for by this environment. Under ``platform`` there is no
    bubblewrap to be found, as in a container without it.
    """
    if os.geteuid() != 0 or available(profile):  # type: ignore[arg-type]
        pytest.skip(f"{profile} as root: {available(profile) or 'not root'}")  # type: ignore[arg-type]
    root = tree(tmp_path / "autograder")
    shutil.rmtree(root / "source")
    bundle(load(find("lab02")), tmp_path / "autograder.zip", key=KEY)
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        archive.extractall(root / "source")
    (root / "source").chmod(0o700)
    (root / "source/locklab/.venv").symlink_to(Path(sys.prefix))
    shutil.rmtree(root / "submission")
    shutil.copytree(find("lab02") / "solution", root / "submission")
    path = os.environ["PATH"]
    if profile == "platform":
        path = str(tmp_path / "bin")
        (tmp_path / "bin").mkdir()
        for name in ("env", "bash"):
            (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    with Allowance(cpus=0.5, memory_bytes=768 << 20) as allowance:
        began = time.monotonic()
        code = allowance.run(
            ["bash", str(root / "source/run_autograder")],
            env={"LOCKLAB_AUTOGRADER": str(root), "PATH": path},
            timeout_s=600,
        )
        seconds = time.monotonic() - began
    print(f"{profile}: {seconds:.0f} s, {allowance.peak_bytes / 2**20:.0f} MiB, {allowance.how}")
    document = results(root)
    assert (0, True, []) == (
        code,
        document.extra_data["complete"],
        document.extra_data["grader_errors"],
    )
    verdicts = {t.extra_data["name"]: t.extra_data["verdict"] for t in document.tests}
    proven = [n for n, v in verdicts.items() if v == "pass"]
    assert {"tas-proven", "mcs-proven", "mcs-local", "mcs-again", "mcs-many"} <= set(proven)
    assert allowance.peak_bytes <= 768 << 20
