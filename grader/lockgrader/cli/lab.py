"""Work on a lab: list, start, check, get a hint, hand in; new, lint, bundle for instructors.

With ``--json`` each subcommand prints one document. ``list``: a list of ``{"lab", "title",
"points", "state", "best", "folder"}``. ``start``: ``{"folder", "lab", "student", "variant",
"files"}``. ``check``: ``{"folder", "variant", "attempts", "best", "solved", "next", "predictions",
"result"}``, ``result`` as ``locklab grade --json`` prints it. ``hint``: ``{"check", "title",
"texts", "of", "wait_minutes"}``. ``given``: ``{"files", "arguments"}``. ``solution``: ``{"file",
"diff"}``. ``submit``: ``{"file", "files", "sha256", "warnings"}``. ``new``: ``{"folder",
"files"}``. ``bundle``: a list of ``{"file", "student", "files", "sha256"}``. ``lint``: a list of
``{"lab", "ok", "students", "variants", "draw", "cpu_s", "kept_s", "items"}``, items as in
:class:`lockgrader.author.lint.Item`.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lockgrader.cli import values
from lockui import record, tables
from lockui.arguments import bounded, folder_to_write
from lockui.completion import among
from lockui.console import PATIENCE_S, console, progress, say, stderr
from lockui.document import print_json
from lockui.errors import INTERRUPTED, UsageError, reported, saving

if TYPE_CHECKING:
    from lockgrader.sandbox import Profile

app = typer.Typer(no_args_is_help=True, help=__doc__.partition("\n")[0], add_completion=False)

EXIT_NOT_YET, EXIT_GRADER_ERROR = 1, 3
KEPT = Path("out/lint")
"""Where lint keeps what it has graded."""

_Json = Annotated[bool, typer.Option("--json", help="print JSON only")]
_Dir = Annotated[Path, typer.Option("--dir", help="the lab's folder; by default this one")]
_NoSandbox = Annotated[
    bool, typer.Option("--no-sandbox", help="run my own work on my own machine without a sandbox")
]
_Key = Annotated[
    Path | None, typer.Option(help="file with the course key; or set LOCKLAB_COURSE_KEY")
]


@app.command("list")
@reported()
def list_(folder: _Dir = Path("."), as_json: _Json = False) -> None:
    """List the installed labs, and those that you have started near this folder."""
    from lockgrader.lab import LabError, load
    from lockgrader.workspace.folder import WorkspaceError, workspaces
    from locklabs import find, names

    rows: list[dict[str, object]] = []
    begun = set()
    for one in workspaces(folder):
        try:
            state, checks = one.state, one.lab.check
        except (WorkspaceError, LabError):  # 'lab check' in that folder says why
            rows.append({"lab": one.folder.name, "title": "", "points": None, "best": None})
            rows[-1] |= {"state": "unreadable", "folder": str(one.folder)}
            continue
        begun.add(state.lab)
        points = sum(raw.get("points", 0) for raw in checks)
        progress = "solved" if state.solved else f"{state.best:.4g} of {points:g}"
        rows.append({"lab": state.lab, "title": state.title, "points": points, "state": progress})
        rows[-1] |= {"best": state.best, "folder": str(one.folder)}
    for name in names():
        if name not in begun:
            lab = load(find(name))
            points = sum(raw.get("points", 0) for raw in lab.check if raw.get("public", True))
            rows.append({"lab": name, "title": lab.title, "points": points, "state": "not begun"})
            rows[-1] |= {"best": None, "folder": None}
    rows.sort(key=lambda row: (str(row["lab"]), str(row["folder"])))
    if as_json:
        print_json(rows)
        return
    if not rows:
        say(
            "no lab is installed, and none was started near this folder\n"
            "help: start the bundle that you received: locklab lab start LAB.zip"
        )
        return
    table = tables.table()
    for name in ("lab", "title", "points", "state", "folder"):
        tables.add(table, name, fold=name in ("title", "folder"))
    for row in rows:
        points = "" if row["points"] is None else f"{row['points']:g}"
        where = _from_here(Path(str(row["folder"]))) if row["folder"] else ""
        table.add_row(str(row["lab"]), str(row["title"]), points, str(row["state"]), where)
    tables.print_table(console(), table)
    say("\npoints: of the public checks; the grader also runs hidden checks")


@app.command()
@reported()
def start(
    lab: Annotated[
        str,
        typer.Argument(
            help="a lab's name, folder or bundle (.zip)", autocompletion=among(values.labs)
        ),
    ],
    folder: Annotated[
        Path | None, typer.Option("--dir", help="the folder to make; by default the lab's name")
    ] = None,
    student: Annotated[
        str, typer.Option(help="the name by which the course knows you; by default your login")
    ] = "",
    key: _Key = None,
    as_json: _Json = False,
) -> None:
    """Make a folder with the starter, the handout and your own values. Nothing is overwritten."""
    from lockgrader.author import bundle
    from lockgrader.lab import Lab
    from lockgrader.lab.variants import course_key, variant
    from lockgrader.workspace import folder as workspaces
    from locklabs import find

    is_zip = lab.endswith(".zip")
    if is_zip and not Path(lab).is_file():
        raise UsageError(f"{lab} is not a file; name the bundle that you received")
    source = bundle.read(Path(lab) if is_zip else find(lab))
    own = source.own
    if own is not None and student not in ("", own.student):
        raise UsageError(f"{lab} is the bundle of {own.student}; --student {student} needs another")
    name = workspaces.student_name(own.student if own else student)
    secret = course_key(key)

    def draw(loaded: Lab) -> dict[str, str | int]:
        return own.variant if own is not None else variant(loaded, name, secret)

    where = folder or Path(bundle.name_of(source))
    made = workspaces.start(source.files, where, student=name, draw=draw)
    state = made.state
    record.note("lab", state.lab, folder=str(made.folder))
    files = sorted(p.name for p in made.folder.iterdir() if not p.name.startswith("."))
    if as_json:
        document = {"folder": str(made.folder), "lab": state.lab, "student": state.student}
        print_json(document | {"variant": state.variant, "files": files})
        return
    say(f"{state.title}: you work in {where}")
    given = own is None and not student
    login = " (your login; --student NAME if the course knows you by another)" if given else ""
    say(f"  for {state.student}{login}")
    for value, drawn in state.variant.items():
        say(f"  your {value}: {drawn}")
    say(f"  files: {', '.join(files)}")
    enter = shlex.join(["cd", str(where)])
    say(f"\nread handout.md, then:\n  {enter}\n  locklab lab check --watch")


@app.command()
@reported()
def check(
    only: Annotated[
        list[str] | None,
        typer.Argument(
            help="checks to run; by default all",
            metavar="[CHECK]…",
            autocompletion=among(values.checks),
        ),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="run the checks again when a file is saved")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="explain all checks that have not passed")
    ] = False,
    folder: _Dir = Path("."),
    no_sandbox: _NoSandbox = False,
    sarif: Annotated[
        Path | None, typer.Option(help="write what is wrong, for editors: FILE.sarif")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Run the public checks: the grader's verdicts, and what to fix next.

    Exit code 0: all checks that ran have passed. 1: not yet. 2: bad input, or no sandbox. 3: the
    grader failed in a check (internal error). With --watch: 0.
    """
    from lockgrader.cli.lab_show import Live, show_result
    from lockgrader.judging.needs import with_needs
    from lockgrader.result import Result
    from lockgrader.workspace.attempt import attempt, public_checks, to_do
    from lockgrader.workspace.folder import find

    space = find(folder)
    if watch and (only or as_json or sarif):
        raise UsageError("--watch runs all checks: leave out CHECK, --json and --sarif")
    profile = _profile(no_sandbox)
    checks = public_checks(space)
    asked = with_needs(only or [c.name for c in checks], checks)
    if any(c.engines for c in checks if c.name in asked):
        _load()
    if watch:
        from lockgrader.workspace.watch import watch as watched

        try:
            watched(space, Live(space, keys=sys.stdin.isatty()), profile=profile)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        return
    with progress("compiling") as report:

        def finished(so_far: Result) -> None:
            done = len(so_far.checks)
            report(so_far.checks[-1].title, done / max(1, len(only or checks)))

        result = attempt(space, profile=profile, only=only or (), progress=finished)
    if sarif is not None:
        from lockgrader.export.sarif import problems
        from lockui.sarif import write

        with saving("--sarif"):
            write(sarif, problems(result, space.lab.wanted()), space.folder)
    state = space.state
    if as_json:
        following = to_do(state, checks)
        print_json(
            {
                "folder": str(space.folder),
                "variant": state.variant,
                "attempts": state.attempts,
                "best": state.best,
                "solved": state.solved,
                "next": None if following is None else following.name,
                "predictions": state.model_dump(mode="json")["predictions"],
                "result": json.loads(result.to_json()),
            }
        )
    else:
        show_result(space, result, every=every or bool(only))
    if result.errors:
        raise typer.Exit(EXIT_GRADER_ERROR)
    if any(c.verdict != "pass" for c in result.checks) and not state.solved:
        raise typer.Exit(EXIT_NOT_YET)


