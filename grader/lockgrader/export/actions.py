"""GitHub Actions: a job's summary in Markdown, and annotations with file and line.

An annotation is a line of the job's log, ``::error file=F,line=N,title=T::TEXT``. In the text
percent signs and line ends are encoded, in the properties colons and commas too, so nothing of a
student's becomes a command of its own.

The formats: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
(read in November 2026). GitHub shows ten annotations of a kind for each step.
"""

from __future__ import annotations

from lockgrader.export.neutral import Feedback, Shown, line, markdown, notes_in

__all__ = ["comments", "summary"]

LEVELS = {"pass": "", "skipped": "", "partial": "warning", "grader_error": "warning"}
"""Verdict → the kind of its annotation, "" for none; every other verdict is an error."""


def comments(feedback: Feedback, folder: str = "") -> list[str]:
    """The lines to print.

    Arguments:
        folder: of the submission's files in the repository, with a slash at its end.
    """
    found = []
    for one in feedback.shown:
        level = LEVELS.get(one.check.verdict, "error")
        if level and not one.check.answer:
            properties = [f"title={_property(one.check.title)}"]
            if one.place is not None:
                file, number = one.place
                properties = [f"file={_property(folder + file)}", f"line={number}", *properties]
            found.append(f"::{level} {','.join(properties)}::{_data(_short(one))}")
    return found


def summary(feedback: Feedback, title: str) -> str:
    """The Markdown page of a job.

    Arguments:
        title: of the lab.
    """
    result = feedback.result
    parts = [f"## {line(title)}: {result.points:g} of {result.graded_points:g} points"]
    parts += [line(note) for note in notes_in(feedback)]
    rows = ["| check | | points |", "|---|---|---:|"]
    rows += [_row(one) for one in feedback.shown]
    parts.append("\n".join(rows))
    for one in feedback.shown:
        if one.check.verdict not in ("pass", "skipped"):
            parts.append(f"### {line(one.check.title)}\n\n{markdown(one)}")
    return "\n\n".join(parts) + "\n"


def _short(one: Shown) -> str:
    """What fits beside a line of code; the page has the rest."""
    parts = [f"{one.words}: {one.reason}" if one.reason else one.words, one.check.hint]
    return "\n".join(filter(None, parts))


def _row(one: Shown) -> str:
    check = one.check
    return f"| {line(check.title)} | {one.words} | {check.points:g} of {check.max_points:g} |"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
