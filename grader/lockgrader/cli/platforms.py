"""The course platforms, as commands name them."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer

from lockui.completion import among
from lockui.errors import UsageError
from lockui.suggest import did_you_mean

PLATFORMS = ("gradescope", "prairielearn", "nbgrader", "actions")
Platform = Annotated[
    str,
    typer.Argument(help=f"one of: {', '.join(PLATFORMS)}", autocompletion=among(PLATFORMS)),
]


def module_of(platform: str) -> Any:
    """Return a platform's module: ``parts`` of its bundle, ``run`` there, ``ROOT``.

    Raises:
        UsageError: there is no such platform.
    """
    if platform not in PLATFORMS:
        hint = did_you_mean(platform, PLATFORMS)
        raise UsageError(f"unknown platform '{platform}': {hint}")
    return importlib.import_module(f"lockgrader.platforms.{platform}")
