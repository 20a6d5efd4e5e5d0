"""Which optional part of LockLab brings a module that is not installed."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec

from lockui import installation

__all__ = ["demand", "missing"]

BROUGHT_BY = {"distributed": "dask", "elftools": "pyelftools", "nbformat": "nbclient"}
"""The distribution of a module, where the names differ."""
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+).*\bextra == .(?P<extra>[\w-]+).")
DEVELOPERS = {"dev", "docs"}


def demand(what: str, *modules: str, package: str = "") -> None:
    """Check before a long run that modules are installed that are imported at its end.

    Arguments:
        what: needs them, such as an option with its value. modules: their names.
        package: as for :func:`missing`.

    Raises:
        UsageError: one is not installed.
    """
    from lockui.errors import UsageError  # with typer, which the sandbox does without

    for module in modules:
        if find_spec(module) is None:
            raise UsageError(f"{what} needs {missing(module, package)}")


def missing(module: str, package: str = "") -> str:
    """Return what to say about a module that is not installed, and how to install it.

    Arguments:
        module: its name, perhaps with dots.
        package: of LockLab that needs it. Of the extras that bring the module its own comes first:
            ``native`` for ``locknative``.
    """
    top = module.partition(".")[0]
    name = BROUGHT_BY.get(top, top)
    extras = [extra for extra in _extras(name) if extra not in DEVELOPERS]
    extras.sort(key=lambda extra: not package.startswith(f"lock{extra}"))
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
