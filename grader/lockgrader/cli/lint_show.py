"""What ``locklab lab lint`` prints: a line for each kind of promise, and each that is not kept."""

from __future__ import annotations

from rich.markup import escape

from lockgrader.author.lint import Linted
from locksim.cli import common, tables

__all__ = ["show_lint"]

PROMISES = {
    "solution": "the solution earns full marks in every check",
    "starter": "the starter earns nothing, and there is something to do",
    "wrong": "each wrong submission gets its verdict and its misconception",
    "hint": "each public check has a hint, or a reason to have none",
    "time": "no check takes long",
    "handout": "the handout names every file and every answer",
    "bundle": "the bundle holds what students need, and nothing hidden",
}


def show_lint(linted: Linted, *, every: bool = False) -> None:
    """Print what was found.

    Arguments:
        linted: the lab's. every: list the promises that are kept, too.
    """
    people = f"{linted.students} students, {linted.variants} different variants"
    common.say(f"{linted.lab}: {people}")
    table = tables.table()
    tables.add(table, "promise", fold=True)
    tables.add(table, "kept", right=True)
    tables.add(table, "")
    for what, promise in PROMISES.items():
        items = [item for item in linted.items if item.what == what]
        kept = sum(item.ok for item in items)
        verdict = "[green]ok[/green]" if kept == len(items) else "[red]broken[/red]"
        kept_of = (f"{kept} of {len(items)}", verdict) if items else ("", "not looked at")
        table.add_row(promise, *kept_of)
    tables.print_table(common.console(), table)
    shown = [item for item in linted.items if every or not item.ok]
    if shown:
        table = tables.table()
        for name in ("", "of", "name"):
            tables.add(table, name)
        tables.add(table, "found", fold=True)
        for item in shown:
            mark = "[green]ok[/green]" if item.ok else "[red]broken[/red]"
            table.add_row(mark, item.what, escape(item.name), escape(item.says))
        tables.print_table(common.console(), table)
    common.say("")
