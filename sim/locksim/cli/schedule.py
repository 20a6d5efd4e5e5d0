"""Write a page on which you schedule the threads of a lock yourself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from locksim.cli.options import LockName, MemoryModel
from lockui.command import Detail, command
from lockui.console import progress, say
from lockui.errors import UsageError, saving

app = typer.Typer(help=__doc__, add_completion=False)

PAGE = Path("schedule.html")


@command(app)
def schedule(
    lock: LockName,
    threads: int = 2,
    rounds: int = 1,
    memory: MemoryModel = "sc",
    only: Annotated[str, Detail("test clients whose name begins so")] = "",
    out: Annotated[Path, Detail("a page that ends in .html")] = PAGE,
) -> None:
    """Write a page on which you schedule the threads of a lock yourself.

    It has the test client that breaks the lock; if all are proven, the first one. Exit code 0: the
    page is written. 2: bad input.
    """
    from locksim.checker.client import chosen
    from locksim.checker.play.graph import graph
    from locksim.kinds.checking import check_lock, clients_of, walk_of_lock
    from locksim.library.registry import resolve
    from locksim.study.traces.page import page

    if out.suffix != ".html":
        raise UsageError(f"--out {out}: the page must be a file that ends in .html")
    struct = resolve(lock).struct
    first = chosen(clients_of(struct, threads, rounds), only)[0].name
    with progress(f"{lock}, {memory}") as report:
        verdict = check_lock(
            struct, threads=threads, rounds=rounds, memory=memory, client=only, report=report
        )
    broken = verdict.verdict == "violated"
    client = verdict.client if broken else first
    walk = walk_of_lock(
        struct, threads=threads, rounds=rounds, memory=memory, client=client, name=lock
    )
    with saving("--out"):
        page(out, graph(walk))
    found = f" ({verdict.found})" if broken else ""
    say(f"client '{client}': {verdict.verdict}{found}")
    say(f"open {out} in a browser to schedule the threads yourself")
