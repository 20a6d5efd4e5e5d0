"""Which optional part of LockLab brings a module that is not installed."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires

from lockui import installation

__all__ = ["missing"]

BROUGHT_BY = {"distributed": "dask", "elftools": "pyelftools", "nbformat": "nbclient"}
"""The distribution of a module, where the names differ."""
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+).*\bextra == .(?P<extra>[\w-]+).")
DEVELOPERS = {"dev", "docs"}


def missing(module: str) -> str:
    """Return what to say about a module that is not installed, and how to install it.

    Arguments:
        module: its name, perhaps with dots.
    """
    top = module.partition(".")[0]
    name = BROUGHT_BY.get(top, top)
    extras = [extra for extra in _extras(name) if extra not in DEVELOPERS]
    command = installation.install(f"locklab[{extras[0]}]") if extras else installation.again()
    return f"the Python module {top}, which is not installed\nhelp: {command}"


def _extras(name: str) -> list[str]:
    """The extras that name a distribution, in the order of pyproject.toml."""
    try:
        wanted = requires("locklab") or []
    except PackageNotFoundError:
        return []
    found = (_REQUIREMENT.match(line) for line in wanted)
    return [match["extra"] for match in found if match and match["name"].lower() == name.lower()]
