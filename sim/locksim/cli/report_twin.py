"""Fit a load to a row of a lock report, and predict what a change would do."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import options, values
from locksim.cli.bands import warn_without_range
from locksim.cli.options import check_runs, cpus_of, read_placement
from locksim.cli.report import read_tables
from lockui import tables
from lockui.arguments import bounded, folder_to_write
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say
from lockui.errors import UsageError, saving
from lockui.numbers import significant
from lockui.quantities import PERCENT, Share, Time
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.study.bands import Band
    from locksim.study.twin.comparison import Compared
    from locksim.study.twin.evidence import Evidence
    from locksim.study.twin.fit import Twin
    from locksim.study.twin.plan import Given, Plan
    from locksim.study.twin.prediction import Prediction, Predictions

app = typer.Typer(add_completion=False)

NONE: list[str] = []
SETTINGS = ("locks=1", "users=owner", "users=random", "spread=0.5", "lines=1", "lock=qspinlock")
PAGE, DOCUMENT, SIMULATED = "index.html", "twin.json", "simulated.txt"
"""The files of a folder."""
NEAR_END = 0.02


class ValueEntry(TypedDict):
    """A number of the twin: ``role`` is input, asked, assumed, fitted or range."""

    name: str
    title: str
    value: float | str
    unit: str
    low: float | None
    high: float | None
    role: str
    source: str


class ColumnEntry(TypedDict):
    """A column of the report beside the twin's; ``far``: they do not agree."""

    column: str
    title: str
    unit: str
    report: float
    twin: float
    used: bool
    far: bool


class BandEntry(TypedDict):
    """A quantity after a change, and its band."""

    value: float
    low: float
    high: float


class ChangeEntry(TypedDict):
    """A change: ``effect`` in words, throughput as a ``factor`` of today's, and all quantities.

    ``change`` is empty for the load as it is. ``most`` is the factor that the report's waits allow
    (null: not known); ``excess``: the predicted one is above it, do not trust it.
    """

    change: str
    cpus: int
    effect: str
    factor: BandEntry
    most: float | None
    excess: bool
    quantities: dict[str, BandEntry]


class ComparisonEntry(TypedDict):
    """A column of both reports beside the prediction of a change; ``inside``: of its band.

    The chance of the second report's counts is allowed for.
    """

    change: str
    column: str
    title: str
    unit: str
    before: float
    after: float
    predicted: BandEntry
    inside: bool


class ModelErrorEntry(TypedDict):
    """The factor within which published curves of a class of questions were predicted."""

    kind: str
    factor: float


class TwinAnswer(TypedDict):
    """A twin: its numbers, how it agrees with the report, and what changes would do.

    ``warnings`` are those of ``locklab report`` about the row and its table.
    """

    file: str
    row: str
    machine: str
    draws: int
    model_error: ModelErrorEntry
    values: list[ValueEntry]
    columns: list[ColumnEntry]
    warnings: list[str]
    changes: list[ChangeEntry]
    comparison: NotRequired[list[ComparisonEntry]]
    saved: NotRequired[list[str]]


