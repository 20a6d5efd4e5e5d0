"""JupyterLab: where it is, what installing it means, and installing it."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path

from locklessons.notebooks import LessonError
from lockui import files

__all__ = ["find", "install", "what_is_missing"]

PROGRAM = "jupyter-lab"


def find() -> Path | None:
    """Return the program: of this environment, of the site's in a checkout, or on PATH.

    None if it is not there, or if what makes notebooks of lessons is not.
    """
    if find_spec("jupytext") is None:
        return None
    folders = [Path(sys.executable).parent, files.home() / ".venv-site" / "bin"]
    found = shutil.which(PROGRAM)
    places = [folder / PROGRAM for folder in folders] + ([Path(found)] if found else [])
    return next((place for place in places if place.exists()), None)


def what_is_missing() -> str:
    """Return what :func:`install` does, in words."""
    return (
        "JupyterLab is not installed. This installs it beside LockLab (some 150 MB), and then\n"
        "opens the lesson:\n"
        f"  {shlex.join(_command())}"
    )


def install() -> Path:
    """Install JupyterLab into this environment.

    Returns:
        The program.

    Raises:
        LessonError: pip failed, or there is no pip.
    """
    if subprocess.run(_command(), check=False).returncode:
        raise LessonError(
            "JupyterLab could not be installed; pip's message is above\n"
            "help: install it in an environment of your own: pip install 'locklab[notebook]'"
        )
    importlib.invalidate_caches()
    found = find()
    if found is None:
        raise LessonError(f"pip has run, and {PROGRAM} is still missing in {sys.prefix}")
    return found


def _command() -> list[str]:
    """Run pip: in a checkout with the locked versions, else with the extra's ranges."""
    pip = [sys.executable, "-m", "pip", "install"]
    locked = files.home() / "requirements" / "notebook.txt"
    if not files.installed():
        return [*pip, "--require-hashes", "-r", str(locked)]
    return [*pip, *_ranges()]


def _ranges(extra: str = "notebook") -> list[str]:
    """What an extra of LockLab names, and the extras that it names in turn."""
    try:
        wanted = requires("locklab") or []
    except PackageNotFoundError:
        wanted = []
    names: list[str] = []
    for line in wanted:
        match = re.match(rf"([^;]+);.*\bextra == .{extra}.$", line)
        inner = re.match(r"locklab\[(\w+)\]", line)
        if match:
            names += _ranges(inner[1]) if inner else [match[1].strip()]
    return list(dict.fromkeys(names))
