"""Grade submissions to a lab: one, or a folder of them.

``--json`` prints a result (or a list of them): see ``lockgrader.result.Result``; with ``--explain``
``{"lab", "student", "variant", "checks", "right": {check: number}}``.
"""

from __future__ import annotations

import getpass
import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from lockgrader import clock
from lockgrader.cli import platforms, values
from lockgrader.cli.show import say_withheld, show
from lockgrader.files import plain
from lockgrader.report.student import unmarked
from lockgrader.result import Result, keep
from lockgrader.sandbox.job import PROFILES
from lockui.arguments import bounded, folder_to_write
from lockui.completion import among
from lockui.console import progress, say, stderr, warn
from lockui.document import print_json
from lockui.errors import UsageError, reported
from lockui.suggest import did_you_mean

if TYPE_CHECKING:  # each costs a student's command time that it does not need
    from lockgrader.batch.again import Again
    from lockgrader.batch.compare import Comparison
    from lockgrader.batch.tasks import Class, Task
    from lockgrader.course import Course
    from lockgrader.lab import Lab
    from lockgrader.sandbox import Profile


class _Group(TyperGroup):
    """``locklab grade LAB …`` is the command ``submissions``; other words name other commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        asked_for_first = ctx.resilient_parsing and not args  # by a shell that completes it
        if not asked_for_first and (not args or args[0] not in self.commands):
            args = ["submissions", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        lab = self.commands["submissions"].params[0]
        return [*super().shell_complete(ctx, incomplete), *lab.shell_complete(ctx, incomplete)]


app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False, cls=_Group)

EXIT_GRADER_ERROR = 3

app.command()(platforms.bundle)
app.command(hidden=True)(platforms.here)
app.command(hidden=True)(platforms.prepare)


@app.command(
    "submissions",
    epilog="Mark by hand: locklab grade review --help. Compare two gradings: "
    "locklab grade compare OLD NEW. Course platforms: locklab grade bundle --help.",
)
@reported()
def grade(
    lab: Annotated[
        str,
        typer.Argument(help="the lab's folder or name", autocompletion=among(values.labs)),
    ],
    submission: Annotated[
        Path | None, typer.Argument(help="folder, zip or file; or a folder of them, with --out")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="folder for results, one for each student")
    ] = None,
    student: Annotated[str, typer.Option(help="the student; by default the file's name")] = "",
    explain: Annotated[
        str, typer.Option(help="show a STUDENT's variant and checks; grade nothing")
    ] = "",
    key: Annotated[
        Path | None, typer.Option(help="file with the course key; or set LOCKLAB_COURSE_KEY")
    ] = None,
    sandbox: Annotated[
        str, typer.Option(help="namespaces or platform", autocompletion=among(PROFILES))
    ] = "namespaces",
    processes: Annotated[
        int, typer.Option(help="number of submissions graded at a time; 0: as many as CPUs")
    ] = 0,
    scheduler: Annotated[
        str,
        typer.Option(help="ADDRESS of a Dask cluster on which to grade a folder of submissions"),
    ] = "",
    gradebook: Annotated[
        str, typer.Option(help="database URL, with --out; by default RESULTS/gradebook.sqlite")
    ] = "",
    course: Annotated[
        Path | None, typer.Option(help="course.toml: roster, dates, what lateness costs")
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="CSV file: login, name, section, extra_days, note")
    ] = None,
    times: Annotated[
        Path | None, typer.Option(help="CSV file: login, handed_in; instead of the files' dates")
    ] = None,
    counts: Annotated[
        str,
        typer.Option(
            "--keep",
            help="of several submissions of a student: latest, first or best (most points, then "
            "earliest); by default the course's rule, or latest",
            autocompletion=among(values.keeps),
        ),
    ] = "",
    regrade: Annotated[
        str, typer.Option(help="grade this STUDENT again, and nobody else; with a folder")
    ] = "",
    check: Annotated[
        list[str] | None,
        typer.Option(
            help="run this check NAME again, and what depends on it; may be repeated; with a folder"
        ),
    ] = None,
    public: Annotated[bool, typer.Option(help="run only the checks that students see")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Grade submissions. A batch skips submissions that are graded already and have not changed.

    Exit code 0: graded, with any verdicts. 2: bad input, or no sandbox. 3: the grader itself failed
    in some check (internal error); grade again.
    """
    from lockgrader.batch.compare import compare as differences
    from lockgrader.course.document import KEEP
    from lockgrader.course.document import load as load_course
    from lockgrader.export import kept
    from lockgrader.lab import load
    from lockgrader.lab.variants import course_key
    from locklabs import find
    from lockui.portable import usable_cpus

    if sandbox not in PROFILES:
        raise UsageError(f"--sandbox {sandbox}: give one of {', '.join(PROFILES)}")
    if counts and counts not in KEEP:
        raise UsageError(f"--keep {counts}: give one of {', '.join(KEEP)}")
    rules = None if course is None else load_course(course)
    loaded = load(find(lab if rules is None else rules.place_of(lab)))
    secret = course_key(key)
    if explain:
        _explain(loaded, explain, secret, as_json)
        return
    if submission is None:
        raise UsageError("name a submission: locklab grade LAB SUBMISSION")
    if not submission.exists():
        raise UsageError(f"{submission} does not exist; name a submission, or a folder of them")
    if gradebook:
        _check_gradebook(gradebook, out)
    batch = _is_batch(submission, loaded.wanted(), out)
    for option, value in (
        ("--scheduler", scheduler), ("--regrade", regrade), ("--check", check),
        ("--roster", roster), ("--times", times), ("--keep", counts),
    ):  # fmt: skip
        if value and not batch:
            raise UsageError(f"{option} is for a folder of submissions, with --out RESULTS")
    if course is not None:
        _check_pin(course, loaded, check or ())
    known = _class_of(loaded.name, rules, roster, times, counts)
    if out is not None:
        plain(folder_to_write(out, "--out"))
    if batch:
        assert out is not None
        again = _again(loaded, regrade, tuple(check or ()), scheduler)
        count = bounded(processes or usable_cpus(), "--processes", 1, 256)
        how = _How(secret, sandbox, count, scheduler, gradebook, again)
        before = kept(out) if check and not as_json else []
        results = _grade_class(loaded, submission, out, known, how)
        _print_all(results, as_json)
        if waiting := sum(map(unmarked, results)):
            say(f"{waiting} answers in words to mark: locklab grade review {out}", stderr())
        say_withheld(results)
        if before:
            students = {r.student for r in results}
            _print_changes(differences([r for r in before if r.student in students], results))
        if course is not None:
            _remind_of_pin(course, loaded)
    else:
        result = _grade_one(
            loaded, submission, out, student, known, secret, sandbox, public, gradebook
        )
        results = [result]
        if as_json:
            print_json(json.loads(result.to_json()))
        else:
            show(result)
        say_withheld(results)
    if any(r.errors for r in results):
        raise typer.Exit(EXIT_GRADER_ERROR)


