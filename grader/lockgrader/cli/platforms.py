"""Bundles for course platforms, and the commands that they call there.

``bundle --json`` prints ``{"platform", "lab", "file", "files", "bytes", "key"}``; ``here --json``
the result, see ``lockgrader.result.Result``.
"""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lockgrader.cli import values
from lockui.arguments import bounded
from lockui.completion import among
from lockui.console import say, warn
from lockui.document import print_json
from lockui.errors import UsageError, reported
from lockui.suggest import did_you_mean

if TYPE_CHECKING:
    from lockgrader.platforms.here import Graded

NEXT = {
    "gradescope": "Upload it under Configure Autograder.",
    "prairielearn": "Unpack it in the course's folder, and build the image of grader-image.",
    "nbgrader": "Unpack it in the course's folder; nbgrader_config.py calls locklab_nbgrader.py.",
    "actions": "Unpack it in the repository, and push.",
}
"""Platform → what to do with its bundle."""
PUBLIC = ("actions",)
"""The platforms whose bundles may lie with students."""
WITHOUT_KEY = ("actions", "prairielearn")
"""The platforms whose bundles hold no key: a secret there, or variants of the platform's own."""
Key = Annotated[
    Path | None, typer.Option(help="file with the course key; or set LOCKLAB_COURSE_KEY")
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="the zip; by default PLATFORM.zip")]
STUDENT = ("email", "id", "sid", "name")
Student = Annotated[
    str,
    typer.Option(
        help="Gradescope: email, id, sid or name, from which the variant is drawn",
        autocompletion=among(STUDENT),
    ),
]
Seconds = Annotated[
    int, typer.Option(help="time for one grading, in s; must be below the platform's time-out")
]
Json = Annotated[bool, typer.Option("--json", help="print JSON only")]
Platform = Annotated[
    str, typer.Argument(help=f"one of: {', '.join(NEXT)}", autocompletion=among(NEXT))
]


@reported()
def bundle(
    platform: Platform,
    lab: Annotated[
        str,
        typer.Argument(help="the lab's folder or name", autocompletion=among(values.labs)),
    ],
    out: Out = None,
    key: Key = None,
    student: Student = "email",
    seconds: Seconds = 540,
    public: Annotated[
        bool, typer.Option(help="GitHub Actions: for students' repositories, public checks only")
    ] = False,
    image: Annotated[
        str, typer.Option(help="PrairieLearn: the name under which you push the image")
    ] = "locklab-grader",
    as_json: Json = False,
) -> None:
    """Write what a course platform needs to grade a lab, as a zip (docs/teach/instructors.md)."""
    from lockgrader.lab import load
    from lockgrader.lab.variants import PUBLIC_KEY, course_key
    from lockgrader.platforms.package import EARLIEST_S, IMAGE, LATEST_S, Config, write_zip
    from locklabs import find

    if platform not in NEXT:
        raise UsageError(f"there is no platform '{platform}': {did_you_mean(platform, NEXT)}")
    if student not in STUDENT:
        raise UsageError(f"--student must be email, id, sid or name (got {student})")
    if public and platform not in PUBLIC:
        raise UsageError(f"--public is for {', '.join(PUBLIC)}; other bundles stay with the course")
    bounded(seconds, "--seconds", EARLIEST_S, LATEST_S)
    if not re.fullmatch(IMAGE, image):
        small = image.lower()
        better = small if re.fullmatch(IMAGE, small) else "you/locklab-grader"
        raise UsageError(
            f"--image: '{image}' is not a name that Docker accepts (small letters, digits, . _ - "
            f"and /)\nhelp: write {better}, and build and push the image under this name"
        )
    loaded, secret = load(find(lab)), course_key(key)
    config = Config(student=student, seconds=seconds, public=public, image=image)
    own = None if secret == PUBLIC_KEY or platform in WITHOUT_KEY else secret
    file = out or Path(f"{platform}.zip")
    parts = _platform(platform).parts(loaded, config, own)
    write_zip(parts, file)
    size = file.stat().st_size
    if as_json:
        document = {"platform": platform, "lab": loaded.name, "file": file, "files": len(parts)}
        print_json(document | {"bytes": size, "key": own is not None})
        return
    say(f"{file}: {len(parts)} files, {size / 1e6:.1f} MB, for {loaded.name}")
    private = "" if public else " It holds the hidden checks: keep it private."
    say(f"{NEXT[platform]}{private}")
    if own is None and platform not in WITHOUT_KEY:
        warn("without a course key anyone can compute the variants; see --key")


@reported()
def here(
    platform: Platform,
    root: Annotated[
        Path | None, typer.Option(help="the platform's folder, by default where it is there")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON only")] = False,
) -> None:
    """Grade the submission of this machine (called by what a bundle holds).

    Exit code 0: graded. 1: GitHub Actions with public checks only: not all have passed. 3: the
    grader failed in some check (internal error); grade again.
    """
    if platform not in NEXT:
        raise UsageError(f"there is no platform '{platform}': {did_you_mean(platform, NEXT)}")
    module = _platform(platform)
    graded: Graded = module.run(module.ROOT if root is None else root)
    result = graded.result
    if as_json:
        print_json(json.loads(result.to_json()))
    else:
        say(f"{result.student}: {result.points:g} of {result.graded_points:g} points")
    raise typer.Exit(graded.code)


def _platform(name: str) -> Any:
    """A platform's module: ``parts`` of its bundle, ``run`` there, ``ROOT``."""
    return importlib.import_module(f"lockgrader.platforms.{name}")


@reported()
def prepare() -> None:
    """Compile before the first grading, and check that there is a sandbox (called by bundles)."""
    from lockgrader.platforms.here import prepare as prepare_here

    say(f"ready; sandbox: {prepare_here()}")
