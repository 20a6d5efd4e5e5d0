"""Options that several subcommands share, declared once."""

from __future__ import annotations

from typing import Annotated

import typer

from locknative.survey.collect import Plan
from lockui.arguments import bounded
from lockui.errors import UsageError

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")]
Seconds = Annotated[float, typer.Option(help="Measure for at most this time, in s.")]
Trials = Annotated[int, typer.Option(help="Good trials of each cell.")]
TrialMs = Annotated[int, typer.Option(help="Measured time of a trial; less on a busy machine.")]


def plan_of(seconds: float, trials: int, trial_ms: int, seed: int = 1) -> Plan:
    """Return how much to measure, as the options say.

    Raises:
        UsageError: a value is out of range.
    """
    if not seconds > 0:
        raise UsageError(f"--seconds must be above 0 (got {seconds:g})")
    bounded(trials, "--trials", 1, 10_000)
    bounded(trial_ms, "--trial-ms", 1, 3_600_000)
    return Plan(seconds, trials, trial_ms, seed)
