"""Make a lab that lints at once: a copy of ``template/``, a whole small lab, under another name."""

from __future__ import annotations

import re
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from lockui.errors import UsageError

__all__ = ["new"]

NAME, TITLE = "lab-template", "The template"
"""What stands in the template for a lab's name and title."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


def new(folder: Path) -> list[str]:
    """Make the folder of a lab, and return its files.

    Arguments:
        folder: to make. Its last part is the lab's name; what follows the first dash is the title.

    Raises:
        UsageError: the name is not one of a lab, or the folder exists or cannot be made.
    """
    name = folder.name
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"'{name}' is not a valid lab name: use only small letters, digits and dashes\n"
            "help: locklab lab new lab42-peterson"
        )
    title = (name.partition("-")[2] or name).replace("-", " ").capitalize()
    files = _files(resources.files("lockgrader.author") / "template", "")
    try:
        folder.mkdir(parents=True)
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(exist_ok=True)
            target.write_text(text.replace(NAME, name).replace(TITLE, title), encoding="utf-8")
    except FileExistsError:
        raise UsageError(f"{folder} exists: choose another name, or remove it") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from error
    return sorted(files)


def _files(folder: Traversable, path: str) -> dict[str, str]:
    """The template's files: path → text."""
    found: dict[str, str] = {}
    for one in folder.iterdir():
        if one.is_dir() and one.name != "__pycache__":
            found |= _files(one, f"{path}{one.name}/")
        elif one.is_file():
            found[path + one.name] = one.read_text(encoding="utf-8")
    return found
