"""Print a script for another machine: the collector of lock reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from locksim.cli import values
from lockui.command import command
from lockui.completion import among
from lockui.console import say
from lockui.errors import UsageError
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class ScriptEntry(TypedDict):
    """A script: its name, and its text."""

    name: str
    text: str


@command(app)
def show_script(
    name: Annotated[str, typer.Argument(help="which one", autocompletion=among(values.scripts))],
) -> Report[ScriptEntry]:
    """Print a script for another machine; 'collect' gathers a kernel's lock reports.

    It is one file for any POSIX shell and needs nothing of LockLab there. Its first lines say what
    it takes: 'locklab show script collect > collect.sh'.
    """
    from locksim.study.reports.scripts import scripts

    known = scripts()
    if name not in known:
        raise UsageError(f"unknown script {name!r}; choose {', '.join(known)}")
    text = known[name].read_text(encoding="utf-8")

    def show(output: Console) -> None:
        say(text.removesuffix("\n"), output)

    return Report(ScriptEntry(name=name, text=text), show)
