"""Show what of the course is done, and what comes next.

One record holds lessons, labs, drills and levels; it is a file of your own. ``--json`` prints
``{"file", "done", "steps", "hours_left", "next", "course"}``; each entry of ``course`` has
``kind``, ``name``, ``title``, ``minutes``, ``how``, ``parts``, ``of``, ``done`` and ``state``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from locklessons.progress import add as add_file
from locklessons.progress import course, sentence, states, time
from lockui import record, tables
from lockui.command import Detail, command
from lockui.console import console, say
from lockui.document import print_json

app = typer.Typer(add_completion=False)

AHEAD = 3
"""How many of the next steps are listed, if not all are asked for."""


@command(app)
def progress(
    all_: Annotated[bool, Detail("every step of the course")] = False,
    add: Path | None = None,
    json: bool = False,
) -> None:
    """Show what of the course is done, what comes next, and how long it takes."""
    new = None if add is None else add_file(add)
    found = states(course(), record.read())
    left = [state for state in found if not state.done]
    if json:
        document: dict[str, Any] = {
            "file": str(record.path()),
            "done": len(found) - len(left),
            "steps": len(found),
            "hours_left": round(sum(state.step.minutes for state in left) / 60, 1),
            "next": left[0].step.name if left else None,
            "course": [
                {
                    **{key: getattr(s.step, key) for key in ("kind", "name", "title", "minutes")},
                    **{"how": s.step.how, "parts": s.parts, "of": s.step.parts},
                    **{"done": s.done, "state": s.words},
                }
                for s in found
            ],
        }
        print_json(document)
        return
    if new is not None:
        say(f"{add}: {new} new lines in your record\n")
    say(sentence(found))
    coming = [state for state in left if not state.words][:AHEAD]
    shown = [state for state in found if all_ or state.words or state in coming]
    table = tables.table()
    for name in ("step", "kind", "takes", "state", "do it with"):
        tables.add(table, name, fold=name in ("step", "do it with"))
    for state in shown:
        step, words = state.step, state.words or "–"
        words = f"{words}, done" if state.done and "solved" not in words else words
        table.add_row(step.title, step.kind, time(step.minutes), words, step.how)
    say("")
    tables.print_table(console(), table)
    kinds = {state.step.kind: 0 for state in found}
    for state in found:
        kinds[state.step.kind] += state.done
    say("\n" + ", ".join(f"{name}s done: {count}" for name, count in kinds.items()))
    say(f"your record: {record.path()}" + ("" if all_ else "; --all lists every step"))
