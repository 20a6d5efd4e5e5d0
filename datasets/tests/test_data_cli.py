"""Tests of lockdata.cli."""

import json

import pytest
from typer.testing import CliRunner

import lockdata
from lockdata.cli import app

runner = CliRunner()


def test_list_json() -> None:
    """The JSON list holds what list_tables gives, and nothing else is on stdout."""
    result = runner.invoke(app, ["--json"])
    assert 0 == result.exit_code
    assert lockdata.list_tables().to_dict("records") == json.loads(result.stdout)["tables"]


def test_list_table() -> None:
    """The plain list names every table in full, even in a pipe."""
    result = runner.invoke(app, [])
    assert 0 == result.exit_code
    assert [] == [n for n in lockdata.list_tables()["name"] if n not in result.stdout]
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize("reading", ["corrected", "printed", "both"])
def test_show_json(reading: str) -> None:
    """The JSON cells are the loaded frame's rows; a missing number is null."""
    name = "kaigai-2004/rcutest"
    result = runner.invoke(app, [name, "--as", reading, "--json"])
    document = json.loads(result.stdout)
    assert (name, reading) == (document["name"], document["reading"])
    frame = lockdata.load(name, reading).astype(object)
    assert frame.where(frame.notna(), None).to_dict("records") == document["cells"]


@pytest.mark.parametrize("name", list(lockdata.list_tables()["name"]))
def test_show_every_table(name: str) -> None:
    """Every printed figure appears in the table that is shown."""
    result = runner.invoke(app, [name, "--as", "printed"])
    assert 0 == result.exit_code
    figures = set(lockdata.load(name, "printed")["value"])
    assert set() == {f for f in figures if f not in result.stdout}


def test_show_both_marks_corrections() -> None:
    """The double reading shows an arrow at a corrected cell and explains it below."""
    result = runner.invoke(app, ["kaigai-2004/rcutest", "--as", "both"])
    assert "→ 78.957" in result.stdout
    assert "→ 2.47" not in result.stdout
    assert "clock (15 cells): " in result.stdout


def test_show_printed_keeps_the_corrections_back() -> None:
    """Who looks for a misprint sees that there is one, and not which."""
    result = runner.invoke(app, ["kaigai-2004/rcutest", "--as", "printed"])
    assert "locklab show data kaigai-2004/rcutest --explain" in result.stdout
    assert "clock" not in result.stdout


def test_describe() -> None:
    """The plain description is the text of the table's description."""
    result = runner.invoke(app, ["long-2013/redo", "--explain"])
    assert 0 == result.exit_code
    assert lockdata.describe("long-2013/redo").text().split() == result.stdout.split()


def test_describe_json() -> None:
    """The JSON description holds source, keys, corrections and counts."""
    result = runner.invoke(app, ["long-2013/awr", "--explain", "--json"])
    document = json.loads(result.stdout)
    assert "2013-02-19" == document["source"]["date"]
    assert 36 == document["misprints"] == document["corrections"][0]["cells"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rcutst"], "unknown table 'rcutst'; did you mean 'kaigai-2004/rcutest'?"),
        (
            ["rcutst", "--explain"],
            "unknown table 'rcutst'; did you mean 'kaigai-2004/rcutest'?",
        ),
        (
            ["long-2013/redo", "--as", "raw", "--json"],
            "Unknown kind of values 'raw'. Use one of corrected, printed, both.",
        ),
    ],
)
def test_bad_input(arguments: list[str], message: str) -> None:
    """A wrong name gives one message on stderr, nothing on stdout, and exit code 2."""
    result = runner.invoke(app, arguments)
    assert 2 == result.exit_code
    assert f"error: {message}\n" == result.stderr
    assert "" == result.stdout