@dataclass(frozen=True)
class _How:
    """How a batch is graded; as for :func:`lockgrader.batch.run.grade_all`."""

    key: bytes
    profile: Profile
    processes: int
    scheduler: str
    gradebook: str
    again: Again


def _grade_class(lab: Lab, submissions: Path, out: Path, known: Class, how: _How) -> list[Result]:
    """Grade a folder of submissions; all results, those of absent students included."""
    from lockgrader.batch.roll import call_roll, strangers
    from lockgrader.batch.run import grade_all, publish
    from lockgrader.batch.tasks import tasks
    from lockgrader.export import load_all
    from lockgrader.grade import printable

    todo = tasks(submissions, out, lab.name, known)
    present = {task.student for task in todo}
    if how.again.student and how.again.student not in present:
        known_names = did_you_mean(how.again.student, present)
        raise UsageError(
            f"--regrade {how.again.student}: no submission in {submissions}; {known_names}"
        )
    for task in todo:
        if task.others:
            left = ", ".join(map(printable, task.others))
            warn(f"{task.student}: {printable(task.path.name)} is graded, not {left}")
    for student in strangers(known.people, present):
        warn(f"{student}: not on the roster; graded all the same")
    _warn_of_clocks(todo)
    with progress("grading") as report:
        results = grade_all(
            lab,
            todo,
            key=how.key,
            profile=how.profile,
            processes=how.processes,
            scheduler=how.scheduler,
            again=how.again,
            report=report,
        )
        report("writing tables, pages and the gradebook", 1.0)
        results += call_roll(lab, known, present, out, how.key)
        publish(load_all(out) if how.again.student else results, out, how.gradebook)
    return results


