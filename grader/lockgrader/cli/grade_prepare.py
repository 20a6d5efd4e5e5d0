"""Compile before the first grading (called by bundles)."""

from __future__ import annotations

import typer

from lockgrader.platforms.here import prepare as prepare_here
from lockui.command import command
from lockui.console import say

app = typer.Typer(add_completion=False)


@command(app)
def prepare() -> None:
    """Compile before the first grading, and check that there is a sandbox (called by bundles)."""
    say(f"ready; sandbox: {prepare_here()}")
