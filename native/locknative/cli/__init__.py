"""Run the C kernels on real cores: list, measure and check them."""

import typer

from locknative.cli import bench, explore, kernels, predict, probe, survey, torture, workload

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def native() -> None:
    """Run the C kernels on real cores: list, measure and check them."""


# One module a subcommand; each imports what it needs when it is used.
app.command("list")(kernels.list_kernels)
bench.register(app)
app.command("workload")(workload.workload)
app.command("probe")(probe.probe)
app.command("survey")(survey.survey)
app.command("predict")(predict.predict)
app.command("explore")(explore.explore)
app.command("torture")(torture.torture)
