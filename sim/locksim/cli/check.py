"""Prove a lock or a workload for a few threads, or find a counterexample."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from locksim.cli import values
from locksim.cli.options import MemoryModel
from lockui.completion import among
from lockui.console import console, progress, say
from lockui.document import print_json
from lockui.errors import UsageError, reported, saving

if TYPE_CHECKING:
    from locksim.checker import Counterexample, Verdict
    from locksim.checker.play.walk import Walk
    from locksim.lang import Struct

app = typer.Typer(help=__doc__, add_completion=False)

UNBOUNDED = -1
"""As in :mod:`locksim.checker.verdict`, which only a check imports."""

MOST_COLUMNS = 100
"""Characters in a line of a counterexample on a wide terminal."""
EXIT_CODES = {"proven": 0, "violated": 1, "unfinished": 3}


@app.command()
@reported()
def check(
    lock: Annotated[
        str,
        typer.Argument(
            help="a name of `lock list`, or FILE.py:CLASS (a Workload too)",
            autocompletion=among(values.locks()),
        ),
    ] = "",
    threads: Annotated[
        int | None, typer.Option(help="how many threads, 1 to 8; 3, or 2 with --spec")
    ] = None,
    rounds: Annotated[
        str,
        typer.Option(help="critical sections of each thread; unbounded: any number", metavar="N"),
    ] = "1",
    client: Annotated[str, typer.Option(help="only test clients whose name begins so")] = "",
    expect: Annotated[
        str, typer.Option(help="must hold at the end: 'x == 1 or y != 0', words by name")
    ] = "",
    spec: Annotated[
        str,
        typer.Option(
            help="prove every history one of FIFO, LIFO, Set, ... or FILE.py:CLASS",
            autocompletion=among(values.specifications),
        ),
    ] = "",
    operations: Annotated[
        str,
        typer.Option(help="with --spec: calls of each thread, '2' or 'put(1) | take(); take()'"),
    ] = "",
    condition: Annotated[
        str,
        typer.Option(
            help="with --spec: linearizability, sequential-consistency or quiescent-consistency",
            autocompletion=among(values.conditions),
        ),
    ] = "linearizability",
    memory: MemoryModel = "sc",
    property_: Annotated[
        str,
        typer.Option(
            "--property",
            help="all, exclusion, deadlock, assertion, invariant, memory, race or leak; "
            "starvation or bypass",
            autocompletion=among(values.properties),
        ),
    ] = "all",
    max_states: Annotated[int, typer.Option(help="states to explore at most")] = 5_000_000,
    max_seconds: Annotated[float, typer.Option(help="time to spend at most, in s")] = 600.0,
    max_memory: Annotated[int, typer.Option(help="memory to use at most, in MiB")] = 8192,
    buffer_entries: Annotated[int, typer.Option(help="store buffer's size under tso")] = 8,
    history: Annotated[int, typer.Option(help="old values of a word to remember under c11")] = 8,
    reduction: Annotated[
        bool,
        typer.Option("--reduction/--no-reduction", help="skip interleavings that cannot matter"),
    ] = True,
    symmetry: Annotated[
        bool | None,
        typer.Option(
            "--symmetry/--no-symmetry",
            help="exchange threads that nothing tells apart; done for unbounded rounds",
        ),
    ] = None,
    random: Annotated[int, typer.Option(help="draw this many random schedules instead")] = 0,
    pct: Annotated[int, typer.Option(help="draw by priority, for bugs of this depth")] = 0,
    seed: Annotated[int, typer.Option(help="seed of the first random schedule")] = 1,
    replay: Annotated[
        Path | None, typer.Option(help="replay the counterexample in this --json file")
    ] = None,
    play: Annotated[
        Path | None, typer.Option(help="write a page where you schedule: FILE.html")
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option(help="write what is wrong, for editors: FILE.sarif")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Prove a lock or a workload for a few threads, or show the shortest way to break it.

    Exit code 0: proven, or replayed. 1: violated. 2: bad input. 3: unfinished, no proof.
    """
    if (replay is None) == (not lock):
        raise UsageError("name a lock or a file to --replay, for example: locklab check ticket")
    if replay is not None:
        _replay(replay, json)
        return
    sections = _sections(rounds, client, random, property_, play)
    _refuse_combinations(spec, operations, expect, random, pct, client, play, sections)
    from locksim.checker import Budget, Sampling, check_spec
    from locksim.kinds.checking import check_lock, sample_lock, walk_of_lock
    from locksim.library.registry import resolve, specification

    budget = Budget(max_states, max_seconds, max_memory << 20, buffer_entries, history=history)
    asked, threads = threads or 0, 3 if threads is None else threads
    with _recorded(sarif) as problems, progress(f"{lock}, {memory}") as report:
        entry = resolve(lock)
        if spec:
            verdict = check_spec(
                entry.struct,
                specification(spec),
                threads=asked,
                operations=operations,
                condition=condition,
                memory=memory,
                property=property_,
                budget=budget,
                name=lock,
                spec=spec,
                reduction=reduction,
                report=report,
            )
        elif random:
            verdict = sample_lock(
                entry.struct,
                Sampling(random, pct, seed),
                threads=threads,
                rounds=sections,
                memory=memory,
                property=property_,
                budget=budget,
                name=lock,
                report=report,
            )
        else:
            verdict = check_lock(
                entry.struct,
                threads=threads,
                rounds=sections,
                memory=memory,
                property=property_,
                budget=budget,
                name=lock,
                client=client,
                expect=expect,
                reduction=reduction,
                symmetry=symmetry,
                report=report,
            )
        problems.append(verdict)
    if json:
        print_json(verdict.to_json())
    else:
        _print(verdict, "steps" if random else "states")
        _print_not_checked(verdict, entry.struct)
    if play is not None:
        chosen = verdict.client if verdict.verdict == "violated" else ""
        walk = walk_of_lock(
            entry.struct, threads=threads, rounds=sections, memory=memory, client=chosen, name=lock
        )
        _write_page(play, walk)
        if not json:
            say(f"  open {play} in a browser to schedule the threads yourself")
    raise typer.Exit(EXIT_CODES[verdict.verdict])


