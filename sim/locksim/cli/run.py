"""Simulate one lock or cache on one machine and print what was measured."""

from __future__ import annotations

from typing import Annotated

import typer

from locksim.cli import common

app = typer.Typer(help=__doc__, add_completion=False)


@app.command()
def run(
    lock: Annotated[str, typer.Argument(help="a lock of the library, or FILE.py:CLASS")],
    machine: Annotated[str, typer.Option(help="a machine, see 'locklab machine list'")] = "desktop-4",
    cpus: Annotated[int | None, typer.Option(help="how many CPUs take part [all]")] = None,
    placement: Annotated[str, typer.Option(help="compact, scatter, or CPU numbers 0,4,8")] = "compact",
    hold: Annotated[int, typer.Option(help="time inside the critical section, in ns")] = 100,
    think: Annotated[int, typer.Option(help="mean time between critical sections, in ns")] = 400,
    read_percent: Annotated[int, typer.Option(help="share of readers (reader-writer locks)")] = 90,
    operations: Annotated[int, typer.Option(help="critical sections to measure per CPU")] = 200,
    replications: Annotated[int, typer.Option(help="independent runs")] = 5,
    seed: Annotated[int, typer.Option(help="of the first run")] = 1,
    json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Simulate one lock under a plain load: hold it, let go, think, again."""
    from locksim.cli.workloads import workload_for
    from locksim.simulation import simulate

    workload, codes = workload_for(lock, hold, think, read_percent)
    with common.progress(f"{lock} on {machine}") as report:
        result = simulate(
            workload,
            machine=machine,
            cpus=cpus,
            placement=common.placement(placement),
            operations=operations,
            replications=replications,
            seed=seed,
            codes=codes,
            progress=report,
        )
    if json:
        common.print_json(
            {
                "lock": lock,
                "machine": result.machine,
                "cpus": result.cpus,
                "placement": result.placement,
                "complete": result.complete,
                "summary": common.records(result.summary()),
                "locks": common.records(result.by_lock()),
            }
        )
        return
    common.print_frame(
        result.summary(),
        title=f"{lock} on {result.cpus} CPUs of {result.machine} ({result.placement})",
        caption=f"mean and 95 % interval of {len(result.replications)} replications",
    )
    common.print_frame(result.by_lock(), title="lock meter (hold and wait: means over acquisitions)")
    if not result.complete:
        common.warn("interrupted: these are the replications that were finished")
