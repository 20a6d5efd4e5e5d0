"""Answers of commands: as JSON, as tables, as a plot, and their schema."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from typer.main import get_command
from typer.testing import CliRunner
from typing_extensions import TypedDict

from lockui.command import command
from lockui.plots import Column, Plot, from_table
from lockui.report import Chart
from lockui.schema import schema_of


class Answer(TypedDict):
    """What the command answers."""

    lock: str
    rates: list[float]


def picture() -> Plot:
    """Return a plot of two points."""
    rows = [{"lock": "mcs", "cpus": 1, "rate": 1.0}, {"lock": "mcs", "cpus": 2, "rate": 2.0}]
    return from_table(
        rows, title="Rates", x=Column("cpus", "CPUs"), y=Column("rate", "rate"), line="lock"
    )


@pytest.fixture
def app() -> typer.Typer:
    """Return an app whose only command answers with a chart, and ends with exit code 1."""
    made = typer.Typer(add_completion=False)

    @command(made)
    def rates() -> Chart[Answer]:
        """Show rates."""

        def show(view: Console) -> None:
            view.print("1 and 2")

        return Chart({"lock": "mcs", "rates": [1.0, 2.0]}, show, 1, picture=picture)

    return made


def ask(app: typer.Typer, *arguments: str) -> Any:
    """Run the command."""
    return CliRunner().invoke(app, arguments)


def test_one_answer_comes_out_in_every_form(app: typer.Typer, tmp_path: Path) -> None:
    """Text by default, the document with --json; a plot's file is in both."""
    file = tmp_path / "a.svg"
    shown = ask(app, "--plot", str(file))
    assert (1, True) == (shown.exit_code, file.exists())
    assert f"1 and 2\n\nplot: {file}\n" == shown.stdout
    read = json.loads(ask(app, "--json", "--plot", str(file)).stdout)
    assert {"lock": "mcs", "rates": [1.0, 2.0], "plots": [str(file)]} == read


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plot", "a.doc"], "error: --plot a.doc"),
        (["--json", "--latex"], "error: --latex and --json cannot be used together: choose one"),
    ],
)
def test_what_cannot_come_out_is_refused_first(
    app: typer.Typer, arguments: list[str], message: str
) -> None:
    """The command does not run."""
    result = ask(app, *arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(message)


def test_the_schema_is_that_of_the_document(app: typer.Typer) -> None:
    """It is made from the type that the command returns."""
    found = schema_of(get_command(app))  # type: ignore[arg-type]
    assert found is not None
    assert ["lock", "rates"] == found["required"]
    assert {"type": "array", "items": {"type": "number"}} == {
        key: found["properties"]["rates"][key] for key in ("type", "items")
    }
