"""Simulate published tables and compare each cell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

import typer
from typing_extensions import TypedDict

from locksim.cli import bands, values
from locksim.cli.options import Output, check_runs
from locksim.cli.reproduction import print_factors, print_reproduction
from lockui.arguments import bounded, folder_to_write
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import console, progress, say
from lockui.document import frame, print_json
from lockui.errors import UsageError, interrupted, saving
from lockui.extras import demand
from lockui.plots import made_by, save, save_each

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.papers import Experiment, Reproduction
    from locksim.papers.experiment import Plan
    from locksim.study.jobs import Runner
    from lockui.plots import Plot

app = typer.Typer(add_completion=False)
FOLDER = Path("out")
Wanted = Literal["none", "cheap", "all"]
"""Bands: none; draws where they cost less than the table; one cause at a time."""


class ParameterEntry(TypedDict):
    """A value that the simulation used, and whether a fit found it."""

    name: str
    value: Any
    unit: str
    source: str
    role: str


class CellEntry(TypedDict):
    """A cell of the table beside its simulation.

    ``published`` is text as printed. ``corrected`` and ``error``, a fraction, are null if nothing
    was measured; ``low`` and ``high`` are the 95 % interval, null with one replication. With bands
    there are ``band_low``, ``band_high`` and ``depends_on`` (docs/explain/uncertainty.md): some
    experiments have them by default, and ``--sensitivity`` moves one cause at a time.
    """

    row: str
    column: str
    published: str | None
    corrected: float | None
    simulated: float | None
    low: float | None
    high: float | None
    role: str
    unit: str
    note: str
    error: float | None
    band_low: NotRequired[float | None]
    band_high: NotRequired[float | None]
    depends_on: NotRequired[str]


class SummaryEntry(TypedDict):
    """Numbers of fitted parameters and predicted cells, and errors of the latter, as fractions."""

    fitted: int
    predicted: int
    mean_abs_error: float | None
    worst_abs_error: float | None


class FactorEntry(TypedDict):
    """The geometric mean of max(p/m, m/p) over some points (datasets/README.md) of a model."""

    model: str
    points: int
    mean: float | None
    worst: float | None


class ReproductionAnswer(TypedDict):
    """An experiment, simulated.

    ``complete`` is false after Ctrl-C: the cells are then those that were finished. ``plot`` and
    ``table`` are files; ``--out FILE.html`` writes a ``page`` instead. ``plot_alt`` is the plot in
    words. ``bands`` says what the cells' bands hold, and ``report`` has the simulated values in the
    source's own format. An experiment may add keys, such as ``models``, which shows where each
    analytic model fails (:mod:`locksim.papers.models`).
    """

    experiment: str
    machine: str
    parameters: list[ParameterEntry]
    cells: list[CellEntry]
    summary: SummaryEntry
    title: str
    source: str
    complete: bool
    notes: list[str]
    factors: list[FactorEntry]
    report: NotRequired[dict[str, str]]
    bands: NotRequired[str]
    plot_alt: str
    plot: NotRequired[str]
    table: NotRequired[str]
    page: NotRequired[str]


@command(app, answer=ReproductionAnswer | list[ReproductionAnswer])
def reproduce(
    output: Output,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="names from 'locklab show experiment'",
            autocompletion=among(values.experiments),
        ),
    ] = None,
    all_: Annotated[bool, Detail("every experiment, shortened unless --full")] = False,
    out: Annotated[Path, Detail("a folder for plots and tables; or FILE.html, one page")] = FOLDER,
    replications: Annotated[
        int | None, Detail("of each cell", default="the experiment's", rare=True)
    ] = None,
    seed: int = 1,
    brief: bool = False,
    full: bool = False,
    jobs: Annotated[int | None, Detail(default="all usable CPUs")] = None,
    sensitivity: bool = False,
    explain: Annotated[bool, Detail("parameters, analytic models, notes, the plot in words")] = (
        False
    ),
) -> None:
    """Simulate published tables and print them beside the published values."""
    from locksim.cli.html_report import Section, page
    from locksim.study.jobs import Runner
    from lockui.portable import usable_cpus

    found = _chosen(names or [], all_)
    check_runs(replications=1 if replications is None else replications, seed=seed)
    if output.plot and len(found) > 1:
        raise UsageError(f"--plot {output.plot[0]}: name one experiment; --out has a plot of each")
    output.check()
    workers = usable_cpus() if jobs is None else bounded(jobs, "--jobs", 1, 1024)
    demand("'locklab paper reproduce'", "pandas", "scipy", "matplotlib")
    html = out.suffix == ".html"
    _check_out(out)
    short = (all_ or brief) and not full
    options = {"seed": seed} | ({} if replications is None else {"replications": replications})
    sections: list[Section] = []
    documents: list[dict[str, Any]] = []
    how = _settings(replications, seed, short)
    wanted = _bands_wanted(sensitivity, all_)
    view = console(latex=output.latex)
    complete = True
    with Runner(workers) as run:
        plans = _plans(found, options, short)
        run.start(job for plan in plans for job in plan.jobs.values())
        for i, (experiment, plan) in enumerate(zip(found, plans, strict=True)):
            try:
                result = _simulated(experiment, plan, run, options, short, wanted)
            except KeyboardInterrupt:
                if not documents:
                    raise
                complete = False
                break
            drawn = experiment.plot(result)
            drawn = replace(
                drawn, caption=f"{drawn.caption} {how[:1].upper()}{how[1:]}. {made_by()}"
            )
            files: dict[str, Any] = {"plot_alt": drawn.alt()}
            with saving(f"--out {out}"):
                files |= {"page": str(out)} if html else _save(experiment, result, drawn, out)
            save_each(drawn, output.plot)
            documents.append({**result.to_json(), **files})
            sections.append(Section(result, drawn))
            if not output.json:
                if i:
                    say("", view)
                print_reproduction(view, result, parameters=explain)
                _print_files(view, result, files, explain)
            complete = result.complete
            if not complete:
                break
    if html:
        with saving(f"--out {out}"):
            out.write_text(page(sections, how), encoding="utf-8")
    if output.json:
        print_json(documents if len(found) > 1 else documents[0])
    else:
        if len(sections) > 1:
            print_factors(view, [section.result for section in sections])
        if html:
            say(f"page: {out}", view)
        if not output.latex:
            _print_next(found[0].name, html)
    if not complete:
        raise interrupted("the results above are complete")


def _chosen(names: list[str], all_: bool) -> list[Experiment]:
    """Return the experiments that are asked for."""
    from locksim import papers as experiments

    if all_ and names:
        raise UsageError(f"--all includes {names[0]}: leave out --all or the names")
    chosen = experiments.names() if all_ else names
    if not chosen:
        raise UsageError(f"name an experiment ({', '.join(experiments.names())}), or write --all")
    return [experiments.find(name) for name in chosen]


def _check_out(out: Path) -> None:
    """Check that a page, or files in a folder, can be saved."""
    option = f"--out {out}"
    if out.suffix == ".html" and out.is_dir():
        raise UsageError(f"{option}: this is a folder; name a file in it")
    folder_to_write(out.parent if out.suffix == ".html" else out, option)


def _plans(found: list[Experiment], options: dict[str, int], short: bool) -> list[Plan[Any, Any]]:
    """Prepare all experiments, fits included."""
    plans = []
    with progress("fits") as report:
        for i, experiment in enumerate(found):
            report(f"{experiment.name}: preparing", i / len(found))
            plans.append(experiment.plan(**options, **(experiment.brief if short else {})))
    return plans


def _bands_wanted(sensitivity: bool, all_: bool) -> Wanted:
    """Return which bands are asked for: of all experiments none, of named ones the cheap."""
    return "all" if sensitivity else "none" if all_ else "cheap"


def _simulated(
    experiment: Experiment,
    plan: Plan[Any, Any],
    run: Runner,
    options: dict[str, int],
    short: bool,
    wanted: Wanted,
) -> Reproduction:
    """Return the experiment's table, with a band for each cell if that is wanted."""
    from locksim import machine as machines
    from locksim.papers.sensitivity import with_bands
    from locksim.study.bands import drawn, one_at_a_time

    with progress(experiment.name) as report:
        result = plan.run(run, report)
        if not result.complete or wanted == "none":
            return result
        if wanted == "all":
            causes = one_at_a_time(machines.load(result.machine))
        elif experiment.replications:
            number = options.get("replications", experiment.replications)
            causes = drawn(machines.load(result.machine), number - 2)
        else:
            return result
        whole = {**options, **(experiment.brief if short else {})}
        found = with_bands(experiment, result, causes, run=run, progress=report, **whole)
        return replace(found, banded=bands.what(causes))


