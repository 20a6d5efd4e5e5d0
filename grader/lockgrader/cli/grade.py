"""Grade submissions to a lab: one, or a folder of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lockgrader.cli import values
from lockgrader.cli.answers import ResultAnswer, document
from lockgrader.cli.grade_explain import VariantAnswer
from lockgrader.cli.options import LabName
from lockgrader.cli.sandbox import OfOthers, known
from lockgrader.cli.show import say_withheld, show
from lockgrader.course import Course
from lockgrader.course import load as load_course
from lockgrader.course.document import KEEP
from lockgrader.course.pins import changes, pinned
from lockgrader.files import plain
from lockgrader.lab import Lab, load
from lockgrader.lab.variants import course_key
from lockgrader.result import Result
from lockgrader.sandbox import available
from locklabs import find
from lockui.arguments import bounded, folder_to_write
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import warn
from lockui.errors import UsageError
from lockui.portable import usable_cpus
from lockui.report import Report

if TYPE_CHECKING:  # each costs a student's command time that it does not need
    from lockgrader.batch.tasks import Class

app = typer.Typer(add_completion=False)

EXIT_GRADER_ERROR = 3


@dataclass(frozen=True)
class Rules:
    """By which rules submissions count."""

    course: Path | None = None
    times: Path | None = None
    keep: Annotated[
        str, Detail(default="the course's rule, or latest", values=among(values.keeps))
    ] = ""

    def read(self) -> Course | None:
        """Return the course, if one is named.

        Raises:
            UsageError: there is no such rule. CourseError: the course's file is invalid.
        """
        if self.keep and self.keep not in KEEP:
            raise UsageError(f"--keep {self.keep}: write one of {', '.join(KEEP)}")
        return None if self.course is None else load_course(self.course)

    def expected(self, lab: str, course: Course | None) -> Class:
        """Return who is expected, and what counts: by the course, and by the options.

        Arguments:
            lab: its name. course: as :meth:`read` returns it.
        """
        from lockgrader.batch.tasks import Class
        from lockgrader.course.roster import read_times

        times = {} if course is None else course.times_of(lab)
        return Class(
            keep=self.keep or ("latest" if course is None else course.keep),
            people={} if course is None else course.people(),
            course=course,
            times=times if self.times is None else times | read_times(self.times),
        )


@dataclass(frozen=True)
class Batch:
    """What only a folder of submissions has."""

    again: Annotated[bool, Detail("one student: --student ada --again")] = False
    only: Annotated[
        list[str],
        Detail(
            "grade only this check again, for all students or the one of --student; names: "
            "--explain; may be repeated",
            rare=True,
        ),
    ] = field(default_factory=list)
    jobs: Annotated[int | None, Detail(default="as many as CPUs", rare=False)] = None
    cluster: str = ""


@command(app)
def grade(
    lab: LabName,
    submission: Annotated[
        Path | None, typer.Argument(help="folder, zip or file; or a folder of them, with --out")
    ] = None,
    out: Annotated[Path | None, Detail("for results, one folder for each student")] = None,
    student: Annotated[str, Detail("of a folder, only this one", default="the file's name")] = "",
    explain: Annotated[bool, Detail("a student's variant and checks; grades nothing")] = False,
    key: Path | None = None,
    sandbox: OfOthers = "namespaces",
    gradebook: Annotated[str, Detail(default="RESULTS/gradebook.sqlite")] = "",
    rules: Rules = Rules(),
    batch: Batch = Batch(),
    public: bool = False,
) -> Report[ResultAnswer | list[ResultAnswer] | VariantAnswer]:
    """Grade submissions. A batch skips submissions that are graded already and have not changed.

    Exit code 0: graded, with any verdicts. 2: bad input, or no sandbox. 3: the grader itself failed
    in some check (internal error); grade again.
    """
    profile = known(sandbox)
    course = rules.read()
    loaded = load(find(lab if course is None else course.place_of(lab)))
    secret = course_key(key)
    if explain:
        from lockgrader.cli.grade_explain import explain as show_student

        return show_student(loaded, student, secret)
    if submission is None:
        raise UsageError("name a submission: locklab grade LAB SUBMISSION")
    if not submission.exists():
        raise UsageError(f"{submission} does not exist; name a submission, or a folder of them")
    if missing := available(profile):  # before a minute of compiling
        raise UsageError(missing)
    if gradebook:
        from lockgrader.export.gradebook import Gradebook

        if out is None:
            raise UsageError("--gradebook is for results that are kept: add --out RESULTS")
        Gradebook(gradebook).close()
    many = _is_batch(submission, loaded.wanted(), out)
    _check_options(many, public, {**asdict(batch), "times": rules.times, "keep": rules.keep})
    if rules.course is not None:
        _check_pin(rules.course, loaded, batch.only)
    expected = rules.expected(loaded.name, course)
    if out is not None:
        plain(folder_to_write(out, "--out"))
    if many:
        from lockgrader.cli.grade_class import grade_class, print_class, say_next

        assert out is not None
        results, before = grade_class(
            loaded,
            submission,
            out,
            expected,
            key=secret,
            profile=profile,
            processes=bounded(batch.jobs or usable_cpus(), "--jobs", 1, 256),
            cluster=batch.cluster,
            gradebook=gradebook,
            student=student,
            again=batch.again,
            checks=tuple(batch.only),
        )

        def next_steps() -> None:
            say_next(results, out)
            if rules.course is not None:
                _remind_of_pin(rules.course, loaded)

        return Report(
            [document(one) for one in results],
            lambda _: print_class(results, before),
            _exit_code(results),
            next_steps,
        )
    from lockgrader.cli.grade_one import grade_one

    result = grade_one(
        loaded,
        submission,
        out,
        expected,
        student=student,
        key=secret,
        profile=profile,
        public_only=public,
        gradebook=gradebook,
    )
    return Report(
        document(result),
        lambda _: show(result),
        _exit_code([result]),
        lambda: say_withheld([result]),
    )


def _exit_code(results: Sequence[Result]) -> int:
    return EXIT_GRADER_ERROR if any(r.errors for r in results) else 0


def _is_batch(path: Path, names: tuple[str, ...], out: Path | None) -> bool:
    """Whether a path is a folder of submissions: it holds none of the wanted files. Needs --out."""
    if not path.is_dir() or any((path / name).exists() for name in names):
        return False
    if out is None:
        raise UsageError(
            f"{path} contains none of {', '.join(names)}; if it is a folder of submissions, "
            "name a folder for the results: --out RESULTS"
        )
    return True


def _check_options(many: bool, public: bool, of_folders: dict[str, object]) -> None:
    """Refuse options that one submission, or a folder of them, does not have."""
    if many and public:
        raise UsageError("--public is for one submission: leave it out")
    for option, value in of_folders.items():
        if value and not many:
            raise UsageError(f"--{option} is for a folder of submissions, with --out RESULTS")


def _check_pin(course: Path, lab: Lab, corrected: Collection[str]) -> None:
    """Refuse a lab that would be graded otherwise than the course has pinned it.

    Arguments:
        corrected: names of the checks that --only grades again; these may differ.
    """
    held = pinned(course).get(lab.name)
    differs = [] if held is None else changes(held, lab, corrected)
    if differs:
        raise UsageError(
            f"{lab.name} differs from the version that {course} has pinned: {'; '.join(differs)}\n"
            "help: grade with the pinned version. To correct a check, name it: --only NAME, which "
            "may be repeated. After any other change: grade into a new folder without --course, "
            f"look at locklab grade compare OLD NEW, and then: locklab course pin {course} "
            f"{lab.name}"
        )


def _remind_of_pin(course: Path, lab: Lab) -> None:
    """Say that the course still pins the former text of a corrected check."""
    held = pinned(course).get(lab.name)
    if held is not None and changes(held, lab):
        former = "; ".join(changes(held, lab))
        warn(
            f"{course} still pins the former lab: {former}\n"
            f"help: look at what changed, and then: locklab course pin {course} {lab.name}"
        )
