"""The comparison with SPIN: equal states where it is installed, a word where it is not."""

import importlib.util
import shutil
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "spin" / "compare.py"


@pytest.fixture
def compare():
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("spin_compare", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_missing_spin_is_told(compare, monkeypatch, capsys):
    """It is no failure, and it says what to install."""
    monkeypatch.setattr(shutil, "which", lambda tool: None)
    assert 0 == compare.main()
    assert "spin and gcc is not installed (apt-get install spin gcc)" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
@pytest.mark.slow
def test_states_are_those_of_spin(compare, monkeypatch):
    """Same verdict and same number of states, lock by lock."""
    monkeypatch.setattr(compare, "CASES", [c for c in compare.CASES if c[2:] in ((2, 2), (3, 2))])
    monkeypatch.setattr(compare, "RUNS", 1)
    assert 0 == compare.main()
