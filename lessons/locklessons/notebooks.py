"""The lessons: list them, turn MyST Markdown into a notebook, and run one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockui import files

FOLDER = files.home() / "lessons"
GLOSSARY = files.home() / "docs/start/glossary.md"
BESIDE = "glossary.ipynb"
"""The glossary's notebook, in the folder of those that link to it."""
LONGEST_S = 60
"""Time limit for a cell of a lesson."""
HIDDEN = frozenset(["hide-input", "remove-input"])
"""Tags of cells whose source a reader does not see at first; the site's names."""


_DIRECTIVE = re.compile(
    r"^:::\{(?P<kind>\w+)\}(?P<title>.*)\n(?::\w+:.*\n)*(?P<body>(?:.*\n)*?):::$\n?", re.MULTILINE
)
_TERM = re.compile(r"\]\((?:\.\./docs/start/glossary\.md)?#(?P<entry>[\w-]+)\)")


class LessonError(Exception):
    """The lesson does not exist, or does not run."""

    exit_code = 2


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Arguments:
        number: its place in the course. name: the part of the file's name after the number.
        title: its first heading. file: the MyST Markdown source.
    """

    number: int
    name: str
    title: str
    file: Path


def lessons(folder: Path = FOLDER) -> list[Lesson]:
    """Return the lessons in their order."""
    found = []
    for file in sorted(folder.glob("[0-9][0-9]-*.md")):
        number, _, name = file.stem.partition("-")
        title = next(
            (line[2:] for line in file.read_text("utf-8").splitlines() if line.startswith("# ")),
            name,
        )
        found.append(Lesson(int(number), name, title, file))
    return found


def find(which: str, folder: Path = FOLDER) -> Lesson:
    """Return the lesson of a number or name, or of a file of one's own.

    Raises:
        LessonError: there is none.
    """
    if which.endswith(".md") and Path(which).is_file():
        own = Path(which).resolve()
        known = [lesson for lesson in lessons(own.parent) if lesson.file == own]
        which = own.stem
    else:
        known = lessons(folder)
    for lesson in known:
        if which in (str(lesson.number), lesson.name, lesson.file.stem):
            return lesson
    listed = ", ".join(f"{lesson.number} ({lesson.name})" for lesson in known) or "none yet"
    raise LessonError(f"unknown lesson '{which}'; known: {listed}")


def notebook(lesson: Lesson) -> Any:
    """Return a lesson as a notebook without outputs (nbformat's ``NotebookNode``).

    Its terms lead to the notebook :data:`BESIDE`, and a hidden cell stays folded in JupyterLab.
    """
    import jupytext

    found = jupytext.read(lesson.file, fmt="md:myst")
    for cell in found.cells:
        if cell.cell_type == "markdown":
            cell.source = _linked(plain(cell.source))
        elif HIDDEN & {*cell.metadata.get("tags", ())}:
            cell.metadata["jupyter"] = {"source_hidden": True}
    return found


def glossary() -> Any:
    """Return the glossary as a notebook: each entry is a cell whose id is the entry's address."""
    from nbformat.v4 import new_markdown_cell, new_notebook

    parts = re.split(r"^(?=## )", GLOSSARY.read_text("utf-8"), flags=re.MULTILINE)
    cells: list[Any] = [
        new_markdown_cell(  # type: ignore[no-untyped-call]
            _linked(part.strip()), id=slug(part.partition("\n")[0].strip("# "))
        )
        for part in parts
    ]
    # Without a kernel's name JupyterLab asks for one.
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return new_notebook(cells=cells, metadata=kernel)  # type: ignore[no-untyped-call]


def slug(term: str) -> str:
    """Return the address of a glossary's entry on its page."""
    return re.sub(r"[^\w-]", "", term.lower().replace(" ", "-"))


def _linked(text: str) -> str:
    """The text with links to the glossary's notebook, whose cells JupyterLab finds by their ids."""
    return _TERM.sub(rf"]({BESIDE}#cell-id=\g<entry>)", text)


def plain(text: str) -> str:
    """Return MyST Markdown without directives, for programs that do not know them.

    An admonition becomes a quotation with its title; a dropdown becomes HTML that folds.
    """
    return _DIRECTIVE.sub(_plain, text)


def _plain(found: re.Match[str]) -> str:
    kind, title, body = found["kind"], found["title"].strip(), found["body"].strip()
    if kind == "dropdown":
        return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>\n"
    lines = [f"**{title}.**", "", *body.splitlines()]
    return "".join(f"> {line}".rstrip() + "\n" for line in lines)


def write(lesson: Lesson, folder: Path) -> Path:
    """Write a lesson as .ipynb into a folder, and the glossary beside it.

    An existing file is kept.

    Returns:
        The lesson's file.
    """
    import nbformat

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{lesson.file.stem}.ipynb"
    for file, made in ((path, lambda: notebook(lesson)), (folder / BESIDE, glossary)):
        if not file.exists():
            file.write_text(nbformat.writes(made()), encoding="utf-8")  # type: ignore[no-untyped-call]
    return path


def run(lesson: Lesson, seconds: int = LONGEST_S) -> Any:
    """Run a lesson in a new kernel, and return the notebook with its outputs.

    Raises:
        LessonError: a cell raised, or took longer than ``seconds``.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    found = notebook(lesson)
    # What a lesson sends over this machine's own network is no secret, so no warning about that.
    quiet = ["--IPKernelApp.log_level=ERROR"]
    client = NotebookClient(found, timeout=seconds, kernel_name="python3", extra_arguments=quiet)
    try:
        client.execute(cwd=str(lesson.file.parent))
    except CellExecutionError as error:
        raise LessonError(
            f"{lesson.file.name}: a cell raised {error.ename}: {error.evalue}\n{error.traceback}"
        ) from error
    except CellTimeoutError as error:
        raise LessonError(f"{lesson.file.name}: a cell took longer than {seconds} s") from error
    return found
