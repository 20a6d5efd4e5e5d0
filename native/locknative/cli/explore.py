"""Explore what the threads of a C program can do.

``--json`` prints :class:`locknative.explorer.search.Exploration`, of several locks a list.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from locknative.cli import values
from locknative.cli.options import MINUTE
from locknative.explorer import Estimate, Exploration, Search
from locknative.explorer.search import BEGINNINGS
from locksim.checker.limits import PROVEN, exit_code
from locksim.cli.options import MemoryModel
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say
from lockui.errors import UsageError
from lockui.quantities import Time
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

RUNS = 10_000
"""Random runs with ``--pct``."""
NO_PROOF = ("bounded", "sampled")
"""Verdicts of searches that were not asked for a proof, and found no error."""


Answer = Exploration | Estimate
app = typer.Typer(add_completion=False)


@command(app)
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
    threads: Annotated[int, Detail("they run locklab_thread(); a main() makes its own")] = 2,
    rounds: Annotated[int, Detail("of a lock")] = 1,
    memory: MemoryModel = "sc",
    preemptions: Annotated[
        int | None,
        Detail("under tso and c11 with stores that linger; without it all runs", rare=False),
    ] = None,
    pct: Annotated[int, Detail("changes of priority and one")] = 0,
    random: Annotated[int | None, Detail("with --pct", default=f"{RUNS:,}")] = None,
    seed: int = 1,
    replay: Annotated[str | None, Detail("here its choices, as they were printed")] = None,
    max_time: Annotated[Time, Detail("CPU time of each process", rare=False)] = MINUTE,
    max_steps: int = 200_000,
    every_access: bool = False,
    no_spurious: bool = False,
    malloc_fails: bool = False,
    volatile: Annotated[bool, Detail("gcc")] = False,
    no_leaks: bool = False,
    release_sequences: Annotated[str, Detail(values=among(values.standards))] = "c11",
    jobs: Annotated[int, Detail("on one search; the verdict is the same")] = 1,
    estimate: bool = False,
    strict: bool = False,
    define: list[str] | None = None,
) -> Report[Answer | list[Answer]]:
    """Explore what the threads of a C program can do, and show the run that goes wrong.

    The program is an ordinary one with pthreads, C11 threads or liburcu, or the functions of
    locklab/explore.h. Exit code 0: no error found. 1: violated. 2: bad input. 3: not finished. 4:
    with --strict, proven within limits.
    """
    bounded(rounds, "--rounds", 1, 100)
    if random is not None and not pct:
        raise UsageError("--random needs --pct DEPTH: runs are drawn by priority")
    if estimate and (pct or preemptions is not None or replay is not None):
        raise UsageError(
            "--estimate is for a complete search: leave out --preemptions, --pct and --replay"
        )
    search = Search(
        threads=threads,
        memory=memory,
        preemptions=preemptions,
        pct=pct,
        runs=RUNS if random is None else random,
        seed=seed,
        replay=replay,
        seconds=max_time.seconds,
        max_steps=max_steps,
        every_access=every_access,
        spurious=not no_spurious,
        malloc_fails=malloc_fails,
        leaks=not no_leaks,
        release_sequences=release_sequences,
        workers=jobs,
    )
    done = _explore(files, search, rounds, define or [], volatile, estimate)
    verdicts = [
        PROVEN if isinstance(found, Estimate) or found.verdict in NO_PROOF else found.verdict
        for found in done
    ]

    def show(view: Console) -> None:
        for found in done:
            if isinstance(found, Estimate):
                _print_estimate(view, found)
            else:
                _print(view, found, search)

    return Report(
        done if len(done) > 1 else done[0], show, exit_code=exit_code(verdicts, strict=strict)
    )


def _explore(
    files: list[str],
    search: Search,
    rounds: int,
    defines: list[str],
    volatile: bool,
    estimates: bool,
) -> list[Answer]:
    from pathlib import Path

    from locknative.compilation.emitted import is_emitted
    from locknative.errors import unknown
    from locknative.explorer import Program
    from locknative.explorer.locks import estimate_lock, explore_lock, halves, locks
    from locknative.explorer.search import estimate, run

    known = locks()
    with progress(", ".join(files)) as report:
        if files == ["all"] or all(file in known or is_emitted(file) for file in files):
            chosen = known if files == ["all"] else files
            parts = [
                (lock, half)
                for lock in chosen
                for half in [one for one in halves(lock) if one in defines] or halves(lock)
            ]
            done: list[Answer] = []
            for lock, half in parts:

                def told(text: str, fraction: float, lock: str = lock) -> None:
                    report(f"{lock}: {text}", (len(done) + fraction) / len(parts))

                done.append(
                    estimate_lock(lock, search, rounds=rounds, half=half)
                    if estimates
                    else explore_lock(lock, search, rounds=rounds, half=half, report=told)
                )
            return done
        for file in files:
            if not Path(file).suffix and not Path(file).exists() and file not in known:
                raise unknown("lock", file, known)
        with Program(files, defines, volatile_is_atomic=volatile) as program:
            return [estimate(program, search) if estimates else run(program, search, report)]


def _print_estimate(view: Console, found: Estimate) -> None:
    about = f"{found.runs:,.0f} runs in all"
    if not found.exact:
        about = (
            f"about {found.runs:.2g} runs or more ({found.lowest:.2g} to {found.highest:.2g} by "
            f"{BEGINNINGS} beginnings)"
        )
    say(
        f"{found.program}, {found.threads} threads, {found.memory}: {about}, {found.seconds:.2g} s "
        "of CPU time",
        view,
    )


def _reach(found: Exploration, search: Search) -> str:
    """How far a bounded search came; a complete one of a part of the inputs has no bound."""
    if search.preemptions is None:
        return ""
    return f" with up to {found.bound} preemption{'s' * (found.bound != 1)}"


def _print(view: Console, found: Exploration, search: Search) -> None:
    if found.counterexample is not None:
        from locksim.checker.replay.render import text

        say(text(found.counterexample) + "\n", view)
    verdict = {
        "bounded": f"no error found{_reach(found, search)}",
        "sampled": "nothing wrong in these runs",
    }.get(found.verdict, found.verdict)
    say(
        f"{found.program}, {found.threads} threads, {found.memory}: {verdict} "
        f"({found.runs:,} runs, {found.steps:,} steps, {found.seconds:.2f} s)",
        view,
    )
    for limit in found.limits:
        say(f"  {limit}", view)
    if found.verdict == "violated" and search.replay is None:
        half = re.search(r" \((\w+=\w+)\)$", found.program)
        options = "the same options" + (f" and --define {half[1]}" if half else "")
        say(f"  the same run again: --replay '{found.choices}', with {options}", view)
