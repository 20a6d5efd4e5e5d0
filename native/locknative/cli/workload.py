"""``locklab native workload NAME``: whole programs with different decision caches.

``--json`` prints one object::

    {"workload", "unit", "variants", "threads", "duration_s", "mix",
     "rows": [{"variant", "per_second", "low", "high", "relative", "failures"}],
     "trials": [{"variant", "counts", "wall_ns", "failures", "provenance"}], "warnings"}

``per_second`` is the median over the trials, ``low`` and ``high`` are the smallest and the largest
of them, ``relative`` is the median divided by the first variant's.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from locknative.cli import values
from locknative.cli.options import Json
from lockui import tables
from lockui.arguments import bounded, whole_numbers
from lockui.completion import among
from lockui.console import console, progress
from lockui.document import print_json
from lockui.errors import reported

if TYPE_CHECKING:
    from locknative.benchmark.workloads import WorkloadComparison


@reported()
def workload(
    name: Annotated[
        str,
        typer.Argument(
            help="rcutest, chatroom, lmbench or slob", autocompletion=among(values.workloads)
        ),
    ],
    check: Annotated[
        list[str] | None,
        typer.Option(
            "--check",
            "--variant",
            help="none, spinlock, rwlock, slot or rcu; for slob seqwriter, seqrwlock or seqretry; "
            "give the option once for each (default: all)",
            autocompletion=among(values.variants),
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="number of threads (default: one a CPU)")
    ] = None,
    rooms: Annotated[int, typer.Option(help="rooms of 20 users, 80 threads each (chatroom)")] = 1,
    operation: Annotated[
        str,
        typer.Option(help="the timed operation (lmbench)", autocompletion=among(values.operations)),
    ] = "null_io",
    write_percent: Annotated[
        int, typer.Option(help="percentage of transactions that write (slob)")
    ] = 20,
    paths: Annotated[int, typer.Option(help="paths looked up in a transaction (slob)")] = 1,
    think: Annotated[int, typer.Option(help="iterations of private work between two units")] = 0,
    store_used: Annotated[
        bool, typer.Option("--store-used", help="mark the entry on every hit, as before 2.6.10")
    ] = False,
    own_key: Annotated[
        bool, typer.Option("--own-key", help="each thread asks for its own permission")
    ] = False,
    duration: Annotated[float, typer.Option(help="time of a trial, in s")] = 1.0,
    trials: Annotated[int, typer.Option(help="trials of each variant, each a process")] = 3,
    cpus: Annotated[str | None, typer.Option(help="the CPUs to use: 0,1 (default: all)")] = None,
    seed: Annotated[int, typer.Option(help="of the order of the trials, and of the workload")] = 1,
    as_json: Json = False,
) -> None:
    """Run a workload with each decision cache, and compare.

    Exit code 1: units of work failed, or threads got stuck. 2: bad input, or this machine does
    not allow it.
    """
    from locknative.benchmark import workloads
    from locknative.host.placement import allowed

    workloads.variants(name)
    chosen = tuple(check or ())
    where = tuple(whole_numbers(cpus, "--cpus")) if cpus is not None else ()
    option = store_used * workloads.STORE_USED + own_key * workloads.OWN_KEY
    if name == "lmbench":
        option += workloads.operation_number(operation)
    elif name == "slob":
        option = bounded(paths, "--paths", 1, 1000) * workloads.PATH
    if name == "chatroom":
        threads = bounded(rooms, "--rooms", 1, 100) * workloads.ROOM
    share = bounded(write_percent, "--write-percent", 0, 100) * 65536 // 100
    with progress(name) as report:
        measured = workloads.measure(
            name,
            chosen,
            threads=threads if threads is not None else len(where or allowed()),
            duration_s=duration,
            trials=trials,
            cpus=where,
            mix=workloads.Mix(
                think=bounded(think, "--think", 0, 2**32 - 1),
                write_share=share if name == "slob" else 0,
                option=option,
                seed=bounded(seed, "--seed", 0, 2**62),
            ),
            report=report,
        )
    if as_json:
        rows = [asdict(row) for row in measured.rows]
        print_json({**asdict(measured), "rows": rows, "warnings": measured.warnings})
    else:
        _print(measured, operation if name == "lmbench" else "")
    if any(row.failures for row in measured.rows):
        raise typer.Exit(1)


def _print(measured: WorkloadComparison, what: str) -> None:
    """Print a row for each variant, then the warnings."""
    output = console()
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
