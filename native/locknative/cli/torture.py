"""Stress locks on real cores with random delays; sanitizers.

``--json`` prints a list of trials.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from locknative.cli import values
from locknative.explorer.torture import TOOLS, Builder, TortureTrial
from locknative.explorer.torture import torture as run_one
from lockui import tables
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say
from lockui.errors import UsageError
from lockui.quantities import SECOND, Time
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console


app = typer.Typer(add_completion=False)

LENGTH = Time(SECOND)


@command(app)
def torture(
    locks: Annotated[
        list[str] | None,
        typer.Argument(help="names of locks (default: all)", autocompletion=among(values.locks)),
    ] = None,
    duration: Annotated[Time, Detail(rare=False)] = LENGTH,
    threads: Annotated[int, Detail("may exceed the number of CPUs")] = 4,
    tool: Annotated[
        str, Detail("sanitizers need gcc", among(values.tools), rare=False)
    ] = "torture",
    seed: int = 1,
) -> Report[list[TortureTrial]]:
    """Stress locks on real cores, and look for evidence that they are wrong.

    Evidence is two threads inside, a lost update, half an update, a thread that never enters. The
    longest wait is counted in the times that other threads entered. A lock that passes is not
    proven. Exit code 0: no evidence. 1: evidence. 2: bad input.
    """
    from locknative.explorer.locks import adapter
    from locknative.explorer.locks import locks as known

    bounded(threads, "--threads", 2, 1024)
    bounded(seed, "--seed", 0, 2**40)
    if not 0.01 <= duration.seconds <= 3600:
        raise UsageError(f"--duration must be between 10ms and 60min (got {duration})")
    chosen = locks or known()
    for lock in chosen:
        adapter(lock)  # refuses an unknown name before anything runs
    tools = TOOLS if tool == "all" else (tool,)
    trials: list[TortureTrial] = []
    with progress("building") as report:
        for name in tools:
            with Builder(name) as builder:
                for lock in chosen:
                    report(f"{name}: {lock}", len(trials) / (len(tools) * len(chosen)))
                    trials.append(run_one(builder, lock, threads, duration.seconds, seed))
    return Report(
        trials,
        lambda view: _print(view, trials),
        exit_code=int(any(trial.verdict != "passed" for trial in trials)),
    )


def _print(view: Console, trials: list[TortureTrial]) -> None:
    table = tables.table()
    for column in ("lock", "tool", "verdict"):
        tables.add(table, column)
    for column in ("acquisitions", "longest wait"):
        tables.add(table, column, right=True)
    tables.add(table, "evidence", fold=True)
    for trial in trials:
        table.add_row(
            trial.lock,
            trial.tool,
            trial.verdict,
            f"{trial.acquisitions:,}",
            f"{trial.passed:,}",
            trial.detail,
        )
    tables.print_table(view, table)
    say("longest wait: how often other threads entered exclusively while one thread waited", view)
