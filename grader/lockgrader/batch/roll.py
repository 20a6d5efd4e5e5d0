"""The roster beside the submissions: who is missing, and who is not on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from lockgrader.batch.tasks import Class
from lockgrader.course import Person
from lockgrader.digests import versions
from lockgrader.grade import by_hand
from lockgrader.lab import Lab
from lockgrader.lab.variants import variant
from lockgrader.read.submission import UNREADABLE
from lockgrader.result import CheckResult, Result, keep, load


def call_roll(
    lab: Lab, known: Class, present: Collection[str], results: Path, key: bytes
) -> list[Result]:
    """The results of the roster's people without a submission in this batch.

    One who was graded before keeps that result, with the release of today. Any other one gets a
    result that says so, in which nothing counts as graded: platforms get an empty cell, and a later
    submission replaces it.

    Arguments:
        known: roster and rules. present: students with a submission. results: the folder.

    Raises:
        ResultError: a result cannot be read or kept.
    """
    made = []
    release = "" if known.course is None else known.course.release_of(lab.name)
    for login, person in known.people.items():
        if login not in present:
            folder = results / login
            before = load(folder)
            if before is None or before.absent:
                before = keep(folder, _absent(lab, person, key))
            elif before.release != release:
                before = keep(folder, before.model_copy(update={"release": release}))
            made.append(before)
    return made


def strangers(people: Mapping[str, Person], present: Collection[str]) -> list[str]:
    """Students with a submission who are not on the roster; none without a roster."""
    return sorted(set(present) - set(people)) if people else []


def _absent(lab: Lab, person: Person, key: bytes) -> Result:
    values = variant(lab, person.login, key)
    return Result(
        lab=lab.name,
        student=person.login,
        submission_sha256=UNREADABLE,
        lab_sha256=lab.sha256,
        lab_parts=lab.parts(),
        versions=versions(lab),
        seeds={},
        variant=values,
        by_hand=by_hand(lab.checks(values)),
        checks=tuple(
            CheckResult(
                name=check.name,
                title=check.title,
                public=check.public,
                revealed=check.revealed,
                verdict="no_output",
                points=0.0,
                max_points=check.points,
                message="nothing was handed in",
            )
            for check in lab.checks(values)
        ),
        complete=False,
        replay="",
        name=person.name,
        section=person.section,
        absent=True,
    )
