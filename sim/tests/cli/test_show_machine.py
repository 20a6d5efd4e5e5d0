"""Tests of `locklab show machine`: the list, one machine, JSON and refusals."""

import json
from pathlib import Path

from typer.testing import CliRunner

from locksim.cli.show_machine import app
from locksim.machine import load, names
from locksim.machine.catalogue import PROFILES

RUN = CliRunner()


def test_list_names_every_machine() -> None:
    """The list holds each shipped profile and the ideal family."""
    result = RUN.invoke(app, [])
    assert 0 == result.exit_code
    for name in (*names(), "ideal-N"):
        assert name in result.stdout


def test_list_as_json_is_only_json() -> None:
    """--json prints names, titles and CPU counts."""
    found = json.loads(RUN.invoke(app, ["--json"]).stdout)
    assert [(n, load(n).n_cpus) for n in names()] == [(m["name"], m["cpus"]) for m in found]


def test_show_prints_each_figure() -> None:
    """Every cost of the machine is in the table, with its role."""
    result = RUN.invoke(app, ["itanium2-32"], env={"COLUMNS": "160"})
    assert 0 == result.exit_code
    for p in load("itanium2-32").parameters():
        row = next(r for r in result.stdout.splitlines() if r.startswith(f"  {p.name} "))
        assert f" {p.role} " in row


def test_show_as_json_carries_sources() -> None:
    """--json gives topology, protocol and the parameters as the contract lists them."""
    found = json.loads(RUN.invoke(app, ["pentium3-8way", "--json"]).stdout)
    assert 8 == found["cpus"]
    assert "node" == found["protocol"]["bus"]
    expected = [
        (p.name, p.value, p.unit, p.source, p.role) for p in load("pentium3-8way").parameters()
    ]
    keys = ("name", "value", "unit", "source", "role")
    assert expected == [tuple(p[k] for k in keys) for p in found["parameters"]]


def test_show_refuses_an_unknown_machine() -> None:
    """One message, exit code 2, nothing on stdout."""
    result = RUN.invoke(app, ["desktop-5"])
    assert (2, "") == (result.exit_code, result.stdout)
    assert "error: unknown machine 'desktop-5'; did you mean 'desktop-4'?\n" == result.stderr


def test_show_says_what_acts_under_load(tmp_path: Path) -> None:
    """Arbitration of every machine; shared issue where the threads of a core share it."""
    text = (PROFILES / "xeon-8176-8x28.toml").read_text(encoding="utf-8")
    rules = ('bus = "none"', 'arbitration = "near"', "arbitration_passes = 8")
    settings = "\n".join((*rules, "shared_issue_percent = 150"))
    file = tmp_path / "mine.toml"
    file.write_text(text.replace('bus = "none"', settings), encoding="utf-8")
    before, after = (
        RUN.invoke(app, [str(name)], env={"COLUMNS": "160"}) for name in ("xeon-8176-8x28", file)
    )
    assert "Waiting   first come, first served" in before.stdout
    assert "Threads " not in before.stdout
    assert "the nearest request first; one that has been passed 8 times before it" in after.stdout
    assert "Threads   private work takes 150 %" in after.stdout
