"""``locklab run --ledger`` and ``--trace``: tables, JSON, files and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from locksim.cli.run import app

RUN = CliRunner()
SHORT = ["--operations", "10", "--replications", "1"]


def test_ledger_names_words_and_source_lines() -> None:
    """The waiting loop of the ticket lock stands first, and its text below."""
    result = RUN.invoke(app, ["ticket", *SHORT, "--think", "0ns", "--ledger"])
    assert 0 == result.exit_code
    shown = result.stdout.partition("ledger: mean line transfers per acquisition")[2]
    rows = [line.split() for line in shown.splitlines() if line.startswith("  acquire")]
    assert ["acquire", "lock.now_serving", "read"] == rows[0][:3]
    assert "while (yield self.now_serving.load(ACQUIRE)) != ticket:" in shown
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_ledger_as_json() -> None:
    """The means are the sum of the rows, and nothing else is printed."""
    result = RUN.invoke(app, ["mcs", *SHORT, "--ledger", "--json"])
    found = json.loads(result.stdout)["ledger"]
    assert {"acquisitions", "transfers_per_acquisition", "rows"} == set(found)
    total = sum(row["per_acquisition"] for row in found["rows"])
    assert found["transfers_per_acquisition"] == pytest.approx(total)
    assert found["rows"] == sorted(found["rows"], key=lambda row: -row["cost_ns"])


def test_ledger_of_what_has_no_lock() -> None:
    """A cache without locks has nothing to show, and says so."""
    result = RUN.invoke(app, ["no_check", *SHORT, "--ledger"])
    assert 0 == result.exit_code
    assert "ledger: no lock was taken twice within the trace" in result.stdout


@pytest.mark.parametrize("ending", ["html", "json", "parquet"])
def test_trace_is_written(tmp_path: Path, ending: str) -> None:
    """The ending decides; the figures are those of a run without it."""
    path = tmp_path / f"t.{ending}"
    plain = RUN.invoke(app, ["ticket", *SHORT])
    result = RUN.invoke(app, ["ticket", *SHORT, "--trace", str(path)])
    assert 0 == result.exit_code
    assert result.stdout.startswith(plain.stdout)
    assert f"events written to {path}" in result.stdout
    match ending:
        case "html":
            assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
        case "json":
            assert json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
        case "parquet":
            assert 9_900 <= len(pd.read_parquet(path)) <= 10_000


def test_trace_as_json_names_the_file(tmp_path: Path) -> None:
    """One document, with the file's path in it."""
    path = tmp_path / "t.json"
    result = RUN.invoke(app, ["ticket", *SHORT, "--trace", str(path), "--json"])
    assert str(path) == json.loads(result.stdout)["trace"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("t.svg", "unknown suffix '.svg'"),
        ("t", "unknown suffix ''"),
        ("no/such/folder/t.html", "--trace: cannot be written (No such file or directory)"),
    ],
)
def test_places_that_make_no_sense(path: str, message: str) -> None:
    """Exit code 2 and what to write instead."""
    result = RUN.invoke(app, ["ticket", *SHORT, "--trace", path])
    assert 2 == result.exit_code
    assert message in result.stderr
