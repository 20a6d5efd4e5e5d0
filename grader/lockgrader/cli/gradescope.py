"""Make an autograder for Gradescope, and run it there.

``bundle --json`` prints ``{"lab", "file", "files", "bytes", "key"}``; ``run --json`` the result,
see ``lockgrader.result.Result``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lockui.arguments import bounded
from lockui.console import say, warn
from lockui.document import print_json
from lockui.errors import UsageError, reported

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False, no_args_is_help=True)

EXIT_GRADER_ERROR = 3


@app.command()
@reported()
def bundle(
    lab: Annotated[str, typer.Argument(help="the lab's folder or name")],
    out: Annotated[Path, typer.Option("--out", "-o", help="the zip")] = Path("autograder.zip"),
    key: Annotated[
        Path | None, typer.Option(help="file with the course key; or set LOCKLAB_COURSE_KEY")
    ] = None,
    student: Annotated[
        str, typer.Option(help="email, id, sid or name: from which the variant is drawn")
    ] = "email",
    seconds: Annotated[
        int, typer.Option(help="time for one grading, in s; must be below the platform's time-out")
    ] = 540,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Write a zip to upload under Configure Autograder."""
    from lockgrader.gradescope.bundle import EARLIEST_S, LATEST_S, Config
    from lockgrader.gradescope.bundle import bundle as write_bundle
    from lockgrader.lab import load
    from lockgrader.lab.variants import PUBLIC_KEY, course_key
    from locklabs import find

    if student not in ("email", "id", "sid", "name"):
        raise UsageError(f"--student must be email, id, sid or name (got {student})")
    bounded(seconds, "--seconds", EARLIEST_S, LATEST_S)
    loaded, secret = load(find(lab)), course_key(key)
    own = None if secret == PUBLIC_KEY else secret
    files = write_bundle(loaded, out, key=own, config=Config(student=student, seconds=seconds))
    size = out.stat().st_size
    if as_json:
        document = {"lab": loaded.name, "file": out, "files": files, "bytes": size}
        print_json(document | {"key": own is not None})
        return
    say(f"{out}: {files} files, {size / 1e6:.1f} MB, for {loaded.name}")
    say("Upload it under Configure Autograder. It holds the hidden checks: keep it private.")
    if own is None:
        warn("without a course key anyone can compute the variants; see --key")


@app.command()
@reported()
def run(
    root: Annotated[Path, typer.Option(help="the folder that is /autograder there")] = Path(
        "/autograder"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON only")] = False,
) -> None:
    """Grade the submission of this container (called by run_autograder).

    Exit code 3: the grader failed in some check (internal error); grade again.
    """
    from lockgrader.gradescope.run import run as grade_here

    result = grade_here(root)
    if as_json:
        print_json(json.loads(result.to_json()))
    else:
        say(f"{result.student}: {result.points:g} of {result.max_points:g} points")
    if result.errors:
        raise typer.Exit(EXIT_GRADER_ERROR)


@app.command()
@reported()
def prepare() -> None:
    """Compile before the first grading, and check that there is a sandbox (called by setup.sh)."""
    from lockgrader.gradescope.run import prepare as prepare_here

    say(f"ready; sandbox: {prepare_here()}")
