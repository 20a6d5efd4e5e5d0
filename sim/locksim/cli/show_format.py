"""List the formats of lock reports, and the real texts on which their readers are tested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import values
from lockui import tables
from lockui.command import command
from lockui.completion import among
from lockui.errors import UsageError
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.study.reports.formats import Format

app = typer.Typer(add_completion=False)


class SampleEntry(TypedDict):
    """A real text: its file in sim/tests/study/reports/real, source and date."""

    name: str
    source: str
    date: str


class FormatEntry(TypedDict):
    """A format; ``round_trip``: what is written is read back, and tested to be the same."""

    format: str
    title: str
    read: bool
    written: bool
    round_trip: bool
    samples: list[SampleEntry]


@command(app)
def show_format(
    name: Annotated[
        str,
        typer.Argument(
            help="only this one, with its real texts; without it all",
            autocompletion=among(values.report_formats),
        ),
    ] = "",
) -> Report[FormatEntry | list[FormatEntry]]:
    """List the formats that 'locklab report' reads and 'locklab run --report' writes."""
    from locksim.study.reports.formats import formats

    found = [_entry(one) for one in formats() if not name or one.name == name]
    if not found:
        raise UsageError(
            f"unknown format {name!r}; choose {', '.join(one.name for one in formats())}"
        )

    def show(output: Console) -> None:
        view = tables.table()
        for column in ("format", "read", "written", "round trip"):
            tables.add(view, column)
        tables.add(view, "texts", right=True)
        tables.add(view, "tool", fold=True)
        for one in found:
            words = (
                "yes" if one[key] else tables.DASH for key in ("read", "written", "round_trip")
            )
            view.add_row(one["format"], *words, str(len(one["samples"])), escape(one["title"]))
        tables.print_table(output, view)
        if name:
            output.print()
            for sample in found[0]["samples"]:
                output.print(f"{sample['date']:<14}{sample['name']}", markup=False)
                output.print(f"{'':<14}{sample['source']}", markup=False, soft_wrap=True)

    return Report(found[0] if name else found, show)


def _entry(one: Format) -> FormatEntry:
    return FormatEntry(
        format=one.name,
        title=one.title,
        read=one.read,
        written=one.written,
        round_trip=one.read and one.written,
        samples=[SampleEntry(name=s.name, source=s.source, date=s.date) for s in one.samples],
    )
