"""``locklab native torture``: real threads with random delays, and the sanitizers.

``--json`` prints a list of trials: ``lock``, ``tool``, ``threads``, ``seconds``, ``seed``,
``verdict``, ``detail``, ``acquisitions``, ``lost``, ``overlaps``, ``torn`` and ``passed``.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from locknative.cli import values
from locknative.cli.options import Json
from lockui import tables
from lockui.arguments import bounded
from lockui.completion import among
from lockui.console import console, progress, say
from lockui.document import print_json
from lockui.errors import reported

if TYPE_CHECKING:
    from locknative.explorer.torture import TortureTrial


@reported()
def torture(
    locks: Annotated[
        list[str] | None,
        typer.Argument(help="names of locks (default: all)", autocompletion=among(values.locks)),
    ] = None,
    seconds: Annotated[float, typer.Option(help="time of each trial, in s")] = 1.0,
    threads: Annotated[
        int, typer.Option(help="number of threads; may exceed the number of CPUs")
    ] = 4,
    tool: Annotated[
        str,
        typer.Option(
            help="torture (counts), tsan or asan (a sanitizer's report; needs gcc), or all",
            autocompletion=among(values.tools),
        ),
    ] = "torture",
    seed: Annotated[int, typer.Option(help="of the random delays")] = 1,
    as_json: Json = False,
) -> None:
    """Stress locks on real cores, and look for evidence that they are wrong.

    Evidence is two threads inside, a lost update, half an update, a thread that never enters. The
    longest wait is counted in the times that other threads entered. A lock that passes is not
    proven. Exit code 0: no evidence. 1: evidence. 2: bad input.
    """
    from locknative.errors import require
    from locknative.explorer.locks import adapter
    from locknative.explorer.locks import locks as known
    from locknative.explorer.torture import TOOLS, Builder
    from locknative.explorer.torture import torture as run_one

    bounded(threads, "--threads", 2, 1024)
    bounded(seed, "--seed", 0, 2**40)
    require(0.01 <= seconds <= 3600, "--seconds", "between 0.01 and 3600", seconds)
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
                    trials.append(run_one(builder, lock, threads, seconds, seed))
    if as_json:
        print_json([asdict(trial) for trial in trials])
    else:
        _print(trials)
    raise typer.Exit(int(any(trial.verdict != "passed" for trial in trials)))


def _print(trials: list[TortureTrial]) -> None:
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
    tables.print_table(console(), table)
    say("longest wait: how often other threads entered exclusively while one thread waited")
