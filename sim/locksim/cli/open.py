"""Open a shared link: prove and simulate it again, and compare.

The program in the link is parsed and never run as Python. ``--json`` prints ``{"argument", "found",
"differences"}``: what the link holds, what was found here, and how the two differ.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from locksim.cli.share import found
from lockui.command import Detail, command
from lockui.console import say
from lockui.document import print_json
from lockui.errors import UsageError, saving

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False)


@command(app)
def open_(
    link: Annotated[str, typer.Argument(help="the whole link, between quotation marks")],
    out: Annotated[Path | None, Detail("a new file for the program")] = None,
    json: bool = False,
) -> None:
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
    if json:
        print_json(
            {
                "argument": asked.model_dump(mode="json"),
                "found": here.model_dump(mode="json"),
                "differences": wrong,
            }
        )
        raise typer.Exit(1 if wrong else 0)
    if verdict.counterexample is not None:
        from locksim.checker.replay.render import text

        say(text(verdict.counterexample) + "\n")
    what = f"{asked.threads} threads, {asked.memory}, {asked.property}"
    say(f"{asked.file}, {what}: {here.verdict}{' (' + here.found + ')' if here.found else ''}")
    if here.units:
        say(f"\nunits of work in {SIMULATED_PS // 10**6} us on {asked.machine}, seed {asked.seed}")
    for cpus, units in here.units:
        say(f"  {cpus:>2} CPU{' s'[cpus > 1]}  {units:>6,}")
    say("")
    for line in wrong:
        say(f"  differs: {line}")
    claims = bool(asked.claim.verdict or asked.claim.units)
    same = "the link claims the same" if claims else "the link claims nothing"
    say(f"  {same if not wrong else 'the claim does not hold here'}")
    raise typer.Exit(1 if wrong else 0)
