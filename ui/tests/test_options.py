"""The table of options holds for every command, and the command line is small enough to read."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import locklab
from lockui.command import Command, options
from lockui.quantities import Numbers, Shares, Times
from lockui.schema import command_tree

MOST_WORDS = 16
MOST_OPTIONS = 110
FIRST_HELP = 12
SCREEN = (80, 40)
HELP = ("help", "help_all")
LISTS = {f"<{kind.WRITTEN}>" for kind in (Times, Shares, Numbers)}


@cache
def tree() -> dict[str, Any]:
    """Return all commands."""
    return dict(command_tree())


def own(made: Any) -> list[Any]:
    """Return the options of a command, without those that ask for help."""
    return [p for p in made.params if p.param_type_name == "option" and p.name not in HELP]


@pytest.mark.parametrize("name", [*dict(command_tree())])
def test_each_option_is_that_of_the_table(name: str) -> None:
    """Its help begins with the table's meaning, and what it takes is of the table's type."""
    made = tree()[name]
    assert isinstance(made, Command)
    for parameter in own(made):
        row = options()[parameter.opts[0].removeprefix("--")]
        assert parameter.help.startswith(row.meaning)
        written = {None} if row.type == "flag" else {f"<{row.type}>", *LISTS}
        assert parameter.metavar in written
        assert (row.type == "flag") == bool(parameter.is_flag)


@pytest.mark.parametrize("name", [*dict(command_tree())])
def test_the_first_help_is_short(name: str) -> None:
    """At most twelve options, and one screen."""
    made = tree()[name]
    assert len([p for p in own(made) if p.name not in made.rare]) <= FIRST_HELP
    lines = made.get_help(made.context_class(made, info_name=f"locklab {name}")).splitlines()
    assert len(lines) <= SCREEN[1]
    assert max(map(len, lines)) <= SCREEN[0]


def test_nothing_in_the_table_is_idle() -> None:
    """Each row is an option of a command, and there are not too many."""
    used = {p.opts[0].removeprefix("--") for made in tree().values() for p in own(made)}
    assert used == {*options()}
    assert len(used) <= MOST_OPTIONS


def test_words_are_few_and_have_a_reader(capsys: pytest.CaptureFixture[str]) -> None:
    """Each word stands under a heading of the overview, which fits one screen."""
    words = {name.partition(" ")[0] for name in locklab.commands()}
    assert words == {word for row in locklab.READERS.values() for word in row}
    assert len(words) <= MOST_WORDS
    assert 0 == locklab.main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= SCREEN[1]
    assert max(map(len, lines)) <= SCREEN[0]
