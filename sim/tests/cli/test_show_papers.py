"""`locklab show experiment`, `show ablation`, and `locklab paper ablate`."""

import json

import pytest
import typer
from typer.testing import CliRunner, Result

from locksim import papers
from locksim.cli import ablate, show_ablation, show_experiment
from locksim.papers.ablations import modules


def run(app: typer.Typer, *arguments: str) -> Result:
    """Run a command in a terminal of 80 columns."""
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80"})


def test_experiments_with_their_what_ifs() -> None:
    """All with titles; one with its variants."""
    found = json.loads(run(show_experiment.app, "--json").stdout)
    assert papers.names() == [one["experiment"] for one in found]
    shown = run(show_experiment.app).stdout
    assert 80 >= max(map(len, shown.splitlines()))
    assert all(name in shown for name in papers.names())
    one = json.loads(run(show_experiment.app, "kaigai-2004", "--json").stdout)
    assert one in found
    assert "kaigai-2004-mcs" in one["what_ifs"]
    assert "kaigai-2004-mcs" in run(show_experiment.app, "kaigai-2004").stdout


def test_ablations_with_what_they_are_about() -> None:
    """All with titles; one with its module's text."""
    found = json.loads(run(show_ablation.app, "--json").stdout)
    assert [*modules()] == [one["ablation"] for one in found]
    shown = run(show_ablation.app).stdout
    assert all(name in shown for name in modules())
    assert "Nothing is written." in run(show_ablation.app, "shared-cache").stdout


@pytest.mark.parametrize(
    ("app", "what"),
    [
        (show_experiment.app, "experiment"),
        (show_ablation.app, "ablation"),
        (ablate.app, "ablation"),
    ],
)
def test_an_unknown_name_is_refused(app: typer.Typer, what: str) -> None:
    """Exit code 2 and one message."""
    done = run(app, "nothing-like-it")
    assert (2, "") == (done.exit_code, done.stdout)
    assert done.stderr.startswith(f"error: unknown {what} 'nothing-like-it'; ")
