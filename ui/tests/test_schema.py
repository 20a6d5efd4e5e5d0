"""``locklab show schema``: the tree of commands, and published schemas."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import locklab
from lockui.schema import command_tree, schema_of


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


def test_each_command_that_has_json_publishes_its_schema() -> None:
    """And no other command does; each is a schema."""
    for name, made in command_tree():
        published = schema_of(made)
        assert (name, any(p.name == "json" for p in made.params)) == (name, published is not None)
        if published is not None:
            jsonschema.Draft202012Validator.check_schema(published)


@pytest.mark.parametrize(
    "words",
    [
        "lab list",
        "lab start lab00 --student ada",
        "lesson list",
        "progress",
        "drill identities --seed 1 --answer 1",
        "show experiment kaigai-2004",
    ],
)
def test_what_is_printed_fits_the_schema(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command's name is the longest that the words begin with."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCKLAB_PROGRESS", str(tmp_path / "progress.jsonl"))
    locklab.main([*words.split(), "--json"])
    document = json.loads(capsys.readouterr().out)
    name = max((one for one in locklab.commands() if words.startswith(one)), key=len)
    jsonschema.validate(document, json.loads(printed(capsys, name)))


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """It says which command was meant, or that there is none."""
    assert 2 == locklab.main(["show", "schema", "rnu"])
    assert capsys.readouterr().err.startswith("error: no command 'rnu' with a schema;")
