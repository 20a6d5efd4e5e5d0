"""Completion of commands, options and their values in bash, zsh, fish and PowerShell.

Typer answers the shell. It needs a group with all commands; importing them all would take seconds,
so only the command that is being typed is imported, and the others are names with a line of help.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

__all__ = ["app"]

_TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""The variables with what was typed: of bash, and of the other shells."""


def app(arguments: Sequence[str], prog_name: str) -> None:
    """Answer a shell, install completion, or show the script for it; end with SystemExit.

    Arguments:
        arguments: of ``locklab``. prog_name: ignored; a shell completes ``locklab``.
    """
    import typer
    from typer.core import TyperCommand
    from typer.main import get_command

    from locklab import commands

    whole = typer.Typer()

    @whole.callback()
    def locklab() -> None:
        pass

    group: Any = get_command(whole)
    typed = next((os.environ[name].split() for name in _TYPED if name in os.environ), [])
    for name, command in commands().items():
        loaded: Any = command.load() if name in typed[1:2] else None
        made = TyperCommand(name, help=command.help) if loaded is None else get_command(loaded)
        group.add_command(made, name)
    group(list(arguments), prog_name="locklab")
