"""Problems in programs as SARIF 2.1.0, which editors and code-scanning pages read.

The format is OASIS's Static Analysis Results Interchange Format, version 2.1.0 with errata 01.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

__all__ = ["Place", "Problem", "document", "problem_of", "write"]

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FOLDER = "FOLDER"
"""The name of the folder that relative paths start from."""
_MESSAGE = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<says>.+)")


@dataclass(frozen=True)
class Place:
    """A place in a file.

    Arguments:
        file: absolute, or from the folder of the document; "" where there is none to show.
        line, column: from 1; column 0 for the whole line.
        says: what happens there, or "". thread: whose step it is.
    """

    file: str
    line: int
    column: int = 0
    says: str = ""
    thread: int = 0


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Arguments:
        rule: a word for its kind, such as "exclusion". message: in words.
        place: where to show it, or None. steps: what led there, in order, over all threads.
    """

    rule: str
    message: str
    level: Literal["error", "warning", "note"] = "error"
    place: Place | None = None
    steps: tuple[Place, ...] = ()


def problem_of(rule: str, message: str, level: Literal["error", "warning"] = "error") -> Problem:
    """A problem of a message, at the place that the message starts with, if it does.

    Arguments:
        message: perhaps ``FILE:LINE:COLUMN: what is wrong`` and further lines.
    """
    found = _MESSAGE.match(message)
    if found is None:
        return Problem(rule, message, level)
    where = Place(found["file"], int(found["line"]), int(found["column"]))
    return Problem(rule, message[found.start("says") :], level, where)


def write(file: Path, problems: Sequence[Problem], folder: Path | None = None) -> None:
    """Write a document.

    Raises:
        OSError: the file cannot be written.
    """
    made = json.dumps(document(problems, folder or Path.cwd()), indent=2)
    file.write_text(made + "\n", encoding="utf-8")


def document(problems: Sequence[Problem], folder: Path) -> dict[str, Any]:
    """Return problems as a SARIF log of one run.

    Arguments:
        folder: that relative paths start from.
    """
    rules = sorted({problem.rule for problem in problems})
    driver = {
        "name": "LockLab",
        "version": version("locklab"),
        "rules": [{"id": rule} for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {FOLDER: {"uri": folder.resolve().as_uri() + "/"}},
        "results": [_result(problem, rules) for problem in problems],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(problem: Problem, rules: Sequence[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": problem.rule,
        "ruleIndex": rules.index(problem.rule),
        "level": problem.level,
        "message": {"text": problem.message},
    }
    if problem.place is not None:
        result["locations"] = [_location(problem.place)]
    if problem.steps:
        threads = sorted({step.thread for step in problem.steps})
        result["codeFlows"] = [{"threadFlows": [_thread(t, problem.steps) for t in threads]}]
    return result


def _thread(thread: int, steps: Sequence[Place]) -> dict[str, Any]:
    """The steps of one thread; their order among those of all threads is ``executionOrder``."""
    own = [(order, step) for order, step in enumerate(steps, start=1) if step.thread == thread]
    return {
        "id": f"thread {thread}",
        "locations": [{"executionOrder": n, "location": _location(step)} for n, step in own],
    }


def _location(place: Place) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if place.says:
        location["message"] = {"text": place.says}
    if place.file:
        path = Path(place.file)
        relative = {"uri": quote(path.as_posix()), "uriBaseId": FOLDER}
        artifact = {"uri": path.as_uri()} if path.is_absolute() else relative
        region = {"startLine": place.line}
        if place.column:
            region["startColumn"] = place.column
        location["physicalLocation"] = {"artifactLocation": artifact, "region": region}
    return location
