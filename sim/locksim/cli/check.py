"""Explore every interleaving of a few threads: is the lock right?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from locksim.cli import common

if TYPE_CHECKING:
    from locksim.checker import Verdict

app = typer.Typer(help=__doc__, add_completion=False)

EXIT_CODES = {"proven": 0, "violated": 1, "unfinished": 3}


@app.command()
@common.reported()
def check(
    lock: Annotated[str, typer.Argument(help="a lock of the library, or FILE.py:CLASS")],
    threads: Annotated[int, typer.Option(help="how many threads, 1 to 8")] = 3,
    rounds: Annotated[int, typer.Option(help="critical sections of each thread")] = 1,
    memory: Annotated[str, typer.Option(help="memory model: sc or tso")] = "sc",
    property_: Annotated[
        str, typer.Option("--property", help="all, exclusion, deadlock, assertion or memory")
    ] = "all",
    max_states: Annotated[int, typer.Option(help="states to explore at most")] = 5_000_000,
    max_seconds: Annotated[float, typer.Option(help="time to spend at most, in s")] = 600.0,
    buffer_entries: Annotated[int, typer.Option(help="store buffer's size under tso")] = 8,
    play: Annotated[
        Path | None, typer.Option(help="write a page, FILE.html, on which you are the scheduler")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Prove a lock for a few threads, or show the shortest way to break it.

    Exit code 0: proven. 1: violated. 3: not finished within the budget. 2: bad input.
    """
    from locksim.checker import Budget, check_lock
    from locksim.registry import resolve

    if play is not None and play.suffix != ".html":
        raise common.UsageError(f"--play {play}: a page is written; name a file that ends in .html")
    entry = resolve(lock)
    with common.progress(f"{lock}, {threads} threads, {memory}") as report:
        verdict = check_lock(
            entry.struct,
            threads=threads,
            rounds=rounds,
            memory=memory,
            property=property_,
            budget=Budget(max_states, max_seconds, buffer_entries),
            name=lock,
            report=report,
        )
    if json:
        common.print_json(verdict.to_json())
    else:
        _print(verdict)
    if play is not None:
        from locksim.checker.graph import graph
        from locksim.checker.walk import of_lock
        from locksim.traces.page import page

        chosen = verdict.client if verdict.verdict == "violated" else ""
        walk = of_lock(
            entry.struct, threads=threads, rounds=rounds, memory=memory, client=chosen, name=lock
        )
        with common.saving("--play"):
            page(play, graph(walk))
        if not json:
            common.say(f"  you are the scheduler: open {play} in a browser")
    raise typer.Exit(EXIT_CODES[verdict.verdict])


def _print(verdict: Verdict) -> None:
    from locksim.checker.render import table

    if verdict.counterexample is not None:
        common.say(table(verdict.counterexample) + "\n")
    common.say(
        f"{verdict.lock}, {verdict.threads} threads, {verdict.memory}, {verdict.property}: "
        f"{verdict.verdict} ({verdict.states:,} states, depth {verdict.depth}, "
        f"{verdict.seconds:.2f} s)"
    )
    for limit in verdict.limits:
        common.say(f"  {limit}")


if __name__ == "__main__":
    app()