@command(app)
def twin(
    file: Annotated[Path, typer.Argument(help="file with the report; - is standard input")],
    after: Annotated[
        Path | None,
        typer.Argument(help="file with a report from after the change, to compare with it"),
    ] = None,
    only: Annotated[
        str | None, Detail("a row: words of its name, kind, address", default="the longest waits")
    ] = None,
    what_if: Annotated[
        list[str], Detail("see 'locklab help your_kernel'", values.what_if_changes)
    ] = NONE,
    machine: options.MachineName = "",
    cpus: Annotated[int | None, Detail("that the load keeps busy")] = None,
    window: Time | None = None,
    set_: Annotated[
        list[str],
        Detail("locks=1, users=owner, spread=0.5, lines=2, lock=NAME", among(SETTINGS), rare=False),
    ] = NONE,
    reads: Annotated[Share | None, Detail(default="the report's")] = None,
    arrivals: options.Arrivals = "closed",
    placement: options.Placement = "compact",
    format_: Annotated[
        str | None, Detail(default="detected", values=among(values.report_formats), rare=True)
    ] = None,
    replications: Annotated[int, Detail("draws for the bands")] = 9,
    seed: int = 1,
    out: Annotated[Path | None, Detail("a page.html, or a folder for page and data")] = None,
) -> Report[TwinAnswer]:
    """Fit a load to a row of a lock report, and predict what a change would do.

    Exit code 2: the text is not a report, or lacks what must be given.
    """
    from locksim import machine as machines
    from locksim.study.twin.change import changes_of
    from locksim.study.twin.comparison import columns_of_both, compared
    from locksim.study.twin.errors import TwinError
    from locksim.study.twin.evidence import chooses, evidence_of, same_lock
    from locksim.study.twin.fit import fit
    from locksim.study.twin.load import Setting
    from locksim.study.twin.plan import plan
    from locksim.study.twin.prediction import predict

    check_runs(replications=replications, seed=seed)
    if not machine:
        raise UsageError(
            "--machine is missing: name the profile that is nearest to the measured machine "
            "('locklab show machine'), or write one ('locklab machine new')"
        )
    profile = machines.load(machine)
    if cpus is not None:
        bounded(cpus, "--cpus", 1, profile.n_cpus, on=profile.name)
    if window is not None and not window:
        raise UsageError(f"--window must be above 0 (got {window})")
    if after is not None and len(what_if) != 1:
        raise UsageError(
            f"{after}: give the one change that was made between the reports, with --what-if"
        )
    page, folder = _place(out)
    given, lock = _given(set_, reads, arrivals)
    window_ns = None if window is None else window.ns

    def evidence(of: Path, same: Evidence | None = None) -> Evidence:
        tables = read_tables(of, format_, cpus=cpus, window_ns=window_ns).tables
        rows = [row for table in tables for row in table.locks]
        text = only
        if same is not None and not (only and any(chooses(only, row) for row in rows)):
            # The address may be another one after a boot.
            text = same.name if any(row.name == same.name for row in rows) else None
        try:
            return evidence_of(tables, text, lock)
        except TwinError as error:
            raise TwinError(f"{of}: {error}") from error

    before = evidence(file)
    bounded(before.cpus, "--cpus", 1, profile.n_cpus, on=profile.name)
    now = None if after is None else evidence(after, before)
    if now is not None:
        same_lock(before, now)
        columns_of_both(before, now)
    how = plan(before, given)
    for text in what_if:
        for change in changes_of(text, how.start, before.cpus):
            bounded(change.cpus, f"--what-if {text}: CPUs", 1, profile.n_cpus, on=profile.name)
    with progress("twin") as report:
        report("fit", 0.0)
        found = fit(how, Setting(profile, before.cpus, read_placement(placement), seed))
        predicted = predict(how, found, what_if, draws=replications, progress=report)
    document = _document(file, how, found, predicted, cpus is not None, window is not None)
    if now is not None:
        document["comparison"] = [
            _compared(change, one)
            for change in predicted.after
            for one in compared(change, before, now)
        ]
    if page is not None or folder is not None:
        document["saved"] = _save(page, folder, document, how, found)

    def show(view: Console) -> None:
        _print(view, document)
        warn_without_range(view, profile)
        if "saved" in document:
            say("\n" + "\n".join(f"saved: {one}" for one in document["saved"]), view)

    return Report(document, show)


def _given(texts: list[str], reads: Share | None, arrivals: str) -> tuple[Given, str | None]:
    """Return what the options say about the load, and the lock if one is named.

    Raises:
        UsageError: a setting is not known, or its value is out of range.
    """
    from locksim.study.twin.plan import Given

    found: dict[str, Any] = {"arrivals": arrivals}
    lock = None
    for text in texts:
        name, _, value = text.partition("=")
        if name == "lock" and value:
            lock = value
        elif name == "users" and value in ("owner", "random"):
            found["owners"] = value == "owner"
        elif name in ("locks", "spread", "lines"):
            low, high = {"locks": (1, 4096), "spread": (0, 3), "lines": (0, 64)}[name]
            try:
                number = int(value) if name == "lines" else float(value)
            except ValueError:
                raise UsageError(f"--set {text}: write a number, as {name}=1") from None
            if not low <= number <= high:
                raise UsageError(f"--set {text}: {name} must be between {low} and {high:,}")
            found[name] = number
        else:
            raise UsageError(f"--set {text}: write one of {', '.join(SETTINGS)}")
    if reads is not None:
        found["reads"] = reads / PERCENT / 100
    return Given(**found), lock


