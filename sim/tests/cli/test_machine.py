"""Tests of `locklab machine`: the list, one machine, JSON and refusals."""

import json

from typer.testing import CliRunner

from locksim.cli.machine import app
from locksim.machine import MachineError, load, names

RUN = CliRunner()


def test_list_names_every_machine() -> None:
    """The list holds each shipped profile and the ideal family."""
    result = RUN.invoke(app, ["list"])
    assert 0 == result.exit_code
    for name in (*names(), "ideal-N"):
        assert name in result.stdout


def test_list_as_json_is_only_json() -> None:
    """--json prints names, titles and CPU counts."""
    found = json.loads(RUN.invoke(app, ["list", "--json"]).stdout)
    assert [(n, load(n).n_cpus) for n in names()] == [(m["name"], m["cpus"]) for m in found]


def test_show_prints_each_figure() -> None:
    """Every cost of the machine is in the table, with its role."""
    result = RUN.invoke(app, ["show", "itanium2-32"], env={"COLUMNS": "160"})
    assert 0 == result.exit_code
    for p in load("itanium2-32").parameters():
        row = next(r for r in result.stdout.splitlines() if r.startswith(f"  {p.name} "))
        assert f" {p.role} " in row


def test_show_as_json_carries_sources() -> None:
    """--json gives topology, protocol and the parameters as the contract lists them."""
    found = json.loads(RUN.invoke(app, ["show", "pentium3-8way", "--json"]).stdout)
    assert 8 == found["cpus"]
    assert "node" == found["protocol"]["bus"]
    expected = [
        (p.name, p.value, p.unit, p.source, p.role) for p in load("pentium3-8way").parameters()
    ]
    keys = ("name", "value", "unit", "source", "role")
    assert expected == [tuple(p[k] for k in keys) for p in found["parameters"]]


def test_show_refuses_an_unknown_machine() -> None:
    """The refusal is a MachineError, which the umbrella command prints and turns into exit 2."""
    result = RUN.invoke(app, ["show", "desktop-5"])
    assert isinstance(result.exception, MachineError)
    assert "no machine 'desktop-5'; did you mean 'desktop-4'?" == str(result.exception)
