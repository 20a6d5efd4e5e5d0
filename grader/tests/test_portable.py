"""LockLab where Unix's own modules are missing, as on Windows: what works, what is skipped and why.

`make portable` runs all of it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import locklabs
from lockgrader.author.mutants import solution
from lockgrader.judging.evaluate import NEEDS_LINUX
from lockgrader.lab import load
from lockgrader.lab.variants import course_key, whole

ROOT = Path(__file__).resolve().parents[2]
PLAIN = {"NUMBA_DISABLE_JIT": "1"}
"""The checker runs as plain Python: nothing has to be compiled for a small question."""


def run(
    *arguments: str,
    folder: Path,
    codes: tuple[int, ...] = (0,),
    environment: Mapping[str, str] = PLAIN,
) -> str:
    """What a command prints that ends with one of the exit codes, or with 2 its error."""
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "without_unix.py", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | environment,
        check=False,
    )
    assert done.returncode in codes, done.stdout + done.stderr
    return done.stderr if done.returncode == 2 else done.stdout


def started(lab: str, folder: Path) -> Path:
    """A student's folder of a lab."""
    run("lab", "start", lab, "--student", "ada", folder=folder)
    return next(folder.glob(f"{lab}*"))


@pytest.mark.parametrize(
    "command",
    [
        "check tas --threads 2",
        "lab list",
        pytest.param("--help", marks=pytest.mark.slow),
        pytest.param("doctor", marks=pytest.mark.slow),
        pytest.param("lesson list", marks=pytest.mark.slow),
        pytest.param("show lock", marks=pytest.mark.slow),
        pytest.param("show lock mcs", marks=pytest.mark.slow),
        pytest.param("show machine", marks=pytest.mark.slow),
    ],
)
def test_command_runs(command: str, tmp_path: Path) -> None:
    """Commands of the language, the checker, labs and lessons."""
    assert run(*command.split(), folder=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "run ticket --cpus 2 --replications 2 --operations 50 --json",
        "sweep ticket --cpus 1,2 --replications 2 --json",
        "paper reproduce kaigai-2004 --json",
    ],
)
def test_simulator_runs(command: str, tmp_path: Path) -> None:
    """The compiled engine, with workers that start from nothing."""
    assert json.loads(run(*command.split(), folder=tmp_path, environment={}))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("lab check --sandbox platform", "a sandbox needs Linux"),
        pytest.param("native bench mcs", "needs Linux", marks=pytest.mark.slow),
    ],
)
def test_what_needs_linux_says_so(command: str, said: str, tmp_path: Path) -> None:
    """One message and exit code 2, no traceback."""
    assert said in run(*command.split(), folder=started("lab02", tmp_path), codes=(2,))


@pytest.mark.slow
def test_watch_needs_no_option(tmp_path: Path) -> None:
    """It runs all checks at once and waits for a save, until it is ended."""
    with subprocess.Popen(
        [sys.executable, ROOT / "tools" / "without_unix.py", "lab", "check", "--watch"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=started("lab00", tmp_path),
        env=os.environ | PLAIN | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        shown = iter(process.stdout.readline, "")
        assert any("points in the public checks" in line for line in shown)
        assert any("save a file to run again" in line for line in shown)
        process.terminate()


@pytest.mark.slow
@pytest.mark.parametrize("name", locklabs.names())
def test_lab_from_start_to_submission(name: str, tmp_path: Path) -> None:
    """A full solution earns all points of the checks but those of C, with no option."""
    lab = load(locklabs.find(name))
    folder, key = started(name, tmp_path), course_key(None)
    for file, text in solution(lab, "ada", key).items():
        (folder / file).write_text(text)
    checks = json.loads(run("lab", "check", "--json", folder=folder, codes=(0, 1), environment={}))[
        "result"
    ]["checks"]
    in_c = {one.name for one in lab.checks(whole(lab, "ada", key)) if one.part == "c"}
    lost = {one["name"]: one["message"] for one in checks if one["points"] < one["max_points"]}
    assert dict.fromkeys(in_c & {one["name"] for one in checks}, NEEDS_LINUX) == lost
    assert "a sandbox needs Linux" in run(
        "grade", name, ".", folder=folder, codes=(2,), environment={}
    )
    run("lab", "submit", folder=folder, environment={})
    assert (folder / f"ada-{name.partition('-')[0]}.zip").is_file()
