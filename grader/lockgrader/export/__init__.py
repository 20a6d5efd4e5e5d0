"""Export results: one result model, and a file format for each reader.

An exporter is a function from results to files: relative path → text. It reads results only, so
every export can be repeated from the folder of results at any time.

Where the grader failed in a check, the student gets no grade in the files for course platforms: an
empty cell keeps the earlier grade. The files hold the numbers of hidden checks; they are for the
instructor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lockgrader.export import canvas, gradescope, items, junit, moodle, pages, table
from lockgrader.files import ResultError, folder_of, plain, replace, reported
from lockgrader.report.items import Gain
from lockgrader.result import RESULT, Result, load

__all__ = ["BATCH", "FORMATS", "Format", "export", "kept", "load_all"]


@dataclass(frozen=True)
class Format:
    """A file format for one reader.

    Arguments:
        what: it is for. files: results → relative path → text.
    """

    what: str
    files: Callable[[Sequence[Result]], dict[str, str]]


FORMATS = {
    "csv": Format("one row a student, one column a check", table.files),
    "canvas": Format("Canvas: Grades, Import", canvas.files),
    "moodle": Format("Moodle: Gradebook, Import, CSV", moodle.files),
    "junit": Format("JUnit XML: a suite a student, for CI servers", junit.files),
    "items": Format("a quiz: difficulty, discrimination and gain of each question", items.files),
    "html": Format("each student's feedback, and the summary", pages.files),
    "named": Format("the summary with names on its leader boards", pages.named),
    "gradescope": Format("Gradescope's results.json, one a student", gradescope.files),
}

BATCH = ("csv", "canvas", "moodle", "junit", "html")
"""The formats that every batch writes into its folder of results."""


def load_all(folder: Path) -> list[Result]:
    """The results of a batch, by student.

    Raises:
        ResultError: there is none, one cannot be read, or the folder holds a link or a pipe.
    """
    if not folder.is_dir():
        raise ResultError(f"{folder} is not a folder of results; name the folder of --out")
    found = kept(folder)
    if not found:
        raise ResultError(
            f"{folder} contains no results; grade first: locklab grade LAB IN -o {folder}"
        )
    return found


def kept(folder: Path) -> list[Result]:
    """As :func:`load_all`; empty for a folder without results."""
    plain(folder)
    found = (load(path.parent) for path in sorted(folder.glob(f"*/{RESULT}")))
    return [result for result in found if result is not None]


def export(
    results: Sequence[Result],
    formats: Sequence[str],
    folder: Path,
    gained: Sequence[Gain] = (),
) -> list[Path]:
    """Write results in some formats; return the files, in order.

    Arguments:
        gained: since an earlier quiz, for ``items``.

    Raises:
        ResultError: there is no such format, or a file cannot be written.
    """
    made = []
    for name in formats:
        if name not in FORMATS:
            known = "".join(f"\n  {n}: {f.what}" for n, f in FORMATS.items())
            raise ResultError(f"unknown format '{name}'; the formats are{known}")
        more = name == "items" and gained
        files = items.files(results, gained) if more else FORMATS[name].files(results)
        for relative, text in files.items():
            path = folder / relative
            with reported(path, "written"):
                folder_of(path, folder)
                replace(path, text)
            made.append(path)
    return made
