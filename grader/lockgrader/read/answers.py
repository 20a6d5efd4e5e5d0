"""A submission's answers: JSON, or the output of a notebook or Python file in a sandbox."""

from __future__ import annotations

from typing import Any, NamedTuple

from lockgrader.read.artefact import MalformedError, Odd, numbers, parse, whole
from lockgrader.read.python import PythonError, answers_of
from lockgrader.read.refused import Refused
from lockgrader.sandbox import Profile

__all__ = ["Answers", "read_answers"]

MAX_TEXT = 20_000


class Answers(NamedTuple):
    """A submission's answers: numbers and words by name, and why some are neither."""

    numbers: dict[str, list[float]]
    texts: dict[str, str]
    wrong: dict[str, str]


def read_answers(
    name: str, data: bytes, asked: tuple[str, ...], words: tuple[str, ...], profile: Profile
) -> Answers:
    """The numbers and the words of a submission's answers.

    Arguments:
        name: the file's: ``.json`` is data; ``.py`` and ``.ipynb`` are run in a sandbox.
        asked: names of numeric answers. words: names of written answers.

    Raises:
        Refused: it is not in the required form. SandboxError: there is no sandbox.
    """
    if name.endswith(".ipynb"):
        data = _cells(name, data)
    try:
        document = (
            parse(data, each=True) if name.endswith(".json") else answers_of(name, data, profile)
        )
        if not isinstance(document, dict):
            raise MalformedError("the answers must be a JSON object: define answers = {...}")
    except MalformedError as error:
        raise Refused("malformed_output", f"{name}: {error}") from error
    except PythonError as error:
        raise Refused("student_error", str(error)) from error
    texts, wrong = {}, {}
    for key in [w for w in words if w in document]:
        text = document.pop(key)
        if isinstance(text, Odd):
            wrong[key] = f"{key}: {text}"
        elif isinstance(text, str) and len(text) <= MAX_TEXT:
            texts[key] = whole(text)
        else:
            wrong[key] = f"{key}: must be text of at most {MAX_TEXT} characters"
    found = numbers(document, asked)
    return Answers(found.found, texts, found.wrong | wrong)


def _cells(name: str, data: bytes) -> bytes:
    """The code of a notebook, cell by cell; outputs are ignored."""
    try:
        notebook: Any = parse(data, max_bytes=16 << 20)
        lines = []
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                source = cell["source"]
                lines.append(source if isinstance(source, str) else "".join(source))
        return "\n".join(lines).encode()
    except (MalformedError, KeyError, TypeError, ValueError) as error:
        raise Refused("ungradable", f"{name} is not a notebook: {error}") from error
