"""Random use and misuse of the bindings, each case in a process: no crash, no hang, no leak."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = Path(__file__).parents[2] / "fuzz/urcu.py"


def fuzz(*arguments: str) -> str:
    """Run the driver; return what it says."""
    done = subprocess.run(
        [sys.executable, DRIVER, *arguments], capture_output=True, text=True, check=False
    )
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout


def test_some_cases() -> None:
    """Two cases."""
    assert "2 cases from seed 1: no crash, no hang" in fuzz("--cases", "2", "--seed", "1")


@pytest.mark.slow
def test_ten_minutes() -> None:
    """Ten minutes of processor time, with seeds that were not seen before."""
    assert "no crash, no hang" in fuzz("--minutes", "10")