@app.command()
@reported()
def hint(
    name: Annotated[
        str,
        typer.Argument(
            help="a check; by default the next one to fix",
            metavar="[CHECK]",
            autocompletion=among(values.checks),
        ),
    ] = "",
    folder: _Dir = Path("."),
    as_json: _Json = False,
) -> None:
    """Give the next hint; another one comes after another try or five minutes."""
    from dataclasses import asdict

    from lockgrader.cli.lab_show import show_hint
    from lockgrader.workspace.folder import find
    from lockgrader.workspace.hints import next_hint

    shown = next_hint(find(folder), name)
    if as_json:
        print_json(asdict(shown))
    else:
        show_hint(shown)


@app.command()
@reported()
def given(
    name: Annotated[
        str,
        typer.Argument(
            help="a check of a function of yours",
            metavar="CHECK",
            autocompletion=among(values.checks),
        ),
    ],
    output: Annotated[Path, typer.Option("--output", help="a file: .json, .csv or .parquet")],
    folder: _Dir = Path("."),
    as_json: _Json = False,
) -> None:
    """Write the tables that a check gives to your function, to try it on them."""
    from lockgrader.workspace.folder import find
    from lockgrader.workspace.given import write_given

    with saving("--output"):
        files, others = write_given(find(folder), name, output)
    if as_json:
        print_json({"files": [str(file) for file in files], "arguments": others})
        return
    for file in files:
        say(f"{file}: what {name} gives")
    for argument, value in others.items():
        say(f"  {argument} = {value}")


