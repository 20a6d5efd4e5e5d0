"""Run the C kernels on real cores: list them, measure them, judge them."""

import typer

from locknative.cli import explore

app = typer.Typer(help=__doc__, no_args_is_help=True)
# One module a subcommand; each imports what it needs when it is used.
app.command("explore")(explore.explore)


@app.callback()
def native() -> None:
    """Keep the subcommands' names, however many there are."""