def _place(out: Path | None) -> tuple[Path | None, Path | None]:
    """Return the page, or the folder, that ``--out`` names.

    Raises:
        UsageError: it cannot be written there.
    """
    if out is None:
        return None, None
    if out.suffix == ".html":
        folder_to_write(out.parent, f"--out {out}")
        return out, None
    if out.suffix:
        raise UsageError(f"--out {out}: the name of a page ends in .html; a folder's has no ending")
    return None, folder_to_write(out, f"--out {out}")


def _document(
    file: Path, plan: Plan, twin: Twin, found: Predictions, cpus: bool, window: bool
) -> TwinAnswer:
    from locksim.study.model_error import learned
    from locksim.study.twin.evidence import COLUMNS
    from locksim.study.twin.fit import agreement
    from locksim.study.twin.values import values as numbers

    kind = twin.measured.kind
    columns: list[ColumnEntry] = []
    for one in agreement(plan, twin):
        title, unit = COLUMNS[one.column]
        columns.append(
            ColumnEntry(
                column=one.column,
                title=title,
                unit=unit,
                report=one.table,
                twin=one.twin,
                used=one.used,
                far=one.far,
            )
        )
    rows: list[Any] = [
        asdict(value) for value in numbers(plan, twin, found, cpus=cpus, window=window)
    ]
    return TwinAnswer(
        file=file.name,
        row=plan.evidence.known_as,
        machine=twin.setting.machine.name,
        draws=len(found.twins),
        model_error=ModelErrorEntry(kind=kind, factor=learned().classes[kind].factor),
        values=rows,
        columns=columns,
        warnings=list(plan.evidence.warnings),
        changes=[_change(one) for one in (found.before, *found.after)],
    )


def _compared(change: Prediction, one: Compared) -> ComparisonEntry:
    return ComparisonEntry(
        change=change.change,
        column=one.column,
        title=one.title,
        unit=one.unit,
        before=one.before,
        after=one.after,
        predicted=_band(one.predicted),
        inside=one.inside,
    )


def _band(of: Band) -> BandEntry:
    return BandEntry(value=of.value, low=of.low, high=of.high)


def _change(one: Prediction) -> ChangeEntry:
    return ChangeEntry(
        change=one.change,
        cpus=one.cpus,
        effect=one.effect if one.change else "",
        factor=_band(one.factor),
        most=one.most if one.change else None,
        excess=one.excess and bool(one.change),
        quantities={name: _band(of) for name, of in one.bands.items()},
    )


def _save(
    page: Path | None, folder: Path | None, document: TwinAnswer, plan: Plan, twin: Twin
) -> list[str]:
    """Write the page, and in a folder what belongs to it; return the files' names."""
    from locksim.study.reports.formats import WRITERS

    if page is not None:
        with saving(f"--out {page}"):
            page.write_text(_page(document), encoding="utf-8")
        return [str(page)]
    assert folder is not None
    source = plan.evidence.source
    writer = WRITERS.get(source, WRITERS["lock_stat"])
    simulated = writer(twin.measured.table(plan.evidence.name, f"LockLab on {document['machine']}"))
    texts = {
        PAGE: _page(document),
        DOCUMENT: json.dumps(document, indent=2) + "\n",
        SIMULATED: simulated,
    }
    with saving(f"--out {folder}"):
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in texts]


