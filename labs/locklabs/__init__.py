"""The labs: the files for students, and the checks of their answers.

A lab is a folder beside this package (``labs/lab02-spinlocks``): ``lab.toml`` with its checks, the
handout, ``starter/``, ``hidden/`` (checks that students do not see), ``solution/``, and
``mutants.toml``, wrong submissions that each name the verdict that they must get.

An installed LockLab has what students may see of each. The distribution ``locklab-instructor``
holds whole labs, which are used instead where it is installed.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from lockui import files

__all__ = ["UnknownLabError", "find", "names", "quizzes"]

QUIZZES = "quizzes"
"""Their folder beside the labs."""


def _home() -> Path:
    whole = find_spec("lockinstructor")
    folders = list(whole.submodule_search_locations or []) if whole is not None else []
    return Path(folders[0]) if folders else files.home() / "labs"


HOME = _home()


class UnknownLabError(Exception):
    """There is no such lab; the message names those that there are."""

    exit_code = 2


def names() -> list[str]:
    """The labs that are installed here."""
    return sorted(path.parent.name for path in HOME.glob("*/lab.toml"))


def quizzes() -> list[str]:
    """The quizzes that are installed here."""
    return sorted(path.parent.name for path in (HOME / QUIZZES).glob("*/lab.toml"))


def find(name: str) -> Path:
    """A lab's folder.

    Arguments:
        name: a path, or the name of an installed lab, of which the part before the dash or the
            number will do, or of an installed quiz.

    Raises:
        UnknownLabError: there is none, or more than one.
    """
    path = Path(name)
    if (path / "lab.toml").is_file():
        return path
    if name in quizzes():
        return HOME / QUIZZES / name
    near = [n for n in names() if n == name or n.startswith((f"{name}-", f"lab{name}-"))]
    if len(near) != 1:
        there = [*names(), *quizzes()]
        known = f"or one of {', '.join(there)}" if there else "none is installed here"
        raise UnknownLabError(f"unknown lab '{name}': give its folder, {known}")
    return HOME / near[0]
