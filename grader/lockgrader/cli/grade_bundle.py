"""Write what a course platform needs to grade a lab."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from lockgrader.cli.options import LabName
from lockgrader.cli.platforms import Platform, module_of
from lockgrader.lab import load
from lockgrader.lab.variants import PUBLIC_KEY, course_key
from lockgrader.platforms.package import EARLIEST_S, IMAGE, LATEST_S, Config, write_zip
from locklabs import find
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say, warn
from lockui.errors import UsageError
from lockui.quantities import SECOND, Time
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)

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
IDENTITIES = ("email", "id", "sid", "name")
EARLIEST, LATEST = Time(EARLIEST_S * SECOND), Time(LATEST_S * SECOND)
GRADING = Time(540 * SECOND)


class PlatformAnswer(TypedDict):
    """A platform's bundle: how many files and bytes, and whether it holds the course's key."""

    platform: str
    lab: str
    file: str
    files: int
    bytes: int
    key: bool


@command(app)
def bundle(
    platform: Platform,
    lab: LabName,
    out: Annotated[Path | None, Detail("the zip", default="PLATFORM.zip")] = None,
    key: Annotated[Path | None, Detail(rare=False)] = None,
    identity: Annotated[str, Detail("Gradescope", values=among(IDENTITIES))] = "email",
    max_time: Annotated[
        Time, Detail("of one grading; must be below the platform's time-out", rare=False)
    ] = GRADING,
    public: Annotated[bool, Detail("GitHub Actions, for students' repositories")] = False,
    name: Annotated[str, Detail("PrairieLearn: the image that you push")] = "locklab-grader",
) -> Report[PlatformAnswer]:
    """Write what a course platform needs to grade a lab, as a zip (locklab help instructors)."""
    module = module_of(platform)
    if identity not in IDENTITIES:
        raise UsageError(f"--identity {identity}: write one of {', '.join(IDENTITIES)}")
    if public and platform not in PUBLIC:
        raise UsageError(f"--public is for {', '.join(PUBLIC)}; other bundles stay with the course")
    if not EARLIEST <= max_time <= LATEST or max_time % SECOND:
        raise UsageError(
            f"--max-time {max_time}: write whole seconds between {EARLIEST_S}s and {LATEST_S}s"
        )
    if not re.fullmatch(IMAGE, name):
        small = name.lower()
        better = small if re.fullmatch(IMAGE, small) else "you/locklab-grader"
        raise UsageError(
            f"--name: '{name}' is not a name that Docker accepts (small letters, digits, . _ - "
            f"and /)\nhelp: write {better}, and build and push the image under this name"
        )
    loaded, secret = load(find(lab)), course_key(key)
    config = Config(student=identity, seconds=max_time // SECOND, public=public, image=name)
    own = None if secret == PUBLIC_KEY or platform in WITHOUT_KEY else secret
    file = out or Path(f"{platform}.zip")
    parts = module.parts(loaded, config, own)
    write_zip(parts, file)
    size = file.stat().st_size
    document = PlatformAnswer(
        platform=platform,
        lab=loaded.name,
        file=str(file),
        files=len(parts),
        bytes=size,
        key=own is not None,
    )

    def show(view: Console) -> None:
        say(f"{file}: {len(parts)} files, {size / 1e6:.1f} MB, for {loaded.name}", view)
        private = "" if public else " It holds the hidden checks: keep it private."
        say(f"{NEXT[platform]}{private}", view)
        if own is None and platform not in WITHOUT_KEY:
            warn("without a course key anyone can compute the variants; see --key")

    return Report(document, show)
