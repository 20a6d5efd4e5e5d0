"""Prove a lock for a few threads, or find a counterexample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typing_extensions import TypedDict

from locksim.cli import litmus, values
from locksim.cli.litmus import LitmusAnswer
from locksim.cli.weakest import WeakestAnswer, report_of
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say
from lockui.errors import UsageError, saving
from lockui.quantities import GIB, SECOND, Size, Time
from lockui.report import Report
from lockui.suggest import did_you_mean

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.checker import Budget, Counterexample, Verdict
    from locksim.lang import Struct

app = typer.Typer(add_completion=False)

UNBOUNDED = -1
"""As in :mod:`locksim.checker.verdict`, which only a check imports."""

MOST_COLUMNS = 100
"""Characters in a line of a counterexample on a wide terminal."""
TIME, MEMORY = Time(600 * SECOND), Size(8 * GIB)
REDUCTIONS = ("order", "symmetry", "both", "none")


class CheckAnswer(TypedDict):
    """A verdict: "proven", "proven within limits", "violated" or "unfinished".

    ``found`` is the property that is violated, in ``client``; ``limits`` what the verdict depends
    on, in sentences; ``bypass`` the bound, or null; ``not_checked`` what ``all`` did not ask;
    ``told_apart`` client → why its threads were told apart. docs/explain/checker.md has the parts
    of a ``counterexample``.
    """

    lock: str
    threads: int
    rounds: int
    memory: str
    property: str
    verdict: str
    states: int
    depth: int
    seconds: float
    found: str
    client: str
    limits: list[str]
    counterexample: dict[str, Any] | None
    bypass: int | None
    not_checked: list[str]
    expect: str
    spec: str
    condition: str
    told_apart: dict[str, str]


class ReplayAnswer(TypedDict):
    """A counterexample that holds for the lock as it is now."""

    lock: str
    threads: int
    rounds: int
    memory: str
    client: str
    replayed: bool
    found: str
    counterexample: dict[str, Any]


@dataclass(frozen=True)
class Search:
    """The options that say how far the checker looks, and what it leaves out."""

    max_states: int = 5_000_000
    max_time: Annotated[Time, Detail("CPU time")] = TIME
    max_memory: Size = MEMORY
    depth: Annotated[
        int | None, Detail(default="16 under tso, else 8; more where that is full")
    ] = None
    reduction: Annotated[
        str | None,
        Detail(default="order; both for unbounded rounds", values=among(REDUCTIONS)),
    ] = None

    def budget(self, memory: str) -> Budget:
        """Return when the checker gives up under a memory model.

        Raises:
            UsageError, CheckError: a limit is out of range.
        """
        from locksim.checker import Budget
        from locksim.checker.models.layout import POOL
        from locksim.checker.models.model import MOST_ENTRIES

        buffered = memory == "tso"
        depth = {}
        if self.depth is not None:
            bounded(self.depth, "--depth", 1, MOST_ENTRIES if buffered else POOL)
            depth = {"buffer_entries" if buffered else "history": self.depth}
        return Budget(self.max_states, self.max_time.seconds, int(self.max_memory), **depth)

    def reductions(self) -> tuple[bool, bool | None]:
        """Return whether order is reduced, and whether threads are exchanged; None: the default.

        Raises:
            UsageError: the reduction is unknown.
        """
        if self.reduction is None:
            return True, None
        if self.reduction not in REDUCTIONS:
            hint = did_you_mean(self.reduction, REDUCTIONS)
            raise UsageError(f"--reduction {self.reduction}: {hint}")
        return self.reduction in ("order", "both"), self.reduction in ("symmetry", "both")


@command(app)
def check(
    search: Search,
    lock: Annotated[
        str,
        typer.Argument(
            help="a name from 'locklab show lock', FILE.py:CLASS (a Workload too), or FILE.litmus",
            autocompletion=among(values.locks()),
        ),
    ] = "",
    threads: Annotated[int | None, Detail("1 to 8", default="3; with --spec 2")] = None,
    rounds: Annotated[str, Detail("unbounded: any number")] = "1",
    memory: Annotated[
        str, Detail(default="sc; with --weaken c11", values=among(values.memory_models))
    ] = "",
    property_: Annotated[
        str,
        Detail(
            "all; exclusion: never two threads inside; deadlock, assertion, invariant, memory, "
            "race or leak; starvation or "
            "bypass; with --spec: linearizability, sequential- or quiescent-consistency",
            among(values.asked),
        ),
    ] = "all",
    only: Annotated[str, Detail("test clients whose name begins so")] = "",
    expect: str = "",
    spec: Annotated[str, Detail(values=among(values.specifications))] = "",
    calls: str = "",
    weaken: bool = False,
    random: int = 0,
    pct: int = 0,
    seed: int = 1,
    strict: bool = False,
    replay: Path | None = None,
    out: Annotated[
        Path | None,
        Detail(
            "FILE.sarif: what is wrong, for editors; FILE.litmus, FILE.lkmm.litmus: the "
            "counterexample for herd7, with operations of C11 or of the kernel"
        ),
    ] = None,
) -> Report[CheckAnswer | ReplayAnswer | WeakestAnswer | LitmusAnswer]:
    """Prove a lock or a workload for a few threads, or show the shortest way to break it.

    Exit code 0: proven, or replayed. 1: violated. 2: bad input. 3: unfinished, no proof. 4: with
    --strict, proven within limits.
    """
    if (replay is None) == (not lock):
        raise UsageError("name a lock or a file to --replay, for example: locklab check ticket")
    if replay is not None:
        return _replay(replay)
    if out is not None and out.suffix not in (".sarif", litmus.ENDING):
        raise UsageError(f"--out {out}: the file must end in .sarif or {litmus.ENDING}")
    if lock.endswith(litmus.ENDING):
        if (
            threads
            or rounds != "1"
            or property_ != "all"
            or seed != 1
            or weaken
            or out
            or any((only, expect, spec, calls, random, pct))
        ):
            raise UsageError(
                "a litmus test has its own threads and condition: give only --memory and limits"
            )
        return litmus.report_of(Path(lock), memory or "sc", search.budget(memory or "sc"))
    sections = sections_of(rounds, only, random, property_)
    _refuse_combinations(spec, calls, expect, random, pct, only, sections)
    memory = memory or ("c11" if weaken else "sc")
    if weaken:
        _refuse_weaken(memory, property_, random, out)
    from locksim.checker import Sampling, check_spec
    from locksim.checker.limits import exit_code
    from locksim.checker.weakest import Ask, weakest
    from locksim.kinds.checking import check_lock, sample_lock, sizes_of
    from locksim.library.registry import resolve, specification

    budget, (order, symmetry) = search.budget(memory), search.reductions()
    asked, threads = threads or 0, 3 if threads is None else threads
    property_, condition = _condition(property_, spec)
    sarif, trace = (out, None) if out is None or out.suffix == ".sarif" else (None, out)
    with _recorded(sarif) as problems, progress(f"{lock}, {memory}") as report:
        entry, found = resolve(lock), None
        if random:
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
            ask: Ask
            sizes: Sequence[Mapping[str, Any]] = [{}]
            if spec:
                ask = partial(
                    check_spec,
                    entry.struct,
                    specification(spec),
                    threads=asked,
                    operations=calls,
                    condition=condition,
                    memory=memory,
                    property=property_,
                    name=lock,
                    spec=spec,
                    reduction=order,
                )
            else:
                sizes = sizes_of(entry.struct, threads, sections, expect)
                ask = partial(
                    check_lock,
                    entry.struct,
                    threads=threads,
                    rounds=sections,
                    memory=memory,
                    property=property_,
                    name=lock,
                    client=only,
                    expect=expect,
                    reduction=order,
                    symmetry=symmetry,
                )
            if weaken:
                found = weakest(entry.struct, ask, budget, sizes=sizes, report=report)
            verdict = ask(budget=budget, report=report) if found is None else found.verdict
        problems.append(verdict)
    if trace is not None:
        litmus.save(trace, verdict)
    if found is not None and found.orders:
        return report_of(found, strict=strict)

    def show(view: Console) -> None:
        _print(view, verdict, "steps" if random else "states")
        _print_not_checked(view, verdict, entry.struct)
        if trace is not None and verdict.counterexample is None:
            say(f"  there is no counterexample, so {trace} was not written", view)
        if weaken:
            say("  --weaken looks for weaker orders once the given ones are proven", view)

    document = cast("CheckAnswer", verdict.to_json())
    return Report(document, show, exit_code([verdict.verdict], strict=strict))


@contextmanager
def _recorded(file: Path | None) -> Iterator[list[Verdict]]:
    """Write what is wrong by the block's verdicts, or the mistake that ends the block."""
    from locksim.checker.replay.problem import problem
    from locksim.compiler.diagnostics import CompileError
    from lockui.sarif import Problem, problem_of, write

    def save(problems: list[Problem]) -> None:
        if file is not None:
            with saving("--out"):
                write(file, problems)

    verdicts: list[Verdict] = []
    try:
        yield verdicts
    except CompileError as error:
        save([problem_of(error.code, str(error))])
        raise
    found = [problem(v.counterexample) for v in verdicts if v.counterexample is not None]
    stopped = [limit for v in verdicts if v.verdict == "unfinished" for limit in v.limits]
    limits = [limit for v in verdicts if v.is_proof() for limit in v.limits]
    found += [Problem("unfinished", limit, "warning") for limit in stopped]
    save(found + [Problem("limit", limit, "note") for limit in limits])


