"""Simulate locks over a range of CPU counts: the scalability curve as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from locksim.cli import common

app = typer.Typer(help=__doc__, add_completion=False)


@app.command()
def sweep(
    locks: Annotated[list[str], typer.Argument(help="locks of the library, or FILE.py:CLASS")],
    machine: Annotated[str, typer.Option(help="a machine, see 'locklab machine list'")] = "xeon-8176-8x28",
    cpus: Annotated[str, typer.Option(help="CPU counts: 1,2,4,8")] = "1,2,4,8,16,32",
    placement: Annotated[str, typer.Option(help="compact or scatter")] = "compact",
    hold: Annotated[int, typer.Option(help="time inside the critical section, in ns")] = 100,
    think: Annotated[int, typer.Option(help="mean time between critical sections, in ns")] = 400,
    read_percent: Annotated[int, typer.Option(help="share of readers (reader-writer locks)")] = 90,
    operations: Annotated[int, typer.Option(help="critical sections to measure per CPU")] = 100,
    replications: Annotated[int, typer.Option(help="independent runs")] = 5,
    seed: Annotated[int, typer.Option(help="of the first run")] = 1,
    output: Annotated[Path | None, typer.Option(help="save the table (.csv or .parquet)")] = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Simulate each lock at each number of CPUs."""
    import pandas as pd

    from locksim.cli.workloads import workload_for
    from locksim.simulation import simulate

    counts = common.whole_numbers(cpus, "--cpus")
    if output is not None and output.suffix not in (".csv", ".parquet"):
        raise common.UsageError(f"--output {output}: save as .csv or .parquet")
    # Everything that can be wrong with the arguments is found before the first long run.
    loads = {name: workload_for(name, hold, think, read_percent) for name in locks}
    rows = []
    plan = [(name, n) for name in locks for n in counts]
    complete = True
    with common.progress("sweep") as report:
        for i, (name, n) in enumerate(plan):
            report(f"{name} on {n} CPUs", i / len(plan))
            workload, codes = loads[name]
            try:
                result = simulate(
                    workload,
                    machine=machine,
                    cpus=n,
                    placement=common.placement(placement),
                    operations=operations,
                    replications=replications,
                    seed=seed,
                    codes=codes,
                )
            except KeyboardInterrupt:
                complete = False
                break
            rate, transactions = result.throughput(), result.transactions()
            rows.append(
                {
                    "lock": name,
                    "cpus": n,
                    "per_second": rate.mean,
                    "low": rate.low,
                    "high": rate.high,
                    "ns_per_operation": result.operation_ps().mean / 1e3,
                    "transactions": transactions.mean,
                    "fairness": result.fairness().mean,
                }
            )
    frame = pd.DataFrame(rows)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(output, index=False) if output.suffix == ".csv" else frame.to_parquet(output)
    if json:
        common.print_json(
            {"machine": machine, "placement": placement, "complete": complete, "rows": common.records(frame)}
        )
        return
    common.print_frame(
        frame,
        title=f"critical sections on {machine} ({placement}), hold {hold} ns, think {think} ns",
        caption="low and high: 95 % interval of per_second; transactions: line transactions per operation",
    )
    if not complete:
        common.warn("interrupted: these are the points that were finished")