def _page(document: TwinAnswer) -> str:
    """Return the page: the same tables, without scripts, every name escaped."""
    from lockui.html_page import environment

    template = environment("locksim.cli").get_template("twin.html.j2")
    return template.render(
        title=f"{document['row']}: what a change would do",
        version=version("locklab"),
        document=document,
        values=[_value_cells(row) for row in document["values"]],
        columns=[(*_column_cells(row), row["used"], row["far"]) for row in document["columns"]],
        heads=CHANGE_HEADS,
        changes=[_change_cells(row) for row in document["changes"]],
        comparison_heads=("what if", *COMPARISON_HEADS),
        comparison=[
            (row["change"], *_comparison_cells(row)) for row in document.get("comparison", [])
        ],
        sentences=[_sentence(document, row) for row in document["changes"][1:]],
        notes=_notes(document),
    )


CHANGE_HEADS = ("what if", "sections", "times", "band", "CON", "WAIT", "a section", "transfers")
ON_SCREEN = 6
"""The first columns, for which there is room."""
LONGEST_NAME = 28


def _print(output: Console, document: TwinAnswer) -> None:
    output.print(f"[bold]{escape(document['row'])}[/bold]  a twin on {escape(document['machine'])}")
    view = tables.table()
    for head in ("number", "value", "interval", "role"):
        tables.add(view, head, right=head in ("value", "interval"))
    tables.add(view, "what it is, and what says so", fold=True)
    for row in document["values"]:
        title, *cells, source = _value_cells(row)
        name = row["name"].removesuffix("_ns").replace("_", " ")
        view.add_row(*map(escape, (name, *cells, f"{title}; {source}")))
    tables.print_table(output, view)
    output.print()
    view = tables.table()
    for head in ("column", "report", "twin", "differs", "use"):
        tables.add(view, head, right=head in ("report", "twin", "differs"))
    for column in document["columns"]:
        use = "fitted" if column["used"] else "test"
        view.add_row(*_column_cells(column), f"{use}: far" if column["far"] else use)
    tables.print_table(output, view)
    output.print()
    view = tables.table()
    for head in CHANGE_HEADS[:ON_SCREEN]:
        tables.add(view, head, right=head != CHANGE_HEADS[0])
    for change in document["changes"]:
        name, *cells = _change_cells(change)[:ON_SCREEN]
        view.add_row(*map(escape, ("\n".join(textwrap.wrap(name, LONGEST_NAME)), *cells)))
    tables.print_table(output, view)
    output.print()
    comparison = document.get("comparison", [])
    for name in dict.fromkeys(row["change"] for row in comparison):
        output.print(f"{escape(name)}, beside the report from after the change")
        view = tables.table()
        for head in COMPARISON_HEADS:
            tables.add(view, head, right=head not in ("column", "after is"))
        for compared in comparison:
            if compared["change"] == name:
                view.add_row(*map(escape, _comparison_cells(compared)))
        tables.print_table(output, view)
        output.print()
    said = [_sentence(document, change) for change in document["changes"][1:]]
    for sentence in (*said, *_notes(document)):
        lines = textwrap.wrap(sentence, 78, initial_indent="  ", subsequent_indent="    ")
        output.print("\n".join(lines), markup=False)


def _value_cells(row: ValueEntry) -> tuple[str, ...]:
    span = tables.DASH
    if row["low"] is not None and row["high"] is not None:
        span = f"{_text(row['low'], row['unit'])} to {_text(row['high'], row['unit'])}"
    return row["title"], _text(row["value"], row["unit"]), span, row["role"], row["source"]


def _column_cells(row: ColumnEntry) -> tuple[str, ...]:
    apart = 100 * (row["twin"] / row["report"] - 1)
    share = not row["unit"]
    both = (100 * value if share else value for value in (row["report"], row["twin"]))
    unit = "%" if share else row["unit"]
    return row["title"], *(_text(value, unit) for value in both), f"{apart:+.0f} %"


def _change_cells(row: ChangeEntry) -> tuple[str, ...]:
    rate, factor = row["quantities"]["per_second"], row["factor"]
    return (
        row["change"] or "as it is",
        _text(rate["value"], "1/s"),
        f"{factor['value']:.2f}",
        f"{factor['low']:.2f} to {factor['high']:.2f}" if _has_band(row) else tables.DASH,
        f"{100 * row['quantities']['con']['value']:.3g} %",
        _text(row["quantities"]["wait_ns"]["value"], "ns"),
        _text(row["quantities"]["section_ns"]["value"], "ns"),
        significant(row["quantities"]["transfers"]["value"]),
    )


