"""The machines measured so far: they load, and predict as datasets/native/README.md says."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from locknative.calibration.predictions import errors, predict
from locknative.calibration.readings import read
from locknative.survey.folder import records
from locksim.machine import load

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = sorted(path.parent for path in (ROOT / "datasets/native").glob("*/machine.toml"))
FIRST = ROOT / "datasets/native/vm-2-epyc"
AIM = 0.1
"""The mean error that datasets/native/README.md aims at on the first machine."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(path, id=path.name, marks=[] if path == FIRST else pytest.mark.slow)
        for path in FOLDERS
    ],
)
def folder(request: pytest.FixtureRequest) -> Path:
    """Each folder."""
    found: Path = request.param
    return found


@pytest.fixture(scope="module")
def table(folder: Path) -> pd.DataFrame:
    """The errors of its predictions, one row a kernel."""
    readings, _ = read(folder)
    machine = load(str(folder / "machine.toml"))
    return errors(predict(readings, machine)).set_index("kernel")


def test_there_is_one() -> None:
    """At least one machine was measured."""
    assert FOLDERS


def test_all_trials_are_kept(folder: Path) -> None:
    """Rejected ones too, as many as the page says."""
    found = list(records(folder))
    good = sum(record["rejected"] is None for record in found)
    page = (ROOT / "datasets/native/README.md").read_text(encoding="utf-8")
    assert f"| {len(found):,} | {good:,} |" in page


@pytest.mark.slow
def test_predictions_beat_formulas(folder: Path, table: pd.DataFrame) -> None:
    """On the same points, kernels that calibration has not seen: below each, and the aim."""
    overall = table.loc["all kernels"]
    assert folder != FIRST or overall["simulated"] < AIM
    assert overall["simulated"] < min(overall["mva"], overall["markov"])


def test_the_page_says_what_is_so(folder: Path, table: pd.DataFrame) -> None:
    """Every row of the table in the docs, to the per cent."""
    page = (ROOT / "datasets/native/README.md").read_text(encoding="utf-8")
    section = page.split(f"### {folder.name}\n")[1].split("\n### ")[0]
    percent = r" \| (\d+) %"
    said = re.findall(r"^\| (\w[\w ]*) \| (\d+)" + 3 * percent, section, re.MULTILINE)
    models = ["simulated", "mva", "markov"]
    found = {
        name: (int(row["points"]), *(f"{row[model]:.0%}" for model in models))
        for name, row in table.iterrows()
    }
    assert found == {
        name: (int(points), *(f"{error}%" for error in row)) for name, points, *row in said
    }
