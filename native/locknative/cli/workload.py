"""Run whole programs with each decision cache, and compare.

``per_second`` is the median over the trials, ``low`` and ``high`` are the smallest and the largest
of them, ``relative`` is the median divided by the first variant's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, cast

import typer
from typing_extensions import TypedDict

from locknative.benchmark.workloads import Mix, VariantRow, WorkloadComparison, WorkloadTrial
from locknative.cli import values
from lockui import tables
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress
from lockui.errors import UsageError
from lockui.quantities import PERCENT, SECOND, Numbers, Share, Time
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console


app = typer.Typer(add_completion=False)

TRIAL, READS = Time(SECOND), Share(80 * PERCENT)
ALL = 100 * PERCENT
STORE_USED, OWN_KEY = "store-used=1", "own-key=1"
"""Settings of a decision cache that ``--set`` takes."""


class WorkloadAnswer(TypedDict):
    """A workload with each variant: a row for each, and every trial."""

    workload: str
    unit: str
    variants: Sequence[str]
    threads: int
    duration_s: float
    mix: Mix
    rows: list[VariantRow]
    trials: Sequence[WorkloadTrial]
    warnings: Sequence[str]


@command(app)
def workload(
    name: Annotated[
        str,
        typer.Argument(
            help="rcutest, chatroom, lmbench or slob", autocompletion=among(values.workloads)
        ),
    ],
    variant: Annotated[
        list[str] | None, Detail("may be repeated", default="all", values=among(values.variants))
    ] = None,
    threads: Annotated[int | None, Detail(default="one a CPU")] = None,
    rooms: Annotated[int, Detail("of chatroom: 20 users, 80 threads each")] = 1,
    operation: Annotated[
        str, Detail("of lmbench", among(values.operations), rare=False)
    ] = "null_io",
    reads: Annotated[Share, Detail("of slob")] = READS,
    paths: Annotated[int, Detail("of slob")] = 1,
    work: int = 0,
    set_: Annotated[
        list[str] | None,
        Detail(
            f"{STORE_USED} marks the entry on every hit, as before 2.6.10; with {OWN_KEY} each "
            "thread asks for its own permission",
            among((STORE_USED, OWN_KEY)),
        ),
    ] = None,
    duration: Annotated[Time, Detail(rare=False)] = TRIAL,
    trials: Annotated[int, Detail("each a process", rare=False)] = 3,
    placement: Annotated[Numbers | None, Detail("here numbers only", default="all CPUs")] = None,
    seed: int = 1,
) -> Report[WorkloadAnswer]:
    """Run a workload with each decision cache, and compare.

    Exit code 1: units of work failed, or threads got stuck. 2: bad input, or this machine does
    not allow it.
    """
    from locknative.benchmark import workloads
    from locknative.host.placement import allowed

    workloads.variants(name)
    chosen = tuple(variant or ())
    where = tuple(placement or ())
    option = _option(set_ or [])
    if name == "lmbench":
        option += workloads.operation_number(operation)
    elif name == "slob":
        option = bounded(paths, "--paths", 1, 1000) * workloads.PATH
    if name == "chatroom":
        threads = bounded(rooms, "--rooms", 1, 100) * workloads.ROOM
    share = (ALL - reads) * 65536 // ALL
    with progress(name) as report:
        measured = workloads.measure(
            name,
            chosen,
            threads=threads if threads is not None else len(where or allowed()),
            duration_s=duration.seconds,
            trials=trials,
            cpus=where,
            mix=workloads.Mix(
                think=bounded(work, "--work", 0, 2**32 - 1),
                write_share=share if name == "slob" else 0,
                option=option,
                seed=bounded(seed, "--seed", 0, 2**62),
            ),
            report=report,
        )
    return Report(
        cast(
            "WorkloadAnswer",
            vars(measured) | {"rows": measured.rows, "warnings": measured.warnings},
        ),
        lambda view: _print(view, measured, operation if name == "lmbench" else ""),
        exit_code=int(any(row.failures for row in measured.rows)),
    )


def _option(settings: list[str]) -> int:
    """Return the bits of a mix's option for the settings of a decision cache.

    Raises:
        UsageError: a setting is not known.
    """
    from locknative.benchmark import workloads

    known = {STORE_USED: workloads.STORE_USED, OWN_KEY: workloads.OWN_KEY}
    for text in settings:
        if text not in known:
            raise UsageError(f"--set {text}: write {' or '.join(known)}")
    return sum(known[text] for text in set(settings))


def _print(output: Console, measured: WorkloadComparison, what: str) -> None:
    """Print a row for each variant, then the warnings."""
    title = f"{measured.workload} {what}".strip()
    output.print(
        f"{title}, {measured.threads} threads, {measured.duration_s:g} s a trial", markup=False
    )
    rows = measured.rows
    scale = tables.scale_of(max(row.high for row in rows), "1/s")
    places = tables.decimals(row.per_second / scale.factor for row in rows)
    view = tables.table()
    tables.add(view, "variant")
    for head in (scale.unit, "least", "most", "relative", "failures"):
        tables.add(view, head, right=True)
    for row in rows:
        view.add_row(
            row.variant,
            *(
                tables.fixed(rate / scale.factor, places)
                for rate in (row.per_second, row.low, row.high)
            ),
            f"{row.relative:.3f}",
            str(row.failures),
        )
    tables.print_table(output, view)
    output.print(
        f"\n  one unit: {measured.unit}. {scale.unit}: the median over the trials, all threads "
        "together.\n  relative: divided by the first row.",
        markup=False,
    )
    for warning in measured.warnings:
        output.print(f"  warning: {warning}", markup=False, soft_wrap=True)
