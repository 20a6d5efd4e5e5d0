"""``locklab native survey``: a folder of trials, JSON, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from locknative.cli.survey import app
from locknative.survey import folder
from locknative.survey.cells import Cell

SMALL = ["--only", "own_add", "--duration", "1ms", "--trials", "1", "--max-time", "5s"]


def test_folder_and_json(tmp_path: Path) -> None:
    """The folder holds the trials; stdout is one document that counts them."""
    out = tmp_path / "out"
    arguments = ["--out", str(out), *SMALL, "--json"]
    done = CliRunner().invoke(app, arguments)
    assert 0 == done.exit_code
    found = json.loads(done.stdout)
    assert {"folder", "cells", "good_trials", "short", "wanted", "rejections"} == set(found)
    assert "trials were rejected" in found["rejections"]
    assert (str(out), 1, 1) == (found["folder"], found["cells"], found["wanted"])
    assert "own_add" in {Cell.of(record["cell"]).kernel for record in folder.records(out)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "own_ad"], "'own_add'"),
        (["--only", "probes,own_add"], "'probes'"),
        (["--max-time", "0s"], "--max-time must be above 0 (got 0ns)"),
        (["--trials", "0"], "--trials must be between 1 and"),
        (["--duration", "0ms"], "--duration 0"),
    ],
)
def test_refusals(arguments: list[str], message: str, tmp_path: Path) -> None:
    """A wrong name or number is one line on stderr that says what is right, exit code 2."""
    done = CliRunner().invoke(app, ["--out", str(tmp_path / "out"), *arguments])
    assert (2, "") == (done.exit_code, done.stdout)
    assert message in done.stderr
    assert not (tmp_path / "out").exists()
