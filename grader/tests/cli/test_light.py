"""Checking a number imports no engine and no data frames; asserted on modules, not on times."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import contextlib, io, json, sys
import locklab

with contextlib.redirect_stdout(io.StringIO()):
    code = locklab.main(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]))
"""
HEAVY = {
    "locknative", "locksim.checker", "locksim.engine", "locksim.machine",
    "numba", "numpy", "pandas", "scipy",
}  # fmt: skip


def loaded(*arguments: str) -> set[str]:
    """Run a command that succeeds in a new interpreter; the modules that are loaded then."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True
    )
    code, modules = json.loads(done.stdout)
    assert 0 == code, done.stderr
    return set(modules)


def test_a_checked_number_loads_no_engine(tmp_path: Path) -> None:
    """The right value is a formula over two cells of a published table."""
    folder = tmp_path / "lab08"
    loaded("lab", "start", "lab08", "--dir", str(folder))
    (folder / "answers.json").write_text(json.dumps({"check_a_ns": 480}))
    modules = loaded("lab", "check", "check-a", "--dir", str(folder), "--sandbox", "none")
    assert set() == modules & HEAVY