def sections_of(rounds: str, only: str = "", random: int = 0, property_: str = "") -> int:
    """Return the number of rounds that a text gives.

    Raises:
        UsageError: it gives none, or it does not go with the other options.
    """
    if only and (random or property_ in ("starvation", "bypass")):
        raise UsageError("--only works only without --random, starvation and bypass; leave it out")
    if rounds != "unbounded" and not rounds.isdecimal():
        raise UsageError(f"--rounds {rounds}: give a number from 1, or 'unbounded'")
    if rounds != "unbounded":
        return int(rounds)
    if random:
        raise UsageError("--rounds unbounded works only without --random")
    return UNBOUNDED


def _condition(property_: str, spec: str) -> tuple[str, str]:
    """Return what ``--property`` asks of each run, and the condition that it sets on histories.

    Raises:
        UsageError: it is a condition, and there is no specification.
    """
    from locksim.checker.spec import CONDITIONS

    if property_ not in CONDITIONS:
        return property_, "linearizability"
    if not spec:
        raise UsageError(f"--property {property_} needs --spec, the specification of the object")
    return "all", property_


def _refuse_combinations(
    spec: str, calls: str, expect: str, random: int, pct: int, only: str, sections: int
) -> None:
    """Refuse options that exclude each other, and those that need another."""
    if spec and (expect or random or only or sections != 1):
        raise UsageError(
            "--spec makes its own clients: leave out --expect, --random, --only, --rounds"
        )
    if calls and not spec:
        raise UsageError("--calls needs --spec, the specification that has these operations")
    if expect and random:
        raise UsageError(
            "--expect and --random cannot be used together: --expect checks every schedule, "
            "--random only some; leave one of them out"
        )
    if pct and not random:
        raise UsageError("--pct needs --random, the number of schedules to draw")


