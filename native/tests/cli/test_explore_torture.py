"""``locklab native explore`` and ``locklab native torture`` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from locknative.cli import explore, torture

PROGRAMS = Path(__file__).parents[1] / "programs"
APPS = {"explore": explore.app, "torture": torture.app}


def said(command: str, *words: str) -> tuple[int, str, str]:
    """Run ``locklab native COMMAND`` and return exit code, stdout and stderr."""
    result = CliRunner().invoke(APPS[command], list(words))
    return result.exit_code, result.stdout, result.stderr


def test_explore_a_file() -> None:
    """A violated program: a table, the message, how to have the run again, exit code 1."""
    code, out, _ = said("explore", str(PROGRAMS / "orders.c"), "-D", "CASE=3")
    assert 1 == code
    assert "data race" in out
    assert "violated" in out
    assert "--replay" in out


def test_explore_says_its_bound() -> None:
    """A search that stopped at its bound is not called a proof."""
    code, out, _ = said("explore", "mcs", "--preemptions", "1")
    assert 0 == code
    assert "proven" not in out
    assert "no error found with up to 1 preemption " in out
    assert "this is no proof" in out


def test_explore_json() -> None:
    """One object on stdout; the counterexample has the shape of the checker's."""
    from dataclasses import fields

    from locksim.checker.replay.counterexample import Step

    code, out, _ = said("explore", str(PROGRAMS / "orders.c"), "-D", "CASE=3", "--json")
    document = json.loads(out)
    assert (1, "violated", "race") == (code, document["verdict"], document["found"])
    assert {field.name for field in fields(Step)} == set(document["counterexample"]["steps"][0])
    _, out, _ = said("explore", "tas", "--json")
    assert json.loads(out)["counterexample"] is None


def test_explore_several_locks() -> None:
    """Each is explored by itself, as torture does it; in JSON they are a list."""
    code, out, _ = said("explore", "tas", "ticket", "--json")
    found = [(one["program"], one["verdict"]) for one in json.loads(out)]
    assert (0, [("tas", "proven"), ("ticket", "proven")]) == (code, found)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["explore", "absent.c"], "there is no such file"),
        (["explore", "tas", "mcz"], "did you mean 'mcs'"),
        (["explore", "mcs", "--memory", "arm"], "unknown memory model 'arm'"),
        (["explore", "mcs", "--rounds", "0"], "--rounds must be between"),
        (["explore", "mcs", "--random", "9"], "--random needs --pct DEPTH"),
        (["torture", "mcz"], "did you mean 'mcs'"),
        (["torture", "mcs", "--tool", "valgrind"], "unknown tool"),
        (["torture", "mcs", "--duration", "0s"], "--duration must be between"),
        (["torture", "mcs", "--threads", "1"], "--threads must be between"),
    ],
)
def test_mistakes_are_reported(words: list[str], says: str) -> None:
    """Bad input: one message, exit code 2, nothing on stdout."""
    code, out, err = said(*words)
    assert (2, "") == (code, out)
    assert says in err


def test_torture_json() -> None:
    """A list of trials."""
    code, out, _ = said("torture", "tas", "--duration", "50ms", "--json")
    (trial,) = json.loads(out)
    assert (0, "tas", "torture", "passed") == (
        code,
        trial["lock"],
        trial["tool"],
        trial["verdict"],
    )


def test_torture_table() -> None:
    """One row for each lock, and the meaning of the longest wait."""
    code, out, _ = said("torture", "tas", "mcs", "--duration", "50ms")
    assert 0 == code
    assert "longest wait" in out
