"""``locklab native survey``: a folder of trials, JSON, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from locknative.cli import app
from locknative.survey import folder
from locknative.survey.cells import Cell

SMALL = ["--kernels", "own_add", "--trial-ms", "1", "--trials", "1", "--seconds", "5"]


def test_folder_and_json(tmp_path: Path) -> None:
    """The folder holds the trials, as lines and as CSV; stdout is one document that counts them."""
    out, kept = tmp_path / "out", tmp_path / "kept"
    arguments = ["survey", "--out", str(out), "--csv", str(kept), *SMALL, "--json"]
    done = CliRunner().invoke(app, arguments)
    assert 0 == done.exit_code
    found = json.loads(done.stdout)
    assert {"folder", "cells", "good_trials", "short", "wanted"} == set(found)
    assert (str(out), 1, 1) == (found["folder"], found["cells"], found["wanted"])
    assert "own_add" in {Cell.of(record["cell"]).kernel for record in folder.records(out)}
    assert len(list(folder.records(out))) == len(list(folder.records(kept)))
    assert folder.provenance(out) == folder.provenance(kept)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kernels", "own_ad"], "'own_add'"),
        (["--only", "prob"], "'probes'"),
        (["--seconds", "-3"], "--seconds must be above 0 (got -3)"),
        (["--trials", "0"], "--trials must be between 1 and"),
        (["--trial-ms", "-1"], "--trial-ms must be between 1 and"),
    ],
)
def test_refusals(arguments: list[str], message: str, tmp_path: Path) -> None:
    """A wrong name or number is one line on stderr that says what is right, exit code 2."""
    done = CliRunner().invoke(app, ["survey", "--out", str(tmp_path / "out"), *arguments])
    assert (2, "") == (done.exit_code, done.stdout)
    assert message in done.stderr
    assert not (tmp_path / "out").exists()
