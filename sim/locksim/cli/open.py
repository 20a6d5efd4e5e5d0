"""Open a shared link: prove and simulate it again, and compare.

The program in the link is parsed and never run as Python.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typing_extensions import TypedDict

from locksim.cli.share import found
from lockui.command import Detail, command
from lockui.console import say
from lockui.errors import UsageError, saving
from lockui.report import Report

app = typer.Typer(add_completion=False)


class OpenAnswer(TypedDict):
    """What the link holds, what was found here, and how the two differ."""

    argument: dict[str, Any]
    found: dict[str, Any]
    differences: list[str]


@command(app)
def open_(
    link: Annotated[str, typer.Argument(help="the whole link, between quotation marks")],
    out: Annotated[Path | None, Detail("a new file for the program")] = None,
) -> Report[OpenAnswer]:
    """Open a link of `locklab play share` or of the playground: prove it again, and compare.

    Exit code 0: the link's claim holds. 1: something else was found. 2: bad input.
    """
    from locksim.play.argument import SIMULATED_PS, claim_of, differences, opened

    if out is not None and out.exists():
        raise UsageError(f"--out {out}: the file exists; choose a new name")
    asked = opened(link)
    if out is not None:
        with saving("--out"):
            out.write_text(asked.text, encoding="utf-8")
    verdict, points = found(asked)
    here = claim_of(verdict, points)
    wrong = differences(asked.claim, here)
    document = OpenAnswer(
        argument=asked.to_json(),
        found=here.to_json(),
        differences=wrong,
    )
    lines = []
    if verdict.counterexample is not None:
        from locksim.checker.replay.render import text

        lines += [text(verdict.counterexample), ""]
    what = f"{asked.threads} threads, {asked.memory}, {asked.property}"
    lines += [f"{asked.file}, {what}: {here.verdict}{f' ({here.found})' if here.found else ''}"]
    if verdict.is_proof():
        lines += [f"  {limit}" for limit in verdict.limits]
    if here.units:
        where = f"{asked.machine}, seed {asked.seed}"
        lines += [f"\nunits of work in {SIMULATED_PS // 10**6} µs on {where}"]
    lines += [f"  {cpus:>2} CPU{' s'[cpus > 1]}  {units:>6,}" for cpus, units in here.units]
    claims = bool(asked.claim.verdict or asked.claim.units)
    same = "the link claims the same" if claims else "the link claims nothing"
    lines += ["", *(f"  differs: {line}" for line in wrong)]
    lines += [f"  {same if not wrong else 'the claim does not hold here'}"]
    return Report(document, lambda view: say("\n".join(lines), view), int(bool(wrong)))
