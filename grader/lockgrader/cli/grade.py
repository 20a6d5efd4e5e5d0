"""Grade submissions to a lab: one, or a folder of them.

``--json`` prints a result (or a list of them): see ``lockgrader.result.Result``; with ``--explain``
``{"lab", "student", "variant", "checks", "right": {check: number}}``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lockgrader.cli.show import show
from lockgrader.result import Result, keep
from lockgrader.sandbox.job import PROFILES
from lockui.arguments import bounded, folder_to_write
from lockui.console import progress, say, warn
from lockui.document import print_json
from lockui.errors import UsageError, reported

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False)

EXIT_GRADER_ERROR = 3


@app.command()
@reported()
def grade(
    lab: Annotated[str, typer.Argument(help="the lab's folder or name")],
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
    sandbox: Annotated[str, typer.Option(help="namespaces or platform")] = "namespaces",
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
    counts: Annotated[
        str,
        typer.Option("--keep", help="of several submissions of a student: latest or first"),
    ] = "latest",
    public: Annotated[bool, typer.Option(help="run only the checks that students see")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Grade submissions. A batch skips submissions that are graded already and have not changed.

    Exit code 0: graded, with any verdicts. 2: bad input, or no sandbox. 3: the grader itself failed
    in some check (internal error); grade again.
    """
    from lockgrader.batch.run import grade_all, publish
    from lockgrader.batch.tasks import KEEP, attempt_of, tasks
    from lockgrader.checks.evaluate import warm
    from lockgrader.grade import grade as grade_one
    from lockgrader.grade import printable
    from lockgrader.lab import load
    from lockgrader.lab.variants import course_key
    from lockgrader.read.owner import student_name, student_of
    from lockgrader.read.submission import take
    from lockgrader.report.feedback import keep_feedback
    from locklabs import find
    from locksim.study.jobs import usable_cpus

    if sandbox not in PROFILES:
        raise UsageError(f"--sandbox {sandbox}: give one of {', '.join(PROFILES)}")
    if counts not in KEEP:
        raise UsageError(f"--keep {counts}: give one of {', '.join(KEEP)}")
    loaded, secret = load(find(lab)), course_key(key)
    if explain:
        _explain(loaded, explain, secret, as_json)
        return
    if submission is None:
        raise UsageError("name a submission: locklab grade LAB SUBMISSION")
    if not submission.exists():
        raise UsageError(f"{submission} does not exist; name a submission, or a folder of them")
    if scheduler and not _is_batch(submission, loaded.wanted(), out):
        raise UsageError("--scheduler is for a folder of submissions, with --out RESULTS")
    if gradebook:
        _check_gradebook(gradebook, out)
    if _is_batch(submission, loaded.wanted(), out):
        assert out is not None
        todo = tasks(submission, folder_to_write(out, "--out"), loaded.name, counts)
        for task in todo:
            if task.others:
                left = ", ".join(map(printable, task.others))
                warn(f"{task.student}: {printable(task.path.name)} is graded, not {left}")
        count = bounded(processes or usable_cpus(), "--processes", 1, 256)
        with progress("grading") as report:
            results = grade_all(
                loaded,
                todo,
                key=secret,
                profile=sandbox,
                processes=count,
                scheduler=scheduler,
                report=report,
            )
            report("writing tables, pages and the gradebook", 1.0)
            publish(results, out, gradebook)
        _print_all(results, as_json)
    else:
        handed_in = take(submission, loaded.wanted())
        name = student_name(student) if student else student_of(submission.absolute(), loaded.name)
        folder = None if out is None else folder_to_write(out, "--out") / name
        with progress("grading") as report:
            warm()

            def finished(so_far: Result) -> None:
                report(so_far.checks[-1].title, len(so_far.checks) / max(1, len(loaded.check)))
                if folder is not None:
                    keep(folder, so_far)

            result = grade_one(
                loaded,
                handed_in,
                student=name,
                key=secret,
                profile=sandbox,
                attempt=1 if folder is None else attempt_of(folder, handed_in.sha256),
                public_only=public,
                progress=finished,
            )
        results = [result]
        if out is not None and folder is not None:
            from lockgrader.export.gradebook import enter  # half a second that others save

            keep_feedback(folder, keep(folder, result))
            enter(out, [name], gradebook)
        if as_json:
            print_json(json.loads(result.to_json()))
        else:
            show(result)
    if any(r.errors for r in results):
        raise typer.Exit(EXIT_GRADER_ERROR)


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
        failed = [c.name for c in result.checks if c.verdict != "pass"]
        say(f"{result.student}: {points}{'; not passed: ' * bool(failed)}{', '.join(failed)}")


def _explain(lab: object, student: str, key: bytes, as_json: bool) -> None:
    """A student's variant, and the checks with its values."""
    from lockgrader.author.mutants import right_numbers
    from lockgrader.lab import Lab
    from lockgrader.lab.variants import variant

    assert isinstance(lab, Lab)
    values = variant(lab, student, key)
    checks = lab.checks(values)
    right = {check.name: number for check, number in right_numbers(lab, student, key)}
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
