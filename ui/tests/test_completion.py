"""What a shell is told about the command that is being typed."""

import subprocess
import sys

import pytest

import locklab


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("locklab re", ["report", "reproduce"]),
        ("locklab check --mem", ["--memory"]),
        ("locklab machine li", ["list"]),
        ("locklab nothing --x", []),
    ],
)
def test_bash_is_answered(monkeypatch, capsys, typed, expected):
    """Commands, a command's own commands, and its options."""
    monkeypatch.setenv("_LOCKLAB_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    assert 0 == locklab.main([])
    assert expected == capsys.readouterr().out.split()


def test_script_names_the_command(capsys):
    """What bash is to read; installing adds the same to its start."""
    assert 0 == locklab.main(["--show-completion", "bash"])
    assert "_LOCKLAB_COMPLETE=complete_bash" in capsys.readouterr().out


def test_only_what_is_typed_is_imported():
    """The names of the other commands need none of their packages."""
    program = """
import os, sys
os.environ.update(_LOCKLAB_COMPLETE="complete_bash", COMP_WORDS="locklab re", COMP_CWORD="1")
import locklab
locklab.main([])
print([name for name in sys.modules if name.startswith(("locksim", "lockgrader"))])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ["report", "reproduce", "[]"] == done.stdout.split()
