"""LockLab where Unix's own modules are missing, as on Windows: what works, what is skipped and why.

`make portable` runs all of it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import locklabs
from lockgrader.judging.evaluate import NEEDS_LINUX

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
        ("lab check", "a sandbox needs Linux"),
        pytest.param("native bench mcs", "needs Linux", marks=pytest.mark.slow),
    ],
)
def test_what_needs_linux_says_so(command: str, said: str, tmp_path: Path) -> None:
    """One message and exit code 2, no traceback."""
    assert said in run(*command.split(), folder=started("lab02", tmp_path), codes=(2,))


@pytest.mark.slow
@pytest.mark.parametrize("name", locklabs.names())
def test_lab_from_start_to_submission(name: str, tmp_path: Path) -> None:
    """The solution is proven and measured; only what is in C is skipped."""
    lab = started(name, tmp_path)
    shutil.copytree(ROOT / "labs" / name / "solution", lab, dirs_exist_ok=True)

    def checked() -> list[dict[str, str]]:
        found = run(
            "lab", "check", "--sandbox", "none", "--json", folder=lab, codes=(0, 1), environment={}
        )
        return json.loads(found)["result"]["checks"]  # type: ignore[no-any-return]

    waiting = [check for check in checked() if check["message"].startswith("predict first")]
    wanted = {re.findall(r'"(.+)":', check["message"])[0] for check in waiting}
    if wanted:
        answers = json.loads((lab / "answers.json").read_text())
        answers |= {key: [1, 1] for key in wanted}  # can be a share, a count and a time
        (lab / "answers.json").write_text(json.dumps(answers))
    after = checked()
    skipped = {check["message"] for check in after if check["verdict"] == "skipped"}
    skipped -= {reason for reason in skipped if reason.startswith("waits for the check")}
    kinds = (ROOT / "labs" / name / "lab.toml").read_text()
    sandboxed = 'kind = "c"' in kinds or 'kind = "function"' in kinds
    assert ({NEEDS_LINUX} if sandboxed else set()) == skipped
    assert "grader_error" not in {check["verdict"] for check in after}
    assert "a sandbox needs Linux" in run(
        "grade", name, ".", folder=lab, codes=(2,), environment={}
    )
    run("lab", "submit", "--sandbox", "none", folder=lab, environment={})
    assert (lab / f"ada-{name.partition('-')[0]}.zip").is_file()
