"""How LockLab was installed here, and the commands that install it again or with more.

A checkout has its Makefile. Elsewhere pip, pipx or uv installed a wheel: pipx and uv leave a file
in the environments that they make for a program, and every installer its name beside the package.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from lockui import files


class _Commands(NamedTuple):
    """What an installer is told; the package's name follows."""

    more: str
    again: str
    built: str


_PIP = _Commands(
    "pip install",
    "pip install --force-reinstall",
    "pip install --force-reinstall --no-binary locklab",
)
_UV = _Commands(
    "uv pip install",
    "uv pip install --reinstall",
    "uv pip install --reinstall --no-binary locklab",
)
_OF_ENVIRONMENT = {
    "pipx_metadata.json": _Commands(
        "pipx install --force",
        "pipx install --force",
        "pipx install --force --pip-args='--no-binary locklab'",
    ),
    "uv-receipt.toml": _Commands(
        "uv tool install",
        "uv tool install --reinstall",
        "uv tool install --reinstall --no-binary-package locklab",
    ),
}
"""By the file that stands in an environment for one program."""


def install(package: str) -> str:
    """Return the command that installs a package beside LockLab.

    Arguments:
        package: its name; that of LockLab with the wanted extra, such as ``locklab[plot]``.
    """
    return f"{_commands().more} '{package}'" if "[" in package else f"{_commands().more} {package}"


def again(*, build: bool = False) -> str:
    """Return the command that installs LockLab again, in place of what is broken.

    Arguments:
        build: whether its C parts are compiled on this machine, which makes them fit a library
            that came later.
    """
    if not files.installed():
        return "make setup"
    commands = _commands()
    return f"{commands.built if build else commands.again} locklab"


def _commands() -> _Commands:
    for name, commands in _OF_ENVIRONMENT.items():
        if (Path(sys.prefix) / name).exists():
            return commands
    try:
        installer = distribution("locklab").read_text("INSTALLER") or ""
    except PackageNotFoundError:
        installer = ""
    return _UV if installer.strip() == "uv" else _PIP
