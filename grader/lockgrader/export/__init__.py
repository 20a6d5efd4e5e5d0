"""Results for others to read: one result model, and a file for each reader.

An exporter is a function from results to files: relative path → text. It reads results and nothing
else, so that any export can be made again from the folder of results, today or next year.

Whoever could not be graded, wholly or in one check, through the grader's own fault has no grade in
what course platforms import: an empty cell leaves the earlier grade alone. Numbers of checks that
students do not see are in these files: they are the instructor's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lockgrader.export import canvas, gradescope, junit, moodle, pages, table
from lockgrader.result import RESULT, Result, ResultError, load, write

__all__ = ["BATCH", "FORMATS", "Format", "export", "load_all"]


@dataclass(frozen=True)
class Format:
    """A reader.

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
    "html": Format("each student's feedback, and the summary", pages.files),
    "gradescope": Format("Gradescope's results.json, one a student", gradescope.files),
}

BATCH = ("csv", "canvas", "moodle", "junit", "html")
"""What every batch leaves in its folder of results."""


def load_all(folder: Path) -> list[Result]:
    """The results of a batch, by student.

    Raises:
        ResultError: there is none, or one can not be read.
    """
    if not folder.is_dir():
        raise ResultError(f"{folder} is no folder of results; name what --out named when grading")
    found = []
    for path in sorted(folder.glob(f"*/{RESULT}")):
        kept = load(path.parent)
        if kept is not None:
            found.append(kept)
    if not found:
        raise ResultError(
            f"{folder} holds no results; grade first: locklab grade LAB IN -o {folder}"
        )
    return found


def export(results: Sequence[Result], formats: Sequence[str], folder: Path) -> list[Path]:
    """Write results in some formats; the files, in order.

    Raises:
        ResultError: there is no such format, or a file can not be written.
    """
    made = []
    for name in formats:
        if name not in FORMATS:
            known = "".join(f"\n  {n}: {f.what}" for n, f in FORMATS.items())
            raise ResultError(f"no format '{name}'; there are{known}")
        for relative, text in FORMATS[name].files(results).items():
            path = folder / relative
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.exists() or path.read_text(encoding="utf-8") != text:
                    write(path, text)
            except OSError as error:
                raise ResultError(f"{path} can not be written: {error.strerror}") from error
            made.append(path)
    return made
