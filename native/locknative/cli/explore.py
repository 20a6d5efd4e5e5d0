"""``locklab native explore``: every interleaving of a C program that makes a difference.

``--json`` prints one object, of several locks a list of them: ``program``, ``threads``, ``memory``,
``verdict``, ``found``, ``runs``, ``traces``, ``steps``, ``seconds``, ``bound``, ``choices``,
``limits`` and ``counterexample`` (the shape of ``locklab check``'s).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from locknative.cli import values
from locksim.cli.options import MemoryModel
from lockui.arguments import bounded
from lockui.completion import among
from lockui.console import progress, say
from lockui.document import print_json
from lockui.errors import reported

if TYPE_CHECKING:
    from locknative.explorer import Exploration, Search

EXIT_CODES = {"proven": 0, "bounded": 0, "sampled": 0, "violated": 1, "unfinished": 3}


@reported()
def explore(
    files: Annotated[
        list[str],
        typer.Argument(
            help="C files of one program; or locks, each explored by itself: names of "
            "include/locklab, all, FILE.py:CLASS or emitted:NAME for one in the language, printed "
            "as C",
            autocompletion=among(values.explored),
        ),
    ],
    threads: Annotated[
        int, typer.Option(help="threads that run locklab_thread(); a main() makes its own")
    ] = 2,
    rounds: Annotated[int, typer.Option(help="of a lock: critical sections of each thread")] = 1,
    memory: MemoryModel = "sc",
    preemptions: Annotated[
        int | None,
        typer.Option(
            help="search for errors in runs with up to so many preemptions (under tso and c11 with "
            "stores that linger), which proves nothing; without this all runs are covered"
        ),
    ] = None,
    pct: Annotated[
        int, typer.Option(help="above 0: random runs, with this many priority changes and one")
    ] = 0,
    runs: Annotated[int, typer.Option(help="how many random runs")] = 10_000,
    seed: Annotated[int, typer.Option(help="of the random runs")] = 1,
    replay: Annotated[
        str | None, typer.Option(help="the choices of one run, as they were printed")
    ] = None,
    seconds: Annotated[float, typer.Option(help="CPU time of each process at most, in s")] = 60.0,
    max_steps: Annotated[int, typer.Option(help="steps of one run at most")] = 20_000,
    every_access: Annotated[
        bool, typer.Option("--every-access", help="interrupt before plain accesses too")
    ] = False,
    spurious: Annotated[
        bool,
        typer.Option(
            "--spurious",
            help="condition variables and futex waits wake up, and weak compare-and-swaps fail, "
            "for no reason",
        ),
    ] = False,
    volatile: Annotated[
        bool,
        typer.Option(
            "--volatile",
            help="volatile accesses are relaxed atomic ones, not plain as in C11 (gcc)",
        ),
    ] = False,
    leaks: Annotated[
        bool, typer.Option(help="report memory that nothing points to at the end")
    ] = True,
    release_sequences: Annotated[
        str,
        typer.Option(
            help="c11 (and C17), or c++20, by which any store ends a release sequence",
            autocompletion=among(values.standards),
        ),
    ] = "c11",
    workers: Annotated[
        int, typer.Option(help="processes that make the search together; the verdict is the same")
    ] = 1,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", help="a macro for the compiler")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="print JSON on stdout and nothing else")
    ] = False,
) -> None:
    """Explore what the threads of a C program can do, and show the run that goes wrong.

    The program is an ordinary one with pthreads, C11 threads or liburcu, or the functions of
    locklab/explore.h. Exit code 0: no error found. 1: violated. 3: not
    finished. 2: bad input.
    """
    from locknative.explorer import Search

    bounded(rounds, "--rounds", 1, 100)
    search = Search(
        threads=threads,
        memory=memory,
        preemptions=preemptions,
        pct=pct,
        runs=runs,
        seed=seed,
        replay=replay,
        seconds=seconds,
        max_steps=max_steps,
        every_access=every_access,
        spurious=spurious,
        leaks=leaks,
        release_sequences=release_sequences,
        workers=workers,
    )
    done = _explore(files, search, rounds, define or [], volatile)
    if not as_json:
        for found in done:
            _print(found, search)
    elif len(done) > 1:
        print_json([found.to_json() for found in done])
    else:
        print_json(done[0].to_json())
    verdicts = {found.verdict for found in done}
    worst = next((each for each in ("violated", "unfinished") if each in verdicts), "proven")
    raise typer.Exit(EXIT_CODES[worst])


def _explore(
    files: list[str], search: Search, rounds: int, defines: list[str], volatile: bool
) -> list[Exploration]:
    from pathlib import Path

    from locknative.compilation.emitted import is_emitted
    from locknative.errors import unknown
    from locknative.explorer import Program
    from locknative.explorer.locks import explore_lock, locks
    from locknative.explorer.search import run

    known = locks()
    with progress(", ".join(files)) as report:
        if files == ["all"] or all(file in known or is_emitted(file) for file in files):
            chosen = known if files == ["all"] else files
            done: list[Exploration] = []
            for lock in chosen:

                def told(text: str, fraction: float, lock: str = lock) -> None:
                    report(f"{lock}: {text}", (len(done) + fraction) / len(chosen))

                done.append(explore_lock(lock, search, rounds=rounds, report=told))
            return done
        for file in files:
            if not Path(file).suffix and not Path(file).exists() and file not in known:
                raise unknown("lock", file, known)
        with Program(files, defines, volatile_is_atomic=volatile) as program:
            return [run(program, search, report)]


def _reach(found: Exploration, search: Search) -> str:
    """How far a bounded search came; a complete one of a part of the inputs has no bound."""
    if search.preemptions is None:
        return ""
    return f" with up to {found.bound} preemption{'s' * (found.bound != 1)}"


def _print(found: Exploration, search: Search) -> None:
    if found.counterexample is not None:
        from locksim.checker.replay.render import text

        say(text(found.counterexample) + "\n")
    verdict = {
        "bounded": f"no error found{_reach(found, search)}",
        "sampled": "nothing wrong in these runs",
    }.get(found.verdict, found.verdict)
    say(
        f"{found.program}, {found.threads} threads, {found.memory}: {verdict} "
        f"({found.runs:,} runs, {found.steps:,} steps, {found.seconds:.2f} s)"
    )
    for limit in found.limits:
        say(f"  {limit}")
    if found.verdict == "violated" and search.replay is None:
        say(f"  the same run again: --replay '{found.choices}', with the same options")
