"""`make printed`: verdicts follow from the rounds, one small run goes through."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """benchmarks/printed.py: the benchmarks are scripts, no package."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import printed
    finally:
        sys.path.remove(str(BENCHMARKS))
    return printed


@pytest.mark.parametrize(
    ("factors", "verdict"),
    [([1.0, 1.05] * 10, "met"), ([1.2, 1.3] * 10, "missed"), ([1.0, 1.2] * 10, "unclear")],
)
def test_verdict(script: ModuleType, factors: list[float], verdict: str) -> None:
    """The aim is met or missed where the whole interval lies on one side of it."""
    written = [100.0] * 20
    found = script.judged("mcs", "write", 2, written, [100 * f for f in factors], 1.0)
    assert verdict == found.verdict
    assert 1 == len(script.table([found]).rows)


def test_two_humps(script: ModuleType) -> None:
    """Rounds are compared, not their pool: when the CPUs moved apart, both locks got slower."""
    written = [120.0] * 9 + [500.0] * 11
    found = script.judged("mcs", "write", 2, written, [1.02 * w for w in written], 1.0)
    assert pytest.approx(1.02) == found.ratio
    # The printed lock runs second in the round in which they moved: one ratio is far off.
    moved = [1.02 * w for w in written[:8]] + [510.0] * 12
    assert "met" == script.judged("mcs", "write", 2, written, moved, 1.0).verdict


def test_run(tmp_path: Path) -> None:
    """One lock, few short processes: a report of both kinds."""
    output = tmp_path / "printed.json"
    small = ["--only", "ticket", "--processes", "2", "--duration-ms", "2", "--json"]
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "printed.py", *small, "--output", output],
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    report = json.loads(done.stdout)
    assert report == json.loads(output.read_text())
    assert {"ticket"} == {row["lock"] for row in report["rows"]}
    assert all(2 == len(row["printed"]) for row in report["rows"])
