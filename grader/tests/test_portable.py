"""LockLab where Unix's own modules are missing, as on Windows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog", "pyseccomp")
HOOK = f"""
import multiprocessing, os, signal, subprocess, sys, tempfile
class Others:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        return None if name in {HIDDEN} else self.finder.find_spec(name, path, target)
for name in {HIDDEN}:
    sys.modules.pop(name, None)
sys.meta_path[:] = [Others(finder) for finder in sys.meta_path]
for owner, names in ((os, ("fork", "sysconf", "sched_getaffinity", "tcgetpgrp", "getpgrp")),
                     (signal, ("SIGSYS", "SIGXCPU", "SIGCONT"))):
    for name in names:
        delattr(owner, name)
"""
"""What runs before LockLab: modules that are not found, functions that are not there."""


def run(*arguments: str, folder: Path, code: int = 0) -> str:
    """What a command prints, or with another exit code than 0 its error."""
    script = f"{HOOK}\nimport locklab\nsys.exit(locklab.main({list(arguments)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert code == done.returncode, done.stdout + done.stderr
    return done.stderr if code else done.stdout


@pytest.mark.parametrize(
    "command",
    ["lock list", "machine list", "lab list", "lesson list", "check tas --threads 2", "--help"],
)
def test_command_runs(command: str, tmp_path: Path) -> None:
    """Commands of the language, the checker, labs and lessons."""
    assert run(*command.split(), folder=tmp_path)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("lab check", "a sandbox needs Linux"),
        ("lab check --no-sandbox --watch", "--watch needs Linux or macOS"),
        ("grade lab02 .", "a sandbox needs Linux"),
    ],
)
def test_what_needs_linux_says_so(command: str, said: str, tmp_path: Path) -> None:
    """One message and exit code 2, no traceback."""
    run("lab", "start", "lab02", "--student", "ada", folder=tmp_path)
    assert said in run(*command.split(), folder=tmp_path / "lab02-spinlocks", code=2)


@pytest.mark.slow
def test_lab_is_checked(tmp_path: Path) -> None:
    """Lab 02 from start to submission, with a proof and a measurement."""
    run("lab", "start", "lab02", "--student", "ada", folder=tmp_path)
    lab = tmp_path / "lab02-spinlocks"
    text = (ROOT / "labs/lab02-spinlocks/solution/spinlocks.py").read_text()
    (lab / "spinlocks.py").write_text(text)
    names = ["mcs-proven", "ttas-proven"]
    answer = json.loads(run("lab", "check", *names, "--no-sandbox", "--json", folder=lab))
    assert ["pass", "pass"] == [check["verdict"] for check in answer["result"]["checks"]]
    run("lab", "submit", "--no-sandbox", folder=lab)
    assert (lab / "ada-lab02.zip").is_file()


@pytest.mark.slow
def test_checks_of_c_are_skipped(tmp_path: Path) -> None:
    """The parts of lab 05 in C say why they did not run; they cost nothing."""
    run("lab", "start", "lab05", "--student", "ada", folder=tmp_path)
    lab = tmp_path / "lab05-rcu"
    for file in (ROOT / "labs/lab05-rcu/solution").iterdir():
        (lab / file.name).write_bytes(file.read_bytes())
    answer = json.loads(run("lab", "check", "--no-sandbox", "--json", folder=lab))
    skipped = {
        check["message"] for check in answer["result"]["checks"] if check["verdict"] == "skipped"
    }
    assert {"checks of C need Linux; the grader runs them there"} <= skipped
