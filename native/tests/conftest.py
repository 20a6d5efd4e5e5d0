"""What the native tests share: fresh interpreters."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable

import pytest


@pytest.fixture
def run_python() -> Callable[[str], str]:
    """Run a program in a fresh interpreter that finds the same packages; return its output.

    A program that hangs is ended, and its test fails: what would otherwise end only with the
    test run is tried here.
    """

    def run(program: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (0, "") == (done.returncode, done.stderr)
        return done.stdout.strip()

    return run