def _print_files(view: Console, result: Reproduction, files: dict[str, Any], explain: bool) -> None:
    """Print what was saved, and where; ``explain``: and what the plot shows."""
    if "plot" in files:
        say(f"plot: {files['plot']}", view)
        say(f"data of the plot: {files['table']}", view)
        if result.report is not None:
            say(f"in {result.report.format}'s format: {_report(Path(files['plot']))}", view)
    if explain:
        say(f"plot in words: {files['plot_alt']}", view)


def _print_next(name: str, html: bool) -> None:
    """Print commands that show more of an experiment; of a page, if there is none yet."""
    from locksim.papers import what_if

    changes = [change for change in what_if.names() if what_if.find(change).of == name]
    commands = {
        f"paper reproduce {name} --explain": "each parameter with its source, models, notes",
        **({} if html else {f"paper reproduce {name} --out {name}.html": "all of it as a page"}),
        f"paper what-if {changes[0]}" if changes else "show what-if": (
            "the same experiment with one change"
        ),
    }
    say("\nnext:")
    for words, shown in commands.items():
        say(f"  locklab {words}\n      {shown}")


def _settings(replications: int | None, seed: int, short: bool) -> str:
    """Return the settings of a page's simulations."""
    times = "each experiment's number of" if replications is None else replications
    text = f"{times} replication{'s' * (replications != 1)} per cell, seeds from {seed}"
    return text + "; long runs are shortened (use --full for whole ones)" * short


def _save(
    experiment: Experiment, result: Reproduction, drawn: Plot, folder: Path
) -> dict[str, Any]:
    """Save plot, data table and report; return the paths of the former."""
    plot = folder / f"{experiment.name}.svg"
    table = plot.with_suffix(".csv")
    save(drawn, plot)
    rows = [cell.to_json() for cell in result.cells]
    frame(rows).to_csv(table, index=False)
    if result.report is not None:
        _report(plot).write_text(result.report.text, encoding="utf-8")
    return {"plot": str(plot), "table": str(table)}


def _report(plot: Path) -> Path:
    """Return the path of the report in the source's own format."""
    return plot.with_suffix(".txt")
