"""Grade again what is graded already: one student, or some checks of every student.

The verdicts of the other checks are kept, and the result is the one that grading all of it would
give. So what the named checks decide runs too: checks that need them, and all checks of the same
class, since a run in which a class is seen to be wrong costs all of its points. The new verdicts
bring the digests of the lab's parts along; when no part differs from the lab any more, the result
is up to date. A result of other sources, or of other variants, has nothing to keep.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from lockgrader.check import Check
from lockgrader.digests import versions
from lockgrader.grade import grade
from lockgrader.judging.needs import with_needs
from lockgrader.lab import Lab, LabError, sha256_of
from lockgrader.lab.variants import variant
from lockgrader.read.submission import Submission
from lockgrader.result import Result
from lockgrader.sandbox import Profile
from lockui.suggest import did_you_mean


@dataclass(frozen=True)
class Again:
    """What to grade even though it is up to date.

    Arguments:
        student: the only one to grade; "" for all. checks: the only ones to run; () for all.
        unchanged: whether to grade what would get the same result.
    """

    student: str = ""
    checks: tuple[str, ...] = ()
    unchanged: bool = False

    def forced(self, student: str) -> bool:
        """Whether a student's kept result does not do."""
        return (self.unchanged or bool(self.checks)) and self.grades(student)

    def grades(self, student: str) -> bool:
        """Whether a student may be graded at all."""
        return self.student in ("", student)


def known_checks(lab: Lab, checks: Iterable[str]) -> None:
    """Check that a lab has some checks.

    Raises:
        LabError: it has none of such a name.
    """
    names = [str(raw.get("name", "")) for raw in lab.check]
    for name in checks:
        if name not in names:
            known = did_you_mean(name, names)
            raise LabError(f"--only {name}: {lab.name} has no such check; {known}")


def some_checks(
    lab: Lab, kept: Iterable[Result], submission: Submission, names: Collection[str], *,
    key: bytes, profile: Profile, attempt: int,
) -> Result | None:  # fmt: skip
    """A kept result with some checks graded again; None if the whole is to be graded.

    Arguments:
        kept: the student's results. names: of the checks.
        submission, key, profile, attempt: as for :func:`lockgrader.grade.grade`.
    """
    parts = lab.parts()
    before = next((r for r in kept if _keeps(r, lab, parts, submission)), None)
    if before is None:
        return None
    renewed = _decided_by(names, lab.checks(variant(lab, before.student, key)))
    made = grade(
        lab,
        submission,
        student=before.student,
        key=key,
        profile=profile,
        attempt=attempt,
        only=renewed,
    )
    new = {c.name: c for c in made.checks if c.name in renewed}
    now = {n: parts[n] if n in renewed else before.lab_parts[n] for n in parts}
    return before.model_copy(
        update={
            "checks": tuple(new.get(c.name, c) for c in before.checks),
            "lab_parts": now,
            "lab_sha256": sha256_of(now),
            "seeds": made.seeds,
            "by_hand": made.by_hand,
            "measured": made.measured,
        }
    )


def _keeps(before: Result, lab: Lab, parts: dict[str, str], submission: Submission) -> bool:
    """Whether the other verdicts of a result hold: only checks of the lab may differ."""
    return (
        before.complete
        and before.submission_sha256 == submission.sha256
        and before.versions == versions(lab)
        and list(before.lab_parts) == list(parts)
        and before.lab_parts[""] == parts[""]
    )


def _decided_by(names: Collection[str], checks: Collection[Check]) -> set[str]:
    """Checks, and all whose verdict can differ when theirs do."""
    found: set[str] = set()
    more = set(names)
    while more:
        found |= more
        classes = {c.subject for c in checks if c.name in found} - {""}
        more = {
            c.name
            for c in checks
            if c.subject in classes or not found.isdisjoint(with_needs([c.name], [*checks]))
        } - found
    return found
