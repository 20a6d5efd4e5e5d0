"""Pose a small problem, take the answer, explain it.

Problems have no end: a kind and a seed make one, and the checker or an engine finds its answer.
``--out FILE.md`` draws a quiz.
"""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NotRequired

import typer
from typing_extensions import TypedDict

from locksim.cli import values
from lockui import record
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say
from lockui.document import print_json
from lockui.errors import UsageError, saving

if TYPE_CHECKING:
    from locksim.play.drills.problem import Problem

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False)

MOST_SEED = 10**6
MOST_PROBLEMS = 100


class DrillAnswer(TypedDict):
    """A problem, and the form of its answer.

    ``right`` is there if an answer was given; ``answer`` and ``why`` then, and with ``--explain``.
    """

    kind: str
    seed: int
    question: str
    form: str
    right: NotRequired[bool]
    answer: NotRequired[str]
    why: NotRequired[str]


@command(app, answer=DrillAnswer)
def drill(
    kind: Annotated[
        str,
        typer.Argument(
            help="interleavings, transfers, tso, identities or grace-period",
            autocompletion=among(values.drills),
        ),
    ],
    seed: Annotated[
        int | None, Detail("the problem's number", default="a new one", rare=False)
    ] = None,
    answer: str | None = None,
    explain: Annotated[bool, Detail("the answer at once")] = False,
    out: Annotated[
        Path | None, Detail("FILE.md: a quiz instead, and its key in FILE-key.md")
    ] = None,
    count: Annotated[int, Detail("problems of a quiz")] = 5,
    json: bool = False,
) -> None:
    """Pose a small problem, take the answer, explain it.

    Exit code 0: right, or only shown. 1: wrong. 2: bad input.
    """
    from locksim.play.drills import KINDS
    from locksim.play.drills import drill as posed
    from lockui.suggest import did_you_mean

    if kind not in KINDS:
        raise UsageError(f"unknown drill '{kind}'; {did_you_mean(kind, KINDS)}")
    number = secrets.randbelow(MOST_SEED) if seed is None else bounded(seed, "--seed", 0, MOST_SEED)
    if out is not None:
        seeds = range(number, number + bounded(count, "--count", 1, MOST_PROBLEMS))
        _write_sheet(out, kind, {seed: posed(kind, seed) for seed in seeds})
        return
    problem = posed(kind, number)
    if not json:
        say(f"{kind}, --seed {number}\n\n{problem.question}\n")
    if answer is None and not explain and not json:
        answer = _typed(problem.form)
    right = None if answer is None else problem.right(answer)
    if right is not None:
        record.note("drill", kind, seed=number, right=right)
    if json:
        document = DrillAnswer(kind=kind, seed=number, question=problem.question, form=problem.form)
        if right is not None:
            document["right"] = right
        if right is not None or explain:
            document["answer"], document["why"] = problem.shown(), problem.why
        print_json(document)
    else:
        verdict = {True: "right: ", False: "wrong; the answer is ", None: "the answer is "}[right]
        say(f"{verdict}{problem.shown()}\n\n{problem.why}")
    raise typer.Exit(1 if right is False else 0)


def _typed(form: str) -> str:
    """Return the answer that is typed.

    Raises:
        UsageError: the input ends first.
    """
    print(f"Your answer ({form}): ", end="", flush=True)
    line = sys.stdin.readline()
    if not line.strip():
        raise UsageError(f"no answer was typed; type {form}, or ask with --explain")
    return line


def _write_sheet(sheet: Path, kind: str, problems: dict[int, Problem]) -> None:
    """Write a quiz and its key.

    Arguments:
        sheet: the quiz. kind: of its problems. problems: by seed.

    Raises:
        UsageError: the file's name does not end in .md, or it cannot be written.
    """
    if sheet.suffix != ".md":
        raise UsageError(f"--out {sheet}: the quiz must be a file that ends in .md")
    key = sheet.with_name(f"{sheet.stem}-key.md")
    asked, solved = [f"# Quiz: {kind}"], [f"# Key: {kind}"]
    for place, (seed, one) in enumerate(problems.items(), start=1):
        asked += [f"## {place}", f"```\n{one.question}\n```", f"Your answer ({one.form}):"]
        solved += [f"## {place} (--seed {seed})", f"**{one.shown()}**", f"```\n{one.why}\n```"]
    with saving("--out"):
        sheet.write_text("\n\n".join(asked) + "\n", encoding="utf-8")
        key.write_text("\n\n".join(solved) + "\n", encoding="utf-8")
    say(f"{sheet}: {len(problems)} problems\n{key}: the key")
