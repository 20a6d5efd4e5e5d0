"""Options that several subcommands share, declared once."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")]
Seconds = Annotated[float, typer.Option(help="Measure for at most this time, in s.")]
Trials = Annotated[int, typer.Option(help="Good trials of each cell.")]
TrialMs = Annotated[int, typer.Option(help="Measured time of a trial; less on a busy machine.")]
