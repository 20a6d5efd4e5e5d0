"""Grade one submission, for ``locklab grade``."""

from __future__ import annotations

from pathlib import Path

from lockgrader.batch.tasks import Class, attempt_of, task_of
from lockgrader.cli.show import warn_of_clocks
from lockgrader.grade import grade
from lockgrader.judging.evaluate import warm
from lockgrader.lab import Lab
from lockgrader.read.owner import student_name, student_of
from lockgrader.read.submission import take
from lockgrader.report.feedback import keep_feedback
from lockgrader.result import Result, keep
from lockgrader.sandbox import Profile
from lockui.console import progress


def grade_one(
    lab: Lab,
    path: Path,
    out: Path | None,
    expected: Class,
    *,
    student: str,
    key: bytes,
    profile: Profile,
    public_only: bool,
    gradebook: str,
) -> Result:
    """Grade one submission; where results are kept, the gradebook gets it too.

    Arguments:
        out: where results are kept, or None. student: whose it is; "" for the file's name.
        gradebook: a database's URL, or "".
        key, profile, public_only: as for :func:`lockgrader.grade.grade`.
    """
    handed_in = take(path, lab.wanted())
    name = student_name(student) if student else student_of(path.absolute(), lab.name)
    folder = None if out is None else out / name
    task = task_of(expected, lab.name, name, path, folder or Path())
    warn_of_clocks([task])
    with progress("grading") as report:
        warm()

        def finished(so_far: Result) -> None:
            report(so_far.checks[-1].title, len(so_far.checks) / max(1, len(lab.check)))
            if folder is not None:
                keep(folder, task.settled(so_far))

        made = grade(
            lab,
            handed_in,
            student=name,
            key=key,
            profile=profile,
            attempt=1 if folder is None else attempt_of(folder, handed_in.sha256),
            public_only=public_only,
            progress=finished,
        )
    result = task.settled(made)
    if out is not None and folder is not None:
        from lockgrader.export.gradebook import enter  # half a second that others save

        keep_feedback(folder, keep(folder, result))
        enter(out, [name], gradebook)
    return result
