"""The answer of ``locklab check FILE.litmus``: what a litmus test shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from lockui.console import progress, say
from lockui.errors import UsageError, saving
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.checker import Budget, Verdict
    from locksim.checker.litmus.observe import Observation

ENDING = ".litmus"
MOST_COLUMNS = 100
MOST_STATES = 20
"""Final states that are printed; ``--json`` has all."""


class LitmusAnswer(TypedDict):
    """What a litmus test shows.

    ``observation`` is herd7's word for the condition: "Always", "Sometimes" or "Never"; ``holds``
    whether that is what ``quantifier`` asks. ``states`` has the final values of what the condition
    names, of which ``positive`` states fulfil it. ``run`` is a shortest run that decides ``exists``
    or breaks ``~exists`` or ``forall``, ``race`` one with a race of plain accesses (c11), which
    has no meaning in C; both are as ``counterexample`` in docs/explain/checker.md, or null.
    """

    test: str
    memory: str
    threads: int
    quantifier: str
    condition: str
    observation: str
    holds: bool
    states: list[dict[str, int]]
    positive: int
    run: dict[str, Any] | None
    race: dict[str, Any] | None


def report_of(file: Path, memory: str, budget: Budget) -> Report[LitmusAnswer]:
    """Return what a test shows; the exit code is 1 if the condition fails or there is a race.

    Raises:
        UsageError: the file cannot be read.
        LitmusError: it is no litmus test that can be checked.
        UnfinishedError: the budget does not suffice.
    """
    from locksim.checker.litmus.observe import observe
    from locksim.checker.litmus.read import read

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"{file} cannot be read: {reason}; give the path of a file") from None
    with progress(f"{file}, {memory}"):
        found = observe(read(text, str(file)), memory, budget, str(file))

    def show(view: Console) -> None:
        _print(view, found)

    return Report(_document(found), show, 0 if found.holds and found.race is None else 1)


def save(file: Path, verdict: Verdict) -> None:
    """Write the counterexample of a verdict as a litmus test; without one nothing.

    A name that ends in ``.lkmm.litmus`` asks for the kernel's operations.
    """
    from locksim.checker.litmus.trace import trace
    from locksim.checker.litmus.write import write

    run = verdict.counterexample
    if run is None:
        return
    kernel = file.name.endswith(".lkmm" + ENDING)
    name = re.sub(r"\W+", "_", Path(verdict.lock.rpartition(":")[2]).stem)
    test = trace(run, f"{name}+{run.found}", _origin(verdict), kernel=kernel)
    with saving("--out"):
        file.write_text(write(test), encoding="utf-8")


def _origin(verdict: Verdict) -> str:
    """The command that finds the counterexample of a verdict, and of which model its steps are."""
    run = verdict.counterexample
    assert run is not None
    asked = [f"locklab check {verdict.lock} --threads {verdict.threads} --memory {verdict.memory}"]
    if verdict.rounds > 1:
        asked.append(f"--rounds {verdict.rounds}")
    if verdict.property != "all":
        asked.append(f"--property {verdict.property}")
    if verdict.spec:
        asked.append(f"--spec {verdict.spec}")
    if verdict.expect:
        asked.append(f"--expect '{verdict.expect}'")
    return f"{' '.join(asked)}\nclient: {run.client}; steps of {run.memory}"


def _document(found: Observation) -> LitmusAnswer:
    from locksim.checker.litmus.write import condition

    test = found.test
    return {
        "test": test.name,
        "memory": found.memory,
        "threads": len(test.threads),
        "quantifier": test.quantifier,
        "condition": condition(test.condition),
        "observation": found.word,
        "holds": found.holds,
        "states": found.states,
        "positive": len(found.positive),
        "run": None if found.run is None else found.run.to_json(),
        "race": None if found.race is None else found.race.to_json(),
    }


def _print(view: Console, found: Observation) -> None:
    from locksim.checker.replay.render import text

    for run in (found.race, found.run):
        if run is not None:
            say(text(run, min(MOST_COLUMNS, view.width)) + "\n", view)
    for state in found.states[:MOST_STATES]:
        values = "; ".join(f"{name}={value}" for name, value in state.items())
        say(f"  {'*' if state in found.positive else ' '} {values}", view)
    if len(found.states) > MOST_STATES:
        say(f"    and {len(found.states) - MOST_STATES} more: --json", view)
    test = found.test
    meaning = (
        "has a race, and so no meaning in C"
        if found.race
        else ("holds" if found.holds else "does not hold")
    )
    what = "the test" if found.race else f"{test.quantifier}"
    say(
        f"{test.name}, {len(test.threads)} threads, {found.memory}: {found.word} "
        f"({len(found.positive)} of {len(found.states)} final states); {what} {meaning}",
        view,
    )
