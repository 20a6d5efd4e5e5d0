"""Grade again what is graded already: one student, or one check of every student.

A check that is graded again takes those along that need it; all others keep their verdicts. The
result keeps its digests. If they are not those of today, the next batch grades the rest again too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from lockgrader.grade import grade
from lockgrader.lab import Check, Lab, LabError
from lockgrader.lab.variants import variant
from lockgrader.read.submission import Submission
from lockgrader.result import Result
from lockgrader.sandbox import Profile
from lockui.suggest import did_you_mean

__all__ = ["Again", "known_check", "one_check"]


@dataclass(frozen=True)
class Again:
    """What to grade even though it is up to date.

    Arguments:
        student: the only one to grade; "" for all. check: the only one to run; "" for all.
    """

    student: str = ""
    check: str = ""

    def forced(self, student: str) -> bool:
        """Whether a student's kept result does not do."""
        return bool(self.student or self.check) and self.student in ("", student)

    def grades(self, student: str) -> bool:
        """Whether a student may be graded at all."""
        return self.student in ("", student)


def known_check(lab: Lab, name: str) -> None:
    """Check that a lab has a check.

    Raises:
        LabError: it has none of this name.
    """
    names = [str(raw.get("name", "")) for raw in lab.check]
    if name not in names:
        raise LabError(f"--check {name}: {lab.name} has no such check; {did_you_mean(name, names)}")


def one_check(
    lab: Lab, kept: Result, submission: Submission, check: str, *, key: bytes, profile: Profile,
    attempt: int,
) -> Result | None:  # fmt: skip
    """A kept result with a check, and those that need it, graded again; None if that cannot be.

    Arguments:
        kept: complete, of the same submission; else the whole is to be graded.
        submission, key, profile, attempt: as for :func:`lockgrader.grade.grade`.
    """
    same = kept.complete and kept.submission_sha256 == submission.sha256
    if not same or check not in {c.name for c in kept.checks}:
        return None
    checks = lab.checks(variant(lab, kept.student, key))
    renewed = _with_dependants(check, checks)
    made = grade(
        lab,
        submission,
        student=kept.student,
        key=key,
        profile=profile,
        attempt=attempt,
        only=renewed,
    )
    new = {c.name: c for c in made.checks if c.name in renewed}
    merged = tuple(new.get(c.name, c) for c in kept.checks)
    return kept.model_copy(update={"checks": merged, "measured": made.measured})


def _with_dependants(name: str, checks: Collection[Check]) -> set[str]:
    found = {name}
    for check in checks:  # a check comes after those that it needs
        if found & set(check.needs):
            found.add(check.name)
    return found
