"""Kills: a dataset that was made in spite of them is that of an undisturbed sweep."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from locksim.study.sweep import Dataset

FILE = Path(__file__).parents[3] / "benchmarks" / "sweeps.py"
spec = importlib.util.spec_from_file_location("sweeps", FILE)
sweeps = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sweeps)

SUICIDE = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {benchmarks!r})
import sweeps
from locksim.study.sweep import drive, on_this_machine

drive.WRITE_S = 0
texts = []

def progress(text, fraction):
    texts.append(text)
    if len(texts) == 3:
        os.kill(os.getpid(), signal.SIGKILL)

sweeps.prepared(Path(sys.argv[1]), 60).run(on_this_machine(1), progress)
"""


def test_killed_leader_goes_on(tmp_path: Path) -> None:
    """Sixty runs, killed in the middle: what is there is kept, and the rest is made."""
    script = SUICIDE.format(benchmarks=str(FILE.parent))
    command = [sys.executable, "-c", script, str(tmp_path / "killed")]
    assert -9 == subprocess.run(command, check=False).returncode
    before = sweeps.count(tmp_path / "killed")
    assert 0 < before < 60
    outcome = sweeps.make(tmp_path / "killed", 60, 1)
    assert (60 - before, before) == (outcome.made, outcome.found)
    sweeps.make(tmp_path / "calm", 60, 1)
    calm, killed = (Dataset(tmp_path / name).read() for name in ("calm", "killed"))
    pd.testing.assert_frame_equal(calm, killed)


@pytest.mark.slow
def test_five_kills_in_ten_thousand_runs(tmp_path: Path) -> None:
    """Leader and workers in turn; each run is there once, and a second start makes none."""
    killed = sweeps.disturbed(tmp_path / "killed", 10_000, 2, 5)
    assert {"leader", "worker"} == {*killed}
    assert 5 == len(killed)
    sweeps.make(tmp_path / "calm", 10_000, 2)
    calm, other = (Dataset(tmp_path / name).read() for name in ("calm", "killed"))
    assert 10_000 == len(calm)
    pd.testing.assert_frame_equal(calm, other)
    assert 0 == sweeps.make(tmp_path / "killed", 10_000, 2).made
