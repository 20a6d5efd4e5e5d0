"""JupyterLab where it is missing: what it would take is said, and done after one yes."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from locklessons import jupyter
from locklessons.cli.lesson_open import app
from locklessons.notebooks import LessonError
from typer.testing import CliRunner

RUN = CliRunner()


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The commands that were run; pip brings a JupyterLab, which was missing before."""
    found: list[list[str]] = []
    brought: list[Path] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        found.append(command)
        if "pip" in command:
            brought.append(tmp_path / "jupyter-lab")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(jupyter, "find", lambda: brought[0] if brought else None)
    return found


def test_it_says_what_it_would_do_and_does_nothing(ran: list[list[str]], tmp_path: Path) -> None:
    """Without a terminal nobody can say yes; the message says how to go on."""
    said = RUN.invoke(app, ["1", "--out", str(tmp_path)])
    assert (2, True) == (said.exit_code, "locklab lesson open 1 --yes" in said.stderr)
    assert "-m pip install" in said.stdout
    assert [] == ran
    written = RUN.invoke(app, ["1", "--no-browser", "--out", str(tmp_path)])
    assert 0 == written.exit_code
    assert (tmp_path / "01-why-locks-collapse.ipynb").exists()


def test_after_one_yes(ran: list[list[str]], tmp_path: Path) -> None:
    """It installs what it said, and opens the notebook."""
    said = RUN.invoke(app, ["1", "--yes", "--out", str(tmp_path)])
    assert 0 == said.exit_code
    pip, opened = ran
    assert shlex.join(pip[1:]) in said.stdout.replace("\n", "")
    assert [str(tmp_path / "jupyter-lab"), str(tmp_path / "01-why-locks-collapse.ipynb")] == opened


def test_pip_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """One message that says what to do."""
    monkeypatch.setattr(
        subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1)
    )
    with pytest.raises(LessonError, match="could not be installed"):
        jupyter.install()


def test_an_installed_locklab_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Outside a checkout there are no locked versions."""
    monkeypatch.setattr("lockui.files.installed", lambda: True)
    said = jupyter.what_is_missing()
    assert ["jupyterlab" in said, "matplotlib" in said, "requirements" in said] == [
        True,
        True,
        False,
    ]
