"""Completion of commands, options and their values in bash, zsh, fish and PowerShell.

Typer answers the shell. It needs a group with all commands; importing them all would take seconds,
so only the command that is being typed is imported, and the others are names with a line of help.

A command says with :func:`among` which values an option or an argument has. Where no value fits
what was typed, the shell offers files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""The variables with what was typed: of bash, and of the other shells."""


def among(
    values: Iterable[str] | Callable[[], Iterable[str]], *, listed: bool = False
) -> Callable[[str], list[str]]:
    """Return what Typer's ``autocompletion`` takes, for an option or argument with known values.

    Arguments:
        values: these, or what gives them when a shell asks: only then are they imported or read.
        listed: whether several are written with commas between them.
    """

    def complete(incomplete: str) -> list[str]:
        before, comma, typed = incomplete.rpartition(",") if listed else ("", "", incomplete)
        try:
            known = [*(values() if callable(values) else values)]
        except Exception:  # a prompt is no place for a message: the command itself will say it
            return []
        return [f"{before}{comma}{value}" for value in known if value.startswith(typed)]

    return complete


def app(arguments: Sequence[str], prog_name: str) -> None:
    """Answer a shell, install completion, or show the script for it; end with SystemExit.

    Arguments:
        arguments: of ``locklab``. prog_name: ignored; a shell completes ``locklab``.
    """
    import typer
    from typer.core import TyperCommand
    from typer.main import get_command

    from locklab import commands
    from lockui.topics import topics

    whole = typer.Typer()

    @whole.callback()
    def locklab() -> None:
        pass

    @whole.command("help", help="Show a page of the documentation.")
    def show(topic: str = typer.Argument(autocompletion=among(topics))) -> None:
        pass

    group: Any = get_command(whole)
    typed = next((os.environ[name].split() for name in _TYPED if name in os.environ), [])
    whole_names = {" ".join(typed[1:2]), " ".join(typed[1:3])}
    words: dict[str, Any] = {}
    for name, command in commands().items():
        word, _, second = name.partition(" ")
        made: Any = TyperCommand(name, help=command.help)
        if name in whole_names:
            made = get_command(command.load())  # type: ignore[arg-type]
        if second:
            words.setdefault(word, _word(word, group.commands.get(word))).add_command(made, second)
            group.add_command(words[word], word)
        else:
            group.add_command(made, name)
    group(list(arguments), prog_name="locklab")


def _word(name: str, own: Any) -> Any:
    """Return the group of the commands that a word stands before.

    Arguments:
        name: the word. own: the command of that name, or None: ``locklab grade LAB`` is one, and
            ``locklab grade review`` another.
    """
    from typer.core import TyperGroup

    if isinstance(own, TyperGroup):  # `machine new` and `machine calibrate` are of two packages
        return own

    class Word(TyperGroup):
        def make_context(self, info_name: Any, args: list[str], *above: Any, **more: Any) -> Any:
            if own is not None and args and args[0] not in self.commands:
                return own.make_context(info_name, args, *above, **more)
            return super().make_context(info_name, args, *above, **more)

        def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
            found = super().shell_complete(ctx, incomplete)
            if own is None:
                return found
            alone = own.make_context(name, [], resilient_parsing=True)
            first = [one for one in own.params if one.param_type_name == "argument"][:1]
            return found + [
                item for one in (own, *first) for item in one.shell_complete(alone, incomplete)
            ]

    return Word(name=name)
