"""The same submissions, graded on a calm machine and beside stress-ng."""

import shutil
import sys
from pathlib import Path

import pytest

from lockgrader.sandbox import available

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
try:
    import lab02_batch
    import loaded
finally:
    sys.path.remove(str(BENCHMARKS))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}"),
    pytest.mark.skipif(
        shutil.which("stress-ng") is None, reason="stress-ng is not installed (apt-get install it)"
    ),
]


def test_load_changes_no_verdict(tmp_path: Path) -> None:
    """Verdicts, points, messages and counterexamples are the same bytes."""
    lab02_batch.make(tmp_path / "in", 6, seed=3)
    twice = loaded.graded_twice(tmp_path / "in", tmp_path)
    assert twice.submissions == twice.equal == 6
    assert twice.verdicts > 40
