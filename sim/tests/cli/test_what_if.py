"""`locklab paper what-if`, `locklab show what-if`: the list, the table, JSON and refusals."""

import json
import math
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner, Result

from locksim.cli import show_what_if
from locksim.cli.what_if import app
from locksim.papers import what_if as registry
from locksim.papers.what_if import Comparison, Runs
from locksim.study.simulation import Interval


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry of one what-if that takes no time."""
    monkeypatch.setattr(registry, "_KNOWN", {})
    monkeypatch.setattr(registry, "_import_all", lambda: None)

    @registry.what_if("made-up-half", of="made-up", title="Half of it", change="half the work")
    def half(runs: Runs) -> Iterator[Comparison]:
        whole, nan = Interval(8.0, 7.5, 8.5), math.nan
        yield Comparison("spinlock", "4 CPUs", whole, Interval(4.0, nan, nan), "s", "lower")
        much, none = Interval(67.81, 67.6, 68.02), Interval(4.7e-6, 0.0, 0.1)
        yield Comparison("spinlock", "waiting", much, none, "%", "lower")


def run(*arguments: str) -> Result:
    """Run the command in a terminal of 80 columns."""
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80"})


def test_list_has_names_and_titles() -> None:
    """For people and as JSON."""
    shown = CliRunner().invoke(show_what_if.app, []).stdout
    assert "made-up-half Half of it" in [" ".join(x.split()) for x in shown.split("\n")]
    found = json.loads(CliRunner().invoke(show_what_if.app, ["--json"]).stdout)
    assert [("made-up-half", "made-up")] == [(w["what_if"], w["experiment"]) for w in found]


def test_table_has_both_sides() -> None:
    """Means, intervals where there are any, and how many times better it gets."""
    result = run("made-up-half")
    text = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert (0, "") == (result.exit_code, result.stderr)
    assert "variant of made-up: half the work" in text
    at = text.index("spinlock")
    assert "4 CPUs 8.00 ±0.50 4.00 – s 2.00" == text[at + 1]
    assert "waiting 67.8 ±0.2 0.0 ±0.1 % –" == text[at + 2]


def test_several_make_a_list() -> None:
    """One name gives an object, two or --all a list where there are several."""
    assert "made-up" == json.loads(run("made-up-half", "--json").stdout)["experiment"]
    several = json.loads(run("made-up-half", "made-up-half", "--json").stdout)
    assert [None, None] == [document["rows"][0]["after"]["low"] for document in several]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a what-if ('locklab show what-if' lists them)"),
        (["--all", "made-up-half"], "--all includes made-up-half: leave out"),
        (["made-up"], "unknown what-if 'made-up'; did you mean 'made-up-half'?"),
        (["made-up-half", "--replications", "0"], "--replications must be between 1 and "),
    ],
)
def test_bad_arguments_get_one_message(arguments: list[str], message: str) -> None:
    """Exit code 2 and nothing on stdout."""
    result = run(*arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert f"error: {message}" in result.stderr
