"""What ``locklab lab lint`` prints: a line for each property, and each item that violates one."""

from __future__ import annotations

from rich.markup import escape

from lockgrader.author.lint import Linted
from lockui import tables
from lockui.console import console, say

__all__ = ["show_lint"]

PROPERTIES = {
    "solution": "the solution earns full marks in every check",
    "starter": "the starter earns nothing, because work is missing",
    "wrong": "each mutant gets its verdict and its misconception",
    "made": "each mutant that lint makes loses points, or is listed with the reason",
    "right": "each right submission keeps every point",
    "hint": "each public check has a hint, or a reason to have none",
    "time": "no check takes long",
    "handout": "the handout names every file and every answer",
    "covered": "enough wrong submissions, and one for each check",
    "variant": "at least 1,000 variants, and each is used",
    "memory": "each proof begins from used memory, or says why not",
    "value": "numbers differ between students",
    "goal": "each goal has a check, and each check a goal",
    "text": "rubric, design and times are there",
    "glossary": "terms are linked, and the glossary explains them",
    "command": "the handout's commands run",
    "bundle": "the bundle holds what students need, and nothing hidden",
}


def show_lint(linted: Linted, *, every: bool = False) -> None:
    """Print the items of a lab.

    Arguments:
        linted: the lab's. every: list items that are ok, too.
    """
    people = f"{linted.students} students, {linted.variants} different variants"
    say(f"{linted.lab}: {people}")
    earlier = f", of which an earlier run has spent {linted.kept_s:.0f} s" if linted.kept_s else ""
    say(f"draw {linted.draw} of the right submissions (repeat: --seed {linted.draw})")
    say(f"{linted.cpu_s:.0f} s of processor time{earlier}")
    table = tables.table()
    tables.add(table, "property", fold=True)
    tables.add(table, "holds", right=True)
    tables.add(table, "")
    for what, text in PROPERTIES.items():
        items = [item for item in linted.items if item.what == what]
        kept = sum(item.ok for item in items)
        verdict = "[green]ok[/green]" if kept == len(items) else "[red]broken[/red]"
        kept_of = (f"{kept} of {len(items)}", verdict) if items else ("", "not checked")
        table.add_row(text, *kept_of)
    tables.print_table(console(), table)
    shown = [item for item in linted.items if every or not item.ok]
    if shown:
        table = tables.table()
        for name in ("", "of", "name"):
            tables.add(table, name)
        tables.add(table, "found", fold=True)
        for item in shown:
            mark = "[green]ok[/green]" if item.ok else "[red]broken[/red]"
            table.add_row(mark, item.what, escape(item.name), escape(item.says))
        tables.print_table(console(), table)
    say("")