@contextmanager
def _recorded(sarif: Path | None) -> Iterator[list[Verdict]]:
    """Write what is wrong by the block's verdicts, or the mistake that ends the block."""
    from locksim.checker.replay.problem import problem
    from locksim.compiler.diagnostics import CompileError
    from lockui.sarif import Problem, problem_of, write

    def save(problems: list[Problem]) -> None:
        if sarif is not None:
            with saving("--sarif"):
                write(sarif, problems)

    verdicts: list[Verdict] = []
    try:
        yield verdicts
    except CompileError as error:
        save([problem_of(error.code, str(error))])
        raise
    found = [problem(v.counterexample) for v in verdicts if v.counterexample is not None]
    stopped = [limit for v in verdicts if v.verdict == "unfinished" for limit in v.limits]
    save(found + [Problem("unfinished", limit, "warning") for limit in stopped])


def _sections(rounds: str, client: str, random: int, property_: str, play: Path | None) -> int:
    """The number of rounds that a text gives; refuse what does not go with it, or with clients."""
    if client and (random or property_ in ("starvation", "bypass")):
        raise UsageError(
            "--client works only without --random, starvation and bypass; leave it out"
        )
    if rounds != "unbounded" and not rounds.isdecimal():
        raise UsageError(f"--rounds {rounds}: give a number from 1, or 'unbounded'")
    if rounds != "unbounded":
        return int(rounds)
    if random or play is not None:
        raise UsageError("--rounds unbounded works only without --random and --play")
    return UNBOUNDED


def _refuse_combinations(
    spec: str,
    operations: str,
    expect: str,
    random: int,
    pct: int,
    client: str,
    play: Path | None,
    sections: int,
) -> None:
    """Refuse options that exclude each other, and those that need another."""
    if spec and (expect or random or client or play is not None or sections != 1):
        raise UsageError(
            "--spec makes its own clients: leave out --expect, --random, --client, --play, --rounds"
        )
    if operations and not spec:
        raise UsageError("--operations needs --spec, the specification whose operations they are")
    if expect and random:
        raise UsageError("--expect needs every schedule; leave --random out")
    if pct and not random:
        raise UsageError("--pct needs --random, the number of schedules to draw")
    if play is not None and play.suffix != ".html":
        raise UsageError(f"--play {play}: the page must be a file that ends in .html")


def _print_not_checked(verdict: Verdict, struct: type[Struct]) -> None:
    """Name the properties of liveness that a proof leaves out, and how to ask for them."""
    from locksim.kinds.checking import never_ends

    if verdict.verdict == "proven" and verdict.not_checked:
        strong = " --memory tso" if verdict.memory == "c11" else ""
        ask = f": --property {verdict.not_checked[0]}{strong}" * never_ends(struct)
        say(f"  {' and '.join(verdict.not_checked)} were not checked{ask}")


def _write_page(play: Path, walk: Walk) -> None:
    """Write the page in which a reader schedules the threads."""
    from locksim.checker.play.graph import graph
    from locksim.study.traces.page import page

    with saving("--play"):
        page(play, graph(walk))


def _print(verdict: Verdict, explored: str) -> None:
    if verdict.counterexample is not None:
        _show(verdict.counterexample)
    bypass = "" if verdict.bypass is None else f", at most {verdict.bypass} overtake"
    spec = f" of {verdict.spec}" if verdict.spec else ""
    asked = f"{verdict.condition}{spec}, {verdict.property}" if spec else verdict.property
    say(
        f"{verdict.lock}, {verdict.threads} threads, {verdict.memory}, {asked}: "
        f"{verdict.verdict}{bypass} ({verdict.states:,} {explored}, depth {verdict.depth}, "
        f"{verdict.seconds:.2f} s)"
    )
    shown = verdict.counterexample
    if shown is not None and shown.memory != verdict.memory:
        under = "" if shown.found == verdict.found else f"; {verdict.memory}: {verdict.found}"
        say(f"  already broken under {shown.memory}: the steps above are of {shown.memory}{under}")
    for limit in verdict.limits:
        say(f"  {limit}")


def _show(counterexample: Counterexample) -> None:
    from locksim.checker.replay.render import text

    say(text(counterexample, min(MOST_COLUMNS, console().width)) + "\n")


def _replay(file: Path, json: bool) -> None:
    from locksim.kinds.replay_file import replay_file

    replayed = replay_file(file)
    if json:
        print_json(replayed.to_json())
        return
    verdict, shown = replayed.verdict, replayed.counterexample
    _show(shown)
    say(
        f"{verdict.lock}, {verdict.threads} threads, {shown.memory}: replayed on the lock's "
        f"Python source, {len(shown.steps)} steps; result: {replayed.found}"
    )


if __name__ == "__main__":
    app()
