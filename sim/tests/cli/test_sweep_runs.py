"""`locklab sweep --out FOLDER`: the same curve as without it, kept, and what goes wrong."""

import json
from pathlib import Path

import broken_locks
import pandas as pd
import pytest
from typer.testing import CliRunner

from locksim.cli.sweep import app

RUN = CliRunner()
SHORT = ["--machine", "desktop-4", "--operations", "5", "--replications", "2"]


def swept(folder: Path, *arguments: str) -> tuple[str, ...]:
    """The arguments of a sweep that keeps its runs."""
    return (*arguments, *SHORT, "--out", str(folder))


def test_curve_is_that_without_a_dataset(tmp_path: Path) -> None:
    """The same keys and values, and how many runs are behind them."""
    points = ["ticket", "mcs", "--cpus", "1,2", "--json"]
    plain = json.loads(RUN.invoke(app, [*points, *SHORT]).stdout)
    kept = json.loads(RUN.invoke(app, swept(tmp_path, *points)).stdout)
    counts = {"path": str(tmp_path), "points": 4, "runs": 8, "made": 8, "found": 0}
    assert counts == kept.pop("dataset")
    assert [2, 2, 2, 2] == [row.pop("replications") for row in kept["rows"]]
    one, other = pd.DataFrame(plain.pop("rows")), pd.DataFrame(kept.pop("rows"))
    pd.testing.assert_frame_equal(one, other)
    assert plain == kept


def test_table_shows_what_varies(tmp_path: Path) -> None:
    """A column for each factor; the second start makes nothing."""
    arguments = ["ticket", "--cpus", "2", "--vary", "words=0,2", "--vary", "pause=20,40"]
    RUN.invoke(app, swept(tmp_path, *arguments))
    result = RUN.invoke(app, swept(tmp_path, *arguments))
    assert (0, "") == (result.exit_code, result.stderr)
    assert "8 runs of 4 points: 0 made now, 8 found" in result.stdout
    lines = [line.split()[:4] for line in result.stdout.splitlines() if "ticket" in line]
    expected = [["ticket", words, pause, "2"] for words in "02" for pause in ("20.0", "40.0")]
    assert expected == lines[: len(expected)]


def test_plot_has_a_panel_for_each_value(tmp_path: Path) -> None:
    """And a line for each lock."""
    path = tmp_path / "curve.svg"
    arguments = ["tas", "ticket", "--cpus", "1,2", "--vary", "words=0,2", "--plot", str(path)]
    result = RUN.invoke(app, swept(tmp_path / "data", *arguments))
    assert (0, "") == (result.exit_code, result.stderr)
    assert f"plot: {path}" in result.stdout
    text = path.read_text(encoding="utf-8")
    assert all(name in text for name in ("tas", "ticket"))


def test_latin_hypercube_and_list(tmp_path: Path) -> None:
    """Both give points; the hypercube's are spread over the range."""
    latin = ["tas", "--cpus", "2", "--vary", "hold=0ns..1us", "--samples", "4", "--json"]
    rows = json.loads(RUN.invoke(app, swept(tmp_path, *latin)).stdout)["rows"]
    assert [0, 1, 2, 3] == sorted(row["hold_ns"] // 251 for row in rows)
    (tmp_path / "points.csv").write_text("cpus,hold_ns\n1,10\n2,20\n")
    listed = ["tas", "--vary", str(tmp_path / "points.csv"), "--json"]
    rows = json.loads(RUN.invoke(app, swept(tmp_path / "more", *listed)).stdout)["rows"]
    assert [(1, 10), (2, 20)] == [(row["cpus"], row["hold_ns"]) for row in rows]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vary", "word=1,2"], "unknown factor 'word' to vary; did you mean 'words'"),
        (["--vary", "hold=1,2"], "--vary hold=1: write a number with its unit, as 100ns"),
        (["--vary", "hold_ns=1,2"], "--vary hold_ns: write the option's name, --vary hold=…"),
        (["--vary", "hold=1500ps"], "--vary hold=1500ps is not a whole number of nanoseconds"),
        (["--vary", "hold"], "--vary hold: write NAME=VALUE,VALUE or NAME=LOW..HIGH, or name a "),
        (["--vary", "hold=1ns..2ns"], "--vary hold=LOW..HIGH needs --samples POINTS"),
        (["--vary", "words=x"], "words=x: write an integer"),
        (["--vary", "words=99"], "--words must be between 0 and 64 (got 99)"),
        (["--vary", "cpus=5"], "cpus must be between 1 and 4 on desktop-4 (got 5)"),
        (["--samples", "3"], "--samples needs ranges, such as --vary think=100ns..4us"),
        (["--vary", "none.csv"], "none.csv cannot be read: No such file or directory"),
        (["--precision", "2"], "--precision 2: write a number with its unit, as 90%"),
        (["--precision", "0%"], "--precision 0%: write a percentage between 0% and 100%, as 1%"),
        (["--jobs", "0"], "--jobs must be between 1 and 1,024 (got 0)"),
    ],
)
def test_bad_arguments_are_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    """Exit code 2, one message, no dataset."""
    result = RUN.invoke(app, swept(tmp_path / "data", "tas", "--cpus", "2", *arguments))
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(f"error: {message}")
    assert [] == [*tmp_path.glob("data/part-*")]


@pytest.mark.parametrize("option", ["--vary=words=1", "--precision=1%", "--cluster=tcp://x:1"])
def test_options_of_datasets_need_one(option: str) -> None:
    """They would do nothing without it."""
    result = RUN.invoke(app, ["tas", "--cpus", "2", *SHORT, option])
    assert (2, "") == (result.exit_code, result.stdout)
    assert "needs --out FOLDER" in result.stderr


def test_fault_costs_no_other_point(tmp_path: Path) -> None:
    """The others are printed; the message has lock and CPUs, exit code 2."""
    lock = broken_locks.write(tmp_path, "deadlock")
    result = RUN.invoke(app, swept(tmp_path / "data", "tas", lock, "--cpus", "1,2", "--json"))
    found = json.loads(result.stdout)
    assert (2, False) == (result.exit_code, found["complete"])
    assert ["tas", "tas"] == [row["lock"] for row in found["rows"]]
    assert f"error: {lock} on 1 CPU: deadlock" in result.stderr
    assert "1 more points failed" in result.stderr
