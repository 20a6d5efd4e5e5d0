"""Grade the one submission that a platform hands over, in the strongest sandbox of this place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lockgrader.batch.tasks import attempt_among
from lockgrader.check import Check
from lockgrader.export.neutral import LeftOut
from lockgrader.grade import grade
from lockgrader.judging.evaluate import warm
from lockgrader.lab import Lab
from lockgrader.lab.variants import PUBLIC_KEY, course_key, variant
from lockgrader.read.submission import take
from lockgrader.result import Result
from lockgrader.sandbox import Profile, SandboxError, available

__all__ = [
    "Given",
    "Graded",
    "close",
    "graded_here",
    "handed_in",
    "key_of",
    "prepare",
    "profile",
    "run",
]

EXIT_GRADER_ERROR = 3
FAULT = "This is an error of the grader, not yours: ask for a new grading."
Write = Callable[[Result, Sequence[LeftOut]], None]


@dataclass(frozen=True)
class Given:
    """A submission, as the platform describes it.

    Arguments:
        folder: the files. student: who handed it in. key: the course's.
        values: the student's variant, where the platform has drawn it; by default it is drawn here.
        before: hashes of earlier submissions, oldest first.
    """

    folder: Path
    student: str
    key: bytes = PUBLIC_KEY
    values: Mapping[str, str | int] | None = None
    before: tuple[str, ...] = ()


class Graded(NamedTuple):
    """A result, and the exit code that the platform must see."""

    result: Result
    code: int = 0


def run(
    lab: Lab, given: Given, put: Write, *, until_s: float = math.inf, public_only: bool = False
) -> Graded:
    """Grade a submission.

    Arguments:
        put: writes the platform's document, after each check and at the end.
        until_s: when to stop, on the monotonic clock. public_only: as for ``grade``.

    Raises:
        LabError, SandboxError: nothing can be graded.
    """
    submission = take(handed_in(given.folder, lab.wanted()), lab.wanted())
    sandbox = profile()
    values = variant(lab, given.student, given.key) if given.values is None else given.values
    checks = [c for c in lab.checks(dict(values)) if c.public or not public_only]
    only, left_out = graded_here(checks, sandbox)
    warm()
    result = grade(
        lab,
        submission,
        student=given.student,
        key=given.key,
        profile=sandbox,
        attempt=attempt_among(given.before, submission.sha256),
        public_only=public_only,
        until_s=until_s,
        values=values,
        only=only,
        progress=lambda so_far: put(so_far, left_out),
    )
    put(result, left_out)
    return Graded(result, EXIT_GRADER_ERROR if result.errors else 0)


def graded_here(
    checks: Sequence[Check], sandbox: Profile
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """The names of the checks that a sandbox can grade, and the checks that it cannot.

    Left out under ``platform`` are the checks of a C part and those that need one of them.
    """
    left_out: dict[str, LeftOut] = {}
    for check in checks if sandbox == "platform" else ():
        if check.part == "c" or left_out.keys() & set(check.needs):
            left_out[check.name] = LeftOut(check.name, check.points)
    return tuple(c.name for c in checks if c.name not in left_out), tuple(left_out.values())


def key_of(path: Path | None) -> bytes:
    """The course's key in a bundle's file; without that, of the environment, or the public one."""
    return course_key(path if path is not None and path.exists() else None)


def profile() -> Profile:
    """The strongest sandbox that this place allows.

    Raises:
        SandboxError: it allows none.
    """
    refused = available("namespaces")
    if not refused:
        return "namespaces"
    also = available("platform")
    if not also:
        return "platform"
    raise SandboxError(f"namespaces: {refused}\nplatform: {also}")


def close(root: Path, folders: Sequence[str], files: Sequence[str] = ()) -> None:
    """Close files of the platform to a student's code.

    Under the profile ``platform`` only permissions hide a file: the checks, the key, and the
    verdicts of hidden checks in the results of this and of earlier submissions.
    """
    for names, mode in ((folders, 0o700), (files, 0o600)):
        for name in names:
            if (root / name).exists():
                (root / name).chmod(mode)


def handed_in(folder: Path, names: tuple[str, ...]) -> Path:
    """Where the wanted files are: the top, or the only folder or archive that was handed in."""
    if any((folder / name).exists() for name in names):
        return folder
    entries = [p for p in folder.iterdir() if not p.is_symlink() and not p.name.startswith(".")]
    inner = [p for p in entries if p.is_dir() or p.suffix == ".zip"]
    return inner[0] if len(inner) == 1 else folder


def prepare() -> Profile:
    """Compile what every grading needs, and check that there is a sandbox.

    Raises:
        SandboxError: there is none.
    """
    warm()
    return profile()