@app.command()
@reported()
def solution(folder: _Dir = Path("."), as_json: _Json = False) -> None:
    """Compare your solution with the lab's, once the lab is solved and its solution released."""
    from lockgrader.workspace.folder import find
    from lockgrader.workspace.solution import compare

    made = compare(find(folder))
    if as_json:
        print_json([{"file": one.file, "diff": one.diff} for one in made])
        return
    for one in made:
        say(one.diff or f"{one.file}: equal")


@app.command()
@reported()
def submit(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="the archive; by default NAME-LAB.zip here")
    ] = None,
    folder: _Dir = Path("."),
    no_sandbox: _NoSandbox = False,
    as_json: _Json = False,
) -> None:
    """Make the archive to hand in, and warn about what could not be graded."""
    from lockgrader.cli.lab_show import say_wrapped
    from lockgrader.read.record import RECORD
    from lockgrader.workspace.folder import find
    from lockgrader.workspace.submit import default_name
    from lockgrader.workspace.submit import submit as hand_in

    space = find(folder)
    state = space.state
    path = out or Path(default_name(state))
    made = hand_in(space, path, _profile(no_sandbox))
    if as_json:
        document = {"file": str(path), "files": list(made.files), "sha256": made.sha256}
        print_json(document | {"warnings": list(made.warnings)})
        return
    for warning in made.warnings:
        stderr().print(f"warning: {warning}", markup=False, soft_wrap=True)
    say_wrapped(f"{path}: {', '.join(made.files)}, {RECORD} (your locked predictions)", "")
    if state.verdicts:
        say_wrapped(f"best so far: {state.best:.4g} of {state.max_points:g} public points", "  ")
    say_wrapped("hand in this file; the grader also runs hidden checks", "  ")


@app.command()
@reported()
def new(
    folder: Annotated[
        Path, typer.Argument(help="the folder to make; its last part is the lab's name")
    ],
    as_json: _Json = False,
) -> None:
    """Make a small lab that lints, with three checks, for you to change into yours."""
    from lockgrader.author.new import new as make

    files = make(folder)
    if as_json:
        print_json({"folder": str(folder), "files": files})
        return
    say(f"{folder}: {', '.join(files)}")
    say(f"\nread docs/teach/labs.md, then:\n  locklab lab lint {folder}")


@app.command()
@reported()
def bundle(
    lab: Annotated[
        str,
        typer.Argument(help="the lab's folder or name", autocompletion=among(values.labs)),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="the zip; with --roster a folder for them")
    ] = None,
    student: Annotated[
        str, typer.Option(help="make the bundle of this student, with their values")
    ] = "",
    roster: Annotated[
        Path | None,
        typer.Option(help="file with one student's name on each line: makes a bundle for each"),
    ] = None,
    key: _Key = None,
    as_json: _Json = False,
) -> None:
    """Make the bundle for students: no hidden checks, no solution, the same bytes each time."""
    from lockgrader.author.bundle import bundles
    from lockgrader.lab.variants import PUBLIC_KEY, course_key
    from lockgrader.workspace.folder import student_name
    from locklabs import find

    home, secret = find(lab), course_key(key)
    if roster and student:
        raise UsageError("give either --student or --roster")
    students = _roster(roster) if roster else [student_name(student)] if student else []
    if not students and secret != PUBLIC_KEY:
        raise UsageError(
            "with a course key, only the course can compute a student's values: "
            "make a bundle for each student with --roster FILE or --student NAME"
        )
    made = bundles(home, students, secret)
    short = home.resolve().name.partition("-")[0]
    if roster:
        target = folder_to_write(out or Path(f"{short}-bundles"), "--out")
        paths = [target / f"{one.student}-{short}.zip" for one in made]
    else:
        paths = [out or Path(f"{student}-{short}.zip" if student else f"{short}.zip")]
    rows = []
    for path, one in zip(paths, made, strict=True):
        with saving("--out"):
            path.write_bytes(one.data)
        digest = hashlib.sha256(one.data).hexdigest()
        rows.append(
            {"file": str(path), "student": one.student, "files": one.files, "sha256": digest}
        )
    if as_json:
        print_json(rows)
        return
    for path, one in zip(paths, made, strict=True):
        say(f"{path}: {', '.join(one.files)}")


