"""``locklab show schema``: the tree of commands, and published schemas."""

import json
from typing import Any

import pytest

import locklab


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what ``locklab show schema`` prints."""
    assert 0 == locklab.main(["show", "schema", *arguments])
    return capsys.readouterr().out


def test_the_tree_has_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command with its options; every word of the overview is there."""
    tree: list[dict[str, Any]] = json.loads(printed(capsys, "--commands"))
    words = {row["command"].partition(" ")[0] for row in tree}
    assert {name.partition(" ")[0] for name in locklab.commands()} == words
    [own] = [row for row in tree if row["command"] == "show schema"]
    assert (["name"], ["--commands"]) == (own["arguments"], [o["name"] for o in own["options"]])


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """It says which command was meant, or that there is none."""
    assert 2 == locklab.main(["show", "schema", "rnu"])
    assert capsys.readouterr().err.startswith("error: no command 'rnu' with a schema;")
