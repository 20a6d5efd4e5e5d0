"""GitHub Actions: a workflow that grades a repository on a virtual machine of GitHub.

There are two bundles. With ``--public`` it is for students' repositories: the public checks on each
push, no secret. A student owns that repository and can change the workflow, so its green sign is
feedback and never a mark. Without ``--public`` it is for a private repository of the course: it
checks out a student's repository, grades it with the hidden checks and the key, which is a secret
of that repository, and keeps the results as an artifact. A secret given to a repository in which a
student may write a workflow is a secret that the student can print.

Both run on a virtual machine, which has namespaces, so C parts are graded too.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

from lockgrader.export.actions import comments, summary
from lockgrader.export.neutral import LeftOut, feedback
from lockgrader.judging.evaluate import warm
from lockgrader.lab import Lab, load
from lockgrader.lab.variants import PUBLIC_KEY, course_key
from lockgrader.platforms import here
from lockgrader.platforms.package import (
    Config,
    PackageError,
    Parts,
    below,
    lab_files,
    own_files,
    read_config,
    source_files,
)
from lockgrader.read.owner import student_name
from lockgrader.read.record import RECORD
from lockgrader.report.feedback import keep_feedback
from lockgrader.result import Result, keep
from lockgrader.workspace.attempt import attempt, public_checks
from lockgrader.workspace.folder import LAB, STATE, Workspace, WorkspaceError
from lockgrader.workspace.submit import record

__all__ = ["ROOT", "parts", "run"]

ROOT = Path()
HOME = ".locklab"
"""The folder of the bundle in the repository."""
SUBMISSION, RESULTS = "submission", "results"
NOT_YET = 1


def parts(lab: Lab, config: Config, _key: bytes | None) -> Parts:
    """The files of the bundle: a workflow, and ``.locklab`` with our sources.

    For the course it has the lab too. A student's lab is in the workspace.

    Raises:
        PackageError: the hidden checks or the sources are missing.
    """
    workflow = "check.yml" if config.public else "grade.yml"
    course = {} if config.public else below(f"{HOME}/lab", lab_files(lab))
    return {
        f".github/workflows/locklab-{workflow}": own_files("actions")[workflow],
        f"{HOME}/config.json": config.file(),
        **below(f"{HOME}/source", source_files()),
        **course,
    }


def run(root: Path = ROOT) -> here.Graded:
    """Grade a checked-out repository; annotations go to standard output.

    Arguments:
        root: the repository with the bundle. With public checks only it is the student's; else the
            student's is in ``submission`` and the result goes to ``results``.

    Raises:
        PackageError, WorkspaceError, LabError, SandboxError: nothing can be graded.
    """
    config = read_config(root / HOME / "config.json")
    return _checked(root) if config.public else _graded(root, config)


def _checked(root: Path) -> here.Graded:
    """Run the public checks of a student's workspace, as at home."""
    folders = [root, *sorted(p for p in root.iterdir() if p.is_dir())]
    found = [folder for folder in folders if (folder / LAB / STATE).is_file()]
    if len(found) != 1:
        raise PackageError(
            f"this repository has {len(found)} workspaces, and must have exactly one\n"
            f"help: locklab lab start LAB, and commit the folder with its {LAB}"
        )
    space = Workspace(found[0])
    warm()
    result = attempt(space, profile=here.profile())
    _show(result, space.lab, space.folder, root)
    verdicts = {check.name: check.verdict for check in result.checks}
    passed = all(check.done(verdicts.get(check.name)) for check in public_checks(space))
    if result.errors:
        return here.Graded(result, here.EXIT_GRADER_ERROR)
    return here.Graded(result, 0 if passed else NOT_YET)


def _graded(root: Path, config: Config) -> here.Graded:
    """Grade the student's repository below one of the course, with the key."""
    began = time.monotonic()
    lab, folder = load(root / HOME / "lab"), root / SUBMISSION
    student = os.environ.get("LOCKLAB_STUDENT", "")
    if not student or not folder.is_dir():
        raise PackageError(
            "set LOCKLAB_STUDENT to the student's login, and put the student's repository in "
            f"{folder}"
        )
    key = course_key(None)
    if lab.variant and key == PUBLIC_KEY:
        raise PackageError("LOCKLAB_COURSE_KEY is not set: make it a secret of this repository")
    inner = here.handed_in(folder, lab.wanted())
    _add_record(inner)
    results = root / RESULTS / student_name(student)

    def put(so_far: Result, _: Sequence[LeftOut]) -> None:
        keep(results, so_far)

    graded = here.run(
        lab,
        here.Given(folder, student_name(student), key),
        put,
        until_s=began + config.seconds,
    )
    keep_feedback(results, graded.result)
    _show(graded.result, lab, inner, root)
    return graded


def _add_record(folder: Path) -> None:
    """Write a workspace's record beside the files, where the student has committed none."""
    if os.path.lexists(folder / RECORD) or not (folder / LAB / STATE).is_file():
        return
    with contextlib.suppress(WorkspaceError):  # a damaged state is the same as none
        (folder / RECORD).write_bytes(record(Workspace(folder).state))


def _show(result: Result, lab: Lab, folder: Path, root: Path) -> None:
    """Print the annotations, and write the job's summary."""
    about = feedback(result)
    inner = folder.relative_to(root).as_posix()
    for text in comments(about, "" if inner == "." else f"{inner}/"):
        print(text, flush=True)
    if page := os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(page, "a", encoding="utf-8") as file:
            file.write(summary(about, lab.title))