@app.command()
@reported()
def lint(
    labs: Annotated[
        list[str] | None,
        typer.Argument(
            help="folders or names; by default all",
            metavar="[LAB]…",
            autocompletion=among(values.labs),
        ),
    ] = None,
    students: Annotated[
        int,
        typer.Option(help="number of students for whom the solution is tried; 0: check files only"),
    ] = 20,
    processes: Annotated[
        int, typer.Option(help="submissions graded at a time; 0: as many as CPUs")
    ] = 0,
    draw: Annotated[
        int | None,
        typer.Option(
            help="number of the students for whom right submissions are tried; by default today's"
        ),
    ] = None,
    keep: Annotated[
        Path, typer.Option(help="folder for what has been graded, so that an ended run goes on")
    ] = KEPT,
    again: Annotated[
        bool, typer.Option("--again", help="grade again what an ended run has graded")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="list properties that hold, too")] = False,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="run the lab's own files without a sandbox")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Check labs before students see them: solution passes, starter fails, hints exist, and more.

    grader/README.md lists all properties. Exit code 0: all hold. 1: some do not.
    """
    from dataclasses import asdict
    from datetime import UTC, datetime

    from lockgrader.author.lint import lint as look
    from lockgrader.cli.lint_show import show_lint
    from locklabs import find
    from locklabs import names as installed
    from lockui.portable import usable_cpus

    folders = [find(name) for name in labs or installed()]
    if not folders:
        raise UsageError("no lab is installed here: name a lab's folder")
    bounded(students, "--students", 0, 10_000)
    count = bounded(processes or usable_cpus(), "--processes", 1, 256)
    today = datetime.now(UTC).date().toordinal()
    number = bounded(today if draw is None else draw, "--draw", 0, 10**9)
    profile = _profile(no_sandbox)
    folder_to_write(keep, "--keep")
    with progress("lint") as report:
        made = [
            look(
                one,
                students=students,
                draw=number,
                processes=count,
                profile=profile,
                keep=keep,
                again=again,
                report=report,
            )
            for one in folders
        ]
    if as_json:
        print_json(
            [
                {
                    "lab": one.lab,
                    "ok": one.ok,
                    "students": one.students,
                    "variants": one.variants,
                    "draw": one.draw,
                    "cpu_s": round(one.cpu_s, 1),
                    "kept_s": round(one.kept_s, 1),
                    "items": [asdict(item) for item in one.items],
                }
                for one in made
            ]
        )
    else:
        for one in made:
            show_lint(one, every=every)
    if not all(one.ok for one in made):
        raise typer.Exit(EXIT_NOT_YET)


def _roster(path: Path) -> list[str]:
    """The names in a file, one on each line."""
    from lockgrader.workspace.folder import student_name

    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--roster {path} cannot be read: {error}") from error
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not names:
        raise UsageError(f"--roster {path} names no student; write one on each line")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"--roster {path} names {', '.join(twice)} twice")
    return [student_name(name) for name in names]


def _profile(no_sandbox: bool) -> Profile:
    """The sandbox for the student's own work; none only if they ask for it."""
    from lockgrader.sandbox import available

    if no_sandbox:
        return "unconfined"
    missing = available()
    if missing:
        raise UsageError(f"{missing}\nor, for your own work on your own machine: --no-sandbox")
    return "namespaces"


def _load() -> None:
    """Load checker and simulator; report it if it takes long, as after an installation."""
    from lockgrader.judging.evaluate import warm

    def say() -> None:
        stderr().print("loading the simulator and the checker …")

    patience = threading.Timer(PATIENCE_S, say)
    patience.start()
    try:
        warm()
    finally:
        patience.cancel()
        patience.join()  # the next step forks, and threads do not survive a fork


def _from_here(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
