"""Grade the one submission of a container: what ``run_autograder`` calls."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockgrader.batch.tasks import attempt_among
from lockgrader.checks.evaluate import warm
from lockgrader.export.gradescope import document
from lockgrader.grade import grade
from lockgrader.gradescope.bundle import BundleError, read_config
from lockgrader.lab import load
from lockgrader.lab.variants import PUBLIC_KEY, course_key
from lockgrader.read.submission import take
from lockgrader.result import Result, write
from lockgrader.sandbox import Profile, SandboxError, available

__all__ = ["Metadata", "close", "handed_in", "metadata", "prepare", "profile", "run"]


@dataclass(frozen=True)
class Metadata:
    """The platform's data about a submission.

    Arguments:
        student: who handed it in. before: hashes of earlier submissions, oldest first.
    """

    student: str
    before: tuple[str, ...] = ()


def run(root: Path) -> Result:
    """Grade ``root/submission`` with the bundle in ``root/source`` into ``root/results``.

    The document is complete and valid after each check, and from before the first one.

    Raises:
        BundleError, LabError, SandboxError: nothing can be graded; the document says so.
    """
    began = time.monotonic()
    results = root / "results" / "results.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    close(root)

    def put(document: dict[str, Any]) -> None:
        document["execution_time"] = round(time.monotonic() - began, 1)
        write(results, json.dumps(document, indent=2, allow_nan=False) + "\n")

    put(_nothing("Grading was stopped before its first check."))
    try:
        source = root / "source"
        config, lab = read_config(source / "config.json"), load(source / "lab")
        key = source / "course.key"
        about = metadata(root / "submission_metadata.json", config.student)
        folder = handed_in(root / "submission", lab.wanted())
        submission = take(folder, lab.wanted())
        sandbox = profile()
        warm()
        result = grade(
            lab,
            submission,
            student=about.student,
            key=course_key(key) if key.exists() else PUBLIC_KEY,
            profile=sandbox,
            attempt=attempt_among(about.before, submission.sha256),
            until_s=began + config.seconds,
            progress=lambda so_far: put(document(so_far)),
        )
    except Exception as error:
        if getattr(error, "exit_code", None) == 2:  # an error of the installation, and not secret
            put(_nothing(f"Nothing could be graded: {type(error).__name__}."))
        raise
    put(document(result))
    return result


def profile() -> Profile:
    """The strongest sandbox that this container allows.

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


def metadata(path: Path, which: str) -> Metadata:
    """Read ``submission_metadata.json``. The platform writes it; students choose some values.

    Arguments:
        path: the file. which: "email", "id", "sid" or "name".

    Raises:
        BundleError: it does not name the student.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        names = sorted(str(user[which]) for user in document["users"] if user.get(which))
        student = names[0]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise BundleError(f"{path} does not name the student (no '{which}')") from error
    before = []
    for one in document.get("previous_submissions") or []:
        extra = ((one or {}).get("results") or {}).get("extra_data") or {}
        if isinstance(extra.get("submission_sha256"), str):
            before.append(extra["submission_sha256"])
    return Metadata(student, tuple(before))


def close(root: Path) -> None:
    """Close all files of the platform to a student's code, except the submission.

    Under the profile ``platform`` only permissions hide a file: the checks, the key, and the
    verdicts of hidden checks in the results of this and of earlier submissions.
    """
    for name, mode in (("source", 0o700), ("results", 0o700), ("submission_metadata.json", 0o600)):
        if (root / name).exists():
            (root / name).chmod(mode)


def handed_in(folder: Path, names: tuple[str, ...]) -> Path:
    """The folder with the wanted files: the top, or the only folder that was handed in."""
    inner = [p for p in folder.iterdir() if p.is_dir() and not p.is_symlink()]
    if len(inner) != 1 or any((folder / name).exists() for name in names):
        return folder
    return inner[0]


def prepare() -> Profile:
    """Compile what every grading needs, and check that there is a sandbox.

    Raises:
        SandboxError: there is none.
    """
    warm()
    return profile()


def _nothing(why: str) -> dict[str, Any]:
    """A document without any check or points."""
    return {
        "score": 0.0,
        "output": f"{why} This is an error of the grader, not yours: ask for a new grading.",
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [],
        "extra_data": {"complete": False},
    }