def _has_band(row: ChangeEntry) -> bool:
    """Return whether draws were made, for another load than that of today."""
    return bool(row["change"]) and row["factor"]["low"] < row["factor"]["high"]


COMPARISON_HEADS = ("column", "before", "after", "twin", "band", "after is")


def _comparison_cells(row: ComparisonEntry) -> tuple[str, ...]:
    def text(value: float) -> str:
        return _text(value, row["unit"]) if row["unit"] else f"{100 * value:.3g} %"

    band = row["predicted"]
    span, where = f"{text(band['low'])} to {text(band['high'])}", "inside"
    if not row["inside"]:
        where = "below" if row["after"] < band["low"] else "above"
    if band["low"] == band["high"]:
        span = where = tables.DASH
    return row["title"], *map(text, (row["before"], row["after"], band["value"])), span, where


def _sentence(document: TwinAnswer, row: ChangeEntry) -> str:
    """Return one change as a sentence that can stand in a mail."""
    today, now = document["changes"][0]["quantities"], row["quantities"]
    factor = row["factor"]
    lines = (
        f"a section {_text(today['section_ns']['value'], 'ns')} -> "
        f"{_text(now['section_ns']['value'], 'ns')}, "
        f"line transfers in it {significant(today['transfers']['value'])} -> "
        f"{significant(now['transfers']['value'])}, "
        f"{_text(today['transfer_ns']['value'], 'ns')} -> "
        f"{_text(now['transfer_ns']['value'], 'ns')}"
    )
    what = f"{row['change']} on {cpus_of(row['cpus'])}"
    span = f"{factor['low']:.2f} to {factor['high']:.2f}" if _has_band(row) else "no band"
    effect = row["effect"]
    if row["excess"]:
        effect = f"more than the report's waits allow (at most {row['most']:.2f}), do not trust it"
    said = f"{what}: {effect}, {factor['value']:.2f} times today's sections ({span}); {lines}"
    if row["most"] is not None and not row["excess"] and factor["high"] > row["most"]:
        said += f"; the report's waits allow {row['most']:.2f} at most"
    return said


def _notes(document: TwinAnswer) -> list[str]:
    """Return what a reader must know about the tables."""
    notes = [f"warning: {text}" for text in document["warnings"]]
    if all(c["used"] for c in document["columns"]):
        n = len(document["columns"])
        which = {1: "the only column was", 2: "both columns were"}.get(n, f"all {n} columns were")
        notes.append(f"untested: {which} fitted, and none is left over as a test of the twin")
    far = [c["title"] for c in document["columns"] if c["far"]]
    if far:
        notes.append(
            f"the twin does not agree with the report in {', '.join(far)}: "
            "do not trust what depends on it"
        )
    costs = next((row["value"] for row in document["values"] if row["name"] == "costs"), 0.5)
    if isinstance(costs, float) and not NEAR_END < costs < 1 - NEAR_END:
        notes.append(
            f"all uncertain costs of {document['machine']} had to be at an end of their ranges: "
            "take a profile that is nearer to the measured machine"
        )
    draws = document["draws"]
    if draws:
        share = 100 * (draws - 1) / (draws + 1)
        notes.append(
            f"band: {draws} draws of the machine's costs, of what the report leaves open and of "
            f"its rounding, fitted again each time; a further draw falls into it with {share:.0f} %"
        )
        error = document["model_error"]
        notes.append(
            "the bands of throughput and of the time a section hold the error of the model, too: "
            f"published curves of such a question ({error['kind']}) were predicted within a "
            f"factor of {error['factor']:.2f} without a fit (locklab help uncertainty)"
        )
    return notes


def _text(value: float | str, unit: str) -> str:
    if isinstance(value, str):
        return value
    if unit in ("ns", "1/s"):
        scale = tables.scale_of(value, unit)
        return f"{scale.number(value)} {scale.unit}"
    return f"{significant(value)} {unit}".rstrip()
