"""What the C headers promise, each by a program of its own in ``tests/headers``."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[2]
PROGRAMS: list[tuple[str, list[str]]] = [
    ("avc_rcu", ["-lurcu-memb"]),
    ("dcache", ["-fsanitize=thread", "-g", "-Wno-tsan"]),
    ("futex", []),
    ("language", ["-fwrapv"]),
    ("lockref", []),
    ("lockref", ["-fsanitize=thread", "-g"]),
    ("qspinlock", []),
    ("qspinlock", ["-DLOCKLAB_QSPINLOCK_PARTS=0"]),
    ("ttas_backoff", []),
    ("ttas_backoff", ["-DLOCKLAB_BACKOFF_MIN=3", "-DLOCKLAB_BACKOFF_MAX=100"]),
    ("ttas_backoff", ["-DLOCKLAB_BACKOFF_MIN=7", "-DLOCKLAB_BACKOFF_MAX=7"]),
]
"""Each program, and what its compilation adds."""


def compiled(program: str, options: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Compile ``tests/headers/PROGRAM.c`` strictly, to ``folder/PROGRAM``."""
    compiler = shutil.which("cc")
    assert compiler is not None, "no C compiler 'cc' found: install gcc"
    strict = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread"]
    source = NATIVE / f"tests/headers/{program}.c"
    command: list[str | Path] = [compiler, *strict, "-I", NATIVE / "include", source]
    command += ["-o", folder / program, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("program", "options"), PROGRAMS)
def test_program(program: str, options: list[str], tmp_path: Path) -> None:
    """The program compiles without a warning, ends well and has nothing to report."""
    built = compiled(program, options, tmp_path)
    assert (0, "") == (built.returncode, built.stderr)
    done = subprocess.run(
        [tmp_path / program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(("least", "most"), [(0, 1024), (5, 4)])
def test_backoff_limits(least: int, most: int, tmp_path: Path) -> None:
    """A back-off that would never pause, or has its limits the wrong way round, is refused."""
    options = [f"-DLOCKLAB_BACKOFF_MIN={least}", f"-DLOCKLAB_BACKOFF_MAX={most}"]
    assert "set 1 <= LOCKLAB_BACKOFF_MIN" in compiled("ttas_backoff", options, tmp_path).stderr