def _refuse_weaken(memory: str, property_: str, random: int, out: Path | None) -> None:
    """Refuse what --weaken cannot answer."""
    from locksim.checker.weakest import refuse

    if random or out is not None:
        raise UsageError("--weaken works only without --random and --out; leave them out")
    refuse(memory, property_)


def _print_not_checked(view: Console, verdict: Verdict, struct: type[Struct]) -> None:
    """Name the properties of liveness that a proof leaves out, and how to ask for them."""
    from locksim.kinds.checking import never_ends

    if verdict.is_proof() and verdict.not_checked:
        strong = " --memory tso" if verdict.memory == "c11" else ""
        ask = f": --property {verdict.not_checked[0]}{strong}" * never_ends(struct)
        say(f"  {' and '.join(verdict.not_checked)} were not checked{ask}", view)


def _print(view: Console, verdict: Verdict, explored: str) -> None:
    if verdict.counterexample is not None:
        _show(view, verdict.counterexample)
    bypass = "" if verdict.bypass is None else f", at most {verdict.bypass} overtake"
    spec = f" of {verdict.spec}" if verdict.spec else ""
    asked = f"{verdict.condition}{spec}, {verdict.property}" if spec else verdict.property
    say(
        f"{verdict.lock}, {verdict.threads} threads, {verdict.memory}, {asked}: "
        f"{verdict.verdict}{bypass} ({verdict.states:,} {explored}, depth {verdict.depth}, "
        f"{verdict.seconds:.2f} s)",
        view,
    )
    shown = verdict.counterexample
    if shown is not None and shown.memory != verdict.memory:
        under = "" if shown.found == verdict.found else f"; {verdict.memory}: {verdict.found}"
        say(
            f"  already broken under {shown.memory}: the steps above are of {shown.memory}{under}",
            view,
        )
    for limit in verdict.limits:
        say(f"  {limit}", view)


def _show(view: Console, counterexample: Counterexample) -> None:
    from locksim.checker.replay.render import text

    say(text(counterexample, min(MOST_COLUMNS, view.width)) + "\n", view)


def _replay(file: Path) -> Report[CheckAnswer | ReplayAnswer]:
    """Replay what ``--json`` wrote, and return how it ended."""
    from locksim.kinds.replay_file import replay_file

    replayed = replay_file(file)

    def show(view: Console) -> None:
        verdict, shown = replayed.verdict, replayed.counterexample
        _show(view, shown)
        say(
            f"{verdict.lock}, {verdict.threads} threads, {shown.memory}: replayed on the lock's "
            f"Python source, {len(shown.steps)} steps; result: {replayed.found}",
            view,
        )

    return Report(cast("ReplayAnswer", replayed.to_json()), show)


if __name__ == "__main__":
    app()
