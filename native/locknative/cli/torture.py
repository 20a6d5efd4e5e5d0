"""``locklab native torture``: real threads that are late at random, and the sanitizers.

``--json`` prints a list of trials: ``lock``, ``tool``, ``threads``, ``seconds``, ``seed``,
``verdict``, ``detail``, ``acquisitions``, ``lost``, ``overlaps``, ``torn`` and ``passed``.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from lockui import tables
from lockui.arguments import bounded
from lockui.console import console, progress, say
from lockui.document import print_json
from lockui.errors import reported

if TYPE_CHECKING:
    from locknative.torture import Trial


@reported()
def torture(
    locks: Annotated[list[str] | None, typer.Argument(help="locks; none: all")] = None,
    seconds: Annotated[float, typer.Option(help="of each trial")] = 1.0,
    threads: Annotated[int, typer.Option(help="how many; more than CPUs is allowed")] = 4,
    tool: Annotated[
        str,
        typer.Option(
            help="torture (counts), tsan or asan (what a sanitizer reports; needs gcc), or all"
        ),
    ] = "torture",
    seed: Annotated[int, typer.Option(help="of the delays")] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="print JSON on stdout and nothing else")
    ] = False,
) -> None:
    """Make it hard for locks on real cores, and look for evidence that they are wrong.

    Two threads inside, lost updates, half updates, threads that never come through; and the
    longest wait, counted in the times that others went in. Evidence only: that nothing was seen
    proves nothing. Exit code 0: nothing was seen. 1: something was. 2: bad input.
    """
    from locknative.errors import NativeError
    from locknative.explorer.locks import adapter
    from locknative.explorer.locks import locks as known
    from locknative.torture import TOOLS, Builder
    from locknative.torture import torture as run_one

    bounded(threads, "--threads", 2, 1024)
    bounded(seed, "--seed", 0, 2**40)
    if not 0.01 <= seconds <= 3600:
        raise NativeError(f"--seconds {seconds}: give a time from 0.01 to 3600 s")
    chosen = locks or known()
    for lock in chosen:
        adapter(lock)  # refuses a name that there is not, before anything runs
    tools = TOOLS if tool == "all" else (tool,)
    trials: list[Trial] = []
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


def _print(trials: list[Trial]) -> None:
    table = tables.table()
    for column in ("lock", "tool", "verdict"):
        tables.add(table, column)
    for column in ("acquisitions", "longest wait"):
        tables.add(table, column, right=True)
    tables.add(table, "what was seen", fold=True)
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
    say("longest wait: how often others went in, exclusively, while one thread waited to")
