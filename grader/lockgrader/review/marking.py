"""Give points by hand, from the page or from a sheet, and bring all that depends on them along."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lockgrader.course.roster import CourseError, read_marks_sheet
from lockgrader.mark import Mark
from lockgrader.read.owner import student_name
from lockgrader.report.feedback import keep_feedback
from lockgrader.result import RESULT, Result, load, marked
from lockgrader.review.rubric import Level
from lockui.suggest import did_you_mean


class MarkError(Exception):
    """Points that cannot be given; the message says why."""

    exit_code = 2


@dataclass
class Desk:
    """The results of a folder, and the person who marks them.

    Arguments:
        folder: of results. by: who marks. levels: of the lab's rubric, by check.
        gradebook: a database's URL; "" for the folder's own.
    """

    folder: Path
    by: str
    levels: Mapping[str, Sequence[Level]] = field(default_factory=dict)
    gradebook: str = ""
    _read: dict[str, tuple[int, Result]] = field(default_factory=dict)

    def results(self) -> dict[str, Result]:
        """Student → result as it stands on disk now, by name; absent students are left out.

        Raises:
            ResultError: one cannot be read.
        """
        now: dict[str, tuple[int, Result]] = {}
        for path in sorted(self.folder.glob(f"*/{RESULT}")):
            name, changed = path.parent.name, path.stat().st_mtime_ns
            known = self._read.get(name)
            if known is None or known[0] != changed:
                read = load(path.parent)
                assert read is not None
                known = changed, read
            now[name] = known
        self._read = now
        return {name: result for name, (_, result) in now.items() if not result.absent}

    def mark(
        self, student: str, check: str, points: float | None, reason: str, *, submission: str = ""
    ) -> Result:
        """Give points, or take earlier ones back, and renew the student's page and gradebook.

        Arguments:
            student, check: names. points: None takes earlier ones back. reason: for the student.
            submission: the hash of what was looked at; "" for what counts now.

        Raises:
            MarkError: there is no such student or check, or the points are none.
            ResultError, GradebookError: as :func:`lockgrader.result.marked`.
        """
        found = self.results()
        if student not in found:
            raise MarkError(f"no student '{student}' has a result; {did_you_mean(student, found)}")
        result = found[student]
        names = [c.name for c in result.checks]
        if check not in names:
            raise MarkError(f"{student}: no check '{check}'; {did_you_mean(check, names)}")
        if not reason.strip():
            raise MarkError(f"{student}: {check}: give a reason; the student reads it")
        if points is not None and not 0 <= points <= 1000:
            raise MarkError(f"{student}: {check}: points must be between 0 and 1000")
        given = Mark(
            check=check,
            points=points,
            reason=reason.strip(),
            by=self.by,
            submission_sha256=submission or result.submission_sha256,
        )
        made = marked(self.folder / student, given)
        keep_feedback(self.folder / student, made)
        self._enter(student)
        return made

    def mark_sheet(self, path: Path) -> int:
        """Give the points of a sheet, all or none; how many there are.

        Raises:
            CourseError: the sheet is invalid. MarkError, ResultError: as :meth:`mark`.
        """
        asked = []
        found = self.results()
        for row, where in read_marks_sheet(path):
            student, check = student_name(row["login"]), row["check"]
            points = _number(row["points"], where)
            checks = {c.name: c for c in found[student].checks} if student in found else {}
            if check not in checks:
                known = did_you_mean(check, checks) if checks else did_you_mean(student, found)
                raise CourseError(f"{where}: {student} has no check '{check}'; {known}")
            most = found[student].most(checks[check])
            if points > most:
                raise CourseError(f"{where}: points must be between 0 and {most:g}")
            asked.append((student, check, points, row["reason"]))
        for one in asked:
            self.mark(*one)
        return len(asked)

    def publish(self) -> None:
        """Write tables and pages anew.

        Raises:
            ResultError: a file cannot be written.
        """
        from lockgrader.export import BATCH, export, load_all

        export(load_all(self.folder), BATCH, self.folder)

    def _enter(self, student: str) -> None:
        from lockgrader.export.gradebook import enter  # a database's library: half a second

        enter(self.folder, [student], self.gradebook)


def _number(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or not 0 <= number <= 1000:
        raise CourseError(f"{where}: points must be a number from 0 to 1000 (got '{text}')")
    return number
