"""Reproduce published results in simulation: every cell with its role, all parameters, a plot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from locksim.cli import common

app = typer.Typer(help=__doc__, add_completion=False)


@app.command()
def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="experiments, such as kaigai-2004")] = None,
    all_: Annotated[bool, typer.Option("--all", help="every experiment")] = False,
    output: Annotated[Path, typer.Option(help="folder for plots and tables")] = Path("out"),
    replications: Annotated[int, typer.Option(help="independent runs per cell")] = 5,
    seed: Annotated[int, typer.Option(help="of the first run")] = 1,
    parameters: Annotated[bool, typer.Option(help="list every parameter")] = True,
    json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Simulate published tables and set them beside what was printed."""
    from locksim import experiments

    chosen = experiments.names() if all_ else names or []
    if not chosen:
        raise common.UsageError(
            f"name an experiment ({', '.join(experiments.names())}), or say --all"
        )
    found = [experiments.find(name) for name in chosen]
    results = []
    for experiment in found:
        with common.progress(experiment.name) as report:
            result = experiment.reproduce(progress=report, replications=replications, seed=seed)
        path = output / f"{experiment.name}.svg"
        alt = experiment.plot(result, path)
        table = path.with_suffix(".csv")
        common.frame([{**common.asdict(c), "error": c.error} for c in result.cells]).to_csv(
            table, index=False
        )
        results.append({**result.to_json(), "plot": str(path), "plot_alt": alt, "table": str(table)})
        if not json:
            common.print_reproduction(result, parameters=parameters)
            common.say(f"plot: {path.resolve()}")
            common.say(f"its data: {table.resolve()}")
    if json:
        common.print_json(results if len(results) > 1 else results[0])
