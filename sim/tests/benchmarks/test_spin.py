"""The comparison with SPIN: equal states where it is installed, a word where it is not."""

import importlib
import shutil
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def spin(monkeypatch):
    """The script as a module, and what it shares with its like."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("spin_models")


def test_missing_spin_is_told(spin, monkeypatch, capsys):
    """It is no failure, and it says what to install."""
    monkeypatch.setattr(shutil, "which", lambda tool: None)
    assert 0 == spin.main()
    assert "spin and gcc is not installed (apt-get install spin gcc)" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
@pytest.mark.slow
def test_states_are_those_of_spin(spin, monkeypatch):
    """Same verdict and same number of states, lock by lock."""
    monkeypatch.setattr(spin, "CASES", [c for c in spin.CASES if c[2:] in ((2, 2), (3, 2))])
    monkeypatch.setattr(importlib.import_module("checkers"), "RUNS", 1)
    assert 0 == spin.main()
