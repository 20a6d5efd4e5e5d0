"""Show what of the course is done, and what comes next.

One record holds lessons, labs, drills and levels; it is a file of your own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from locklessons.progress import State, course, sentence, states, time
from locklessons.progress import add as add_file
from lockui import record, tables
from lockui.command import Detail, command
from lockui.console import say
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)

AHEAD = 3
"""How many of the next steps are listed, if not all are asked for."""


class StepEntry(TypedDict):
    """A step of the course: ``parts`` of ``of`` are done, or all; ``state`` says it in words."""

    kind: str
    name: str
    title: str
    minutes: float
    how: str
    parts: int
    of: int
    done: bool
    state: str


class ProgressAnswer(TypedDict):
    """The record's file, how many steps are done, and the next one; null after the last."""

    file: str
    done: int
    steps: int
    hours_left: float
    next: str | None
    course: list[StepEntry]


@command(app)
def progress(
    all_: Annotated[bool, Detail("every step of the course")] = False,
    add: Path | None = None,
) -> Report[ProgressAnswer]:
    """Show what of the course is done, what comes next, and how long it takes."""
    new = None if add is None else add_file(add)
    found = states(course(), record.read())
    left = [state for state in found if not state.done]
    document = ProgressAnswer(
        file=str(record.path()),
        done=len(found) - len(left),
        steps=len(found),
        hours_left=round(sum(state.step.minutes for state in left) / 60, 1),
        next=left[0].step.name if left else None,
        course=[_entry(state) for state in found],
    )

    def show(view: Console) -> None:
        if new is not None:
            say(f"{add}: {new} new lines in your record\n", view)
        _print(view, found, every=all_)

    return Report(document, show)


def _entry(state: State) -> StepEntry:
    step = state.step
    return StepEntry(
        kind=step.kind,
        name=step.name,
        title=step.title,
        minutes=step.minutes,
        how=step.how,
        parts=state.parts,
        of=step.parts,
        done=state.done,
        state=state.words,
    )


def _print(view: Console, found: Sequence[State], *, every: bool) -> None:
    say(sentence(found), view)
    coming = [state for state in found if not (state.done or state.words)][:AHEAD]
    shown = [state for state in found if every or state.words or state in coming]
    table = tables.table()
    for name in ("step", "kind", "takes", "state", "do it with"):
        tables.add(table, name, fold=name in ("step", "do it with"))
    for state in shown:
        step, words = state.step, state.words or "–"
        words = f"{words}, done" if state.done and "solved" not in words else words
        how = tables.DASH if state.done else step.how
        if step.kind == "lab" and state.words and not state.done:
            how = "locklab lab check"
        table.add_row(step.title, step.kind, time(step.minutes), words, how)
    say("", view)
    tables.print_table(view, table)
    kinds = {state.step.kind: 0 for state in found}
    for state in found:
        kinds[state.step.kind] += state.done
    say("\n" + ", ".join(f"{name}s done: {count}" for name, count in kinds.items()), view)
    say(f"your record: {record.path()}" + ("" if every else "; --all lists every step"), view)
