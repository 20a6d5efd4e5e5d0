"""Run the C kernels on real cores: list them, measure them, judge them."""

import typer

from locknative.cli import explore, kernels

app = typer.Typer(help=__doc__, no_args_is_help=True)
# One module a subcommand; each imports what it needs when it is used.
app.command("list")(kernels.list_kernels)
app.command("explore")(explore.explore)
