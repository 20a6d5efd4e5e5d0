"""`make printed`: verdicts follow from the rounds, one small run goes through."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


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
    rounds = [script.Round(100.0, 100 * factor, 1.0) for factor in factors]
    found = script.judged("mcs", "write", 2, rounds)
    assert verdict == found.verdict
    assert 1 == len(script.table([found]).rows)


def test_two_humps(script: ModuleType) -> None:
    """Rounds are compared, not their pool: when the CPUs moved apart, both locks got slower."""
    written = [120.0] * 9 + [500.0] * 11
    alike = [script.Round(w, 1.02 * w, 1.0) for w in written]
    assert pytest.approx(1.02) == script.judged("mcs", "write", 2, alike).ratio
    # They moved in the middle of one round: its ratio is far off.
    moved = [*alike[:8], script.Round(120.0, 510.0, 1.0), *alike[9:]]
    assert "met" == script.judged("mcs", "write", 2, moved).verdict


def test_disturbed_rounds(script: ModuleType) -> None:
    """Rounds in which a thread did not run count only where there are no others, as noise."""
    quiet = [script.Round(100.0, 100.0, 1.0)] * 10
    busy = [script.Round(100.0, 300.0, 0.5)] * 30
    found = script.judged("tas", "write", 2, [*quiet, *busy])
    assert (1.0, 40, 30, "met") == (found.ratio, found.rounds, found.rejected, found.verdict)
    assert "noisy" == script.judged("tas", "write", 2, busy).verdict


@pytest.mark.slow
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
    assert all(2 <= row["rounds"] <= 6 for row in report["rows"])