def _grade_one(
    lab: Lab,
    path: Path,
    out: Path | None,
    student: str,
    known: Class,
    key: bytes,
    profile: Profile,
    public_only: bool,
    gradebook: str,
) -> Result:
    """Grade one submission; where results are kept, the gradebook gets it too."""
    from lockgrader.batch.tasks import attempt_of, task_of
    from lockgrader.grade import grade as grade_submission
    from lockgrader.judging.evaluate import warm
    from lockgrader.read.owner import student_name, student_of
    from lockgrader.read.submission import take
    from lockgrader.report.feedback import keep_feedback

    handed_in = take(path, lab.wanted())
    name = student_name(student) if student else student_of(path.absolute(), lab.name)
    folder = None if out is None else out / name
    task = task_of(known, lab.name, name, path, folder or Path())
    _warn_of_clocks([task])
    with progress("grading") as report:
        warm()

        def finished(so_far: Result) -> None:
            report(so_far.checks[-1].title, len(so_far.checks) / max(1, len(lab.check)))
            if folder is not None:
                keep(folder, task.settled(so_far))

        made = grade_submission(
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


def _warn_of_clocks(todo: Sequence[Task]) -> None:
    """Warn of hand-in times that no right clock gives."""
    from lockgrader.batch.tasks import wrong_clocks

    for sentence in wrong_clocks(todo, clock.now()):
        warn(
            f"{sentence}\nhelp: give the platform's times (login,handed_in): --times FILE, or "
            "times in course.toml"
        )


def _class_of(
    lab: str, rules: Course | None, roster: Path | None, times: Path | None, counts: str
) -> Class:
    """Who is expected, and the rules: those of the course, or those of the options."""
    from lockgrader.batch.tasks import Class
    from lockgrader.course.roster import read_roster, read_times

    people = {} if rules is None else rules.people()
    known = {} if rules is None else rules.times_of(lab)
    return Class(
        keep=counts or ("latest" if rules is None else rules.keep),
        people=people if roster is None else read_roster(roster),
        course=rules,
        times=known if times is None else known | read_times(times),
    )


def _again(lab: Lab, student: str, checks: tuple[str, ...], scheduler: str) -> Again:
    """What is to be graded again, of the options --regrade and --check."""
    from lockgrader.batch.again import Again, known_checks
    from lockgrader.read.owner import student_name

    known_checks(lab, checks)
    if checks and scheduler:
        raise UsageError("--check runs on this machine: leave --scheduler out")
    return Again(student_name(student) if student else "", checks)


@app.command()
@reported()
def review(
    results: Annotated[Path, typer.Argument(help="the folder of locklab grade --out")],
    marks: Annotated[
        Path | None,
        typer.Option(help="CSV file: login, check, points, reason; give these, and serve nothing"),
    ] = None,
    lab: Annotated[
        str,
        typer.Option(
            help="the lab's folder or name, for its rubric", autocompletion=among(values.labs)
        ),
    ] = "",
    by: Annotated[str, typer.Option(help="who marks; by default this machine's user")] = "",
    port: Annotated[int, typer.Option(help="on the loopback address; 0: any free one")] = 0,
    gradebook: Annotated[
        str, typer.Option(help="database URL; by default RESULTS/gradebook.sqlite")
    ] = "",
) -> None:
    """Read results side by side and give points by hand, on a page of this machine.

    The printed link holds a token; whoever has it can read and mark. Ctrl-C ends the server and
    writes the tables anew.
    """
    from lockgrader.export import load_all
    from lockgrader.review.marking import Desk
    from lockgrader.review.rubric import rubric

    bounded(port, "--port", 0, 65535)
    found = load_all(results)
    folder = _lab_of(lab, found)
    desk = Desk(
        results, by or getpass.getuser(), {} if folder is None else rubric(folder), gradebook
    )
    if gradebook:
        _check_gradebook(gradebook, results)
    if marks is not None:
        count = desk.mark_sheet(marks)
        desk.publish()
        say(f"{count} marks given")
        return
    try:
        from lockgrader.review.server import serve
    except ModuleNotFoundError as error:
        if error.name != "tornado":
            raise
        raise UsageError(
            "the page needs Tornado, which is not installed\nhelp: pip install 'locklab[course]'"
        ) from error
    try:
        serve(desk, port, lambda link: say(f"{link}\nCtrl-C ends it"))
    except OSError as error:
        raise UsageError(f"--port {port}: {error.strerror}; leave --port out") from error
    desk.publish()
    say("tables and pages are written anew")


def _lab_of(name: str, results: list[Result]) -> Path | None:
    """The lab's folder, for its rubric; None if it is not here and nobody asked for it."""
    from locklabs import find

    if name:
        return find(name)
    try:
        return find(results[0].lab)
    except Exception as error:
        if getattr(error, "exit_code", None) != 2:
            raise
        return None


@app.command()
@reported()
def compare(
    old: Annotated[Path, typer.Argument(help="a folder of results")],
    new: Annotated[Path, typer.Argument(help="another, of the same submissions")],
    as_json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """List every mark and verdict that differs between two gradings.

    Exit code 0: none; 1: some.
    """
    from lockgrader.batch.compare import compare as differences
    from lockgrader.export import load_all

    found = differences(load_all(old), load_all(new))
    if as_json:
        print_json([asdict(change) for change in found.changes])
    else:
        _print_changes(found)
    for what, students in (("lateness", found.late), ("marks by hand", found.marked)):
        if students:
            warn(f"{what}: left out for {len(students)} students of whom one grading alone has it")
    if found.changes:
        raise typer.Exit(1)


def _print_changes(found: Comparison) -> None:
    for change in found.changes:
        say(f"{change.student}: {change.check}: {change.was} -> {change.now}")
    students = len({change.student for change in found.changes})
    say(f"{students} students with differences" if students else "no mark differs")


def _check_pin(course: Path, lab: Lab, corrected: Collection[str]) -> None:
    """Refuse a lab that would be graded otherwise than the course has pinned it.

    Arguments:
        corrected: names of the checks that --check grades again; these may differ.
    """
    from lockgrader.course.pins import changes, pinned

    held = pinned(course).get(lab.name)
    differs = [] if held is None else changes(held, lab, corrected)
    if differs:
        raise UsageError(
            f"{lab.name} is not what {course} has pinned: {'; '.join(differs)}\n"
            "help: grade with the pinned version. To correct a check, name it: --check NAME, which "
            "may be repeated. After any other change: grade into a new folder without --course, "
            f"look at locklab grade compare OLD NEW, and then: locklab course pin {course} "
            f"{lab.name}"
        )


def _remind_of_pin(course: Path, lab: Lab) -> None:
    """Say that the course still pins the former text of a corrected check."""
    from lockgrader.course.pins import changes, pinned

    held = pinned(course).get(lab.name)
    if held is not None and changes(held, lab):
        former = "; ".join(changes(held, lab))
        warn(
            f"{course} still pins the former lab: {former}\n"
            f"help: look at what changed, and then: locklab course pin {course} {lab.name}"
        )


def _check_gradebook(url: str, out: Path | None) -> None:
    """Check that the database can be used, before anything is graded."""
    from lockgrader.export.gradebook import Gradebook

    if out is None:
        raise UsageError("--gradebook is for results that are kept: add --out RESULTS")
    Gradebook(url).close()


def _is_batch(path: Path, names: tuple[str, ...], out: Path | None) -> bool:
    """Whether a path is a folder of submissions: it holds none of the wanted files. Needs --out."""
    if not path.is_dir() or any((path / name).exists() for name in names):
        return False
    if out is None:
        raise UsageError(
            f"{path} holds none of {', '.join(names)}; if it is a folder of submissions, "
            "name a folder for the results: --out RESULTS"
        )
    return True


def _print_all(results: list[Result], as_json: bool) -> None:
    if as_json:
        print_json([json.loads(r.to_json()) for r in results])
        return
    for result in results:
        points = f"{result.points:g} of {result.max_points:g}"
        if result.absent:
            say(f"{result.student}: nothing handed in")
            continue
        failed = [c.name for c in result.checks if c.verdict != "pass"]
        late = f" ({result.late})" if result.late is not None and result.late.days else ""
        say(f"{result.student}: {points}{late}{'; not passed: ' * bool(failed)}{', '.join(failed)}")


def _explain(lab: Lab, student: str, key: bytes, as_json: bool) -> None:
    """A student's variant, and the checks with its values."""
    from lockgrader.author.mutants import right_answers
    from lockgrader.lab.variants import variant, whole

    values = variant(lab, student, key)
    checks = lab.checks(whole(lab, student, key))
    right = {
        check.name: value
        for check, answers in right_answers(lab, student, key)
        for value in answers.values()
        if not isinstance(value, list)
    }
    if as_json:
        document = {"lab": lab.name, "student": student, "variant": values}
        dumped = [c.model_dump(mode="json") for c in checks]
        print_json(document | {"checks": dumped, "right": right})
        return
    for name, value in values.items():
        say(f"{name} = {value}")
    for check in checks:
        answer = f"; right is {right[check.name]:.6g}" if check.name in right else ""
        say(f"{check.name} ({check.kind}, {check.points:g} points): {check.title}{answer}")
