"""A submission's answers: JSON, or the output of a notebook or Python file in a sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from lockgrader.read import answers_inside
from lockgrader.read.artefact import MalformedError, Odd, numbers, parse, whole
from lockgrader.read.refused import Refused, stopped
from lockgrader.sandbox import Job, Limits, Profile, run
from lockgrader.sandbox.lean import NUMPY, lean
from lockgrader.sandbox.run import interpreter

__all__ = ["Answers", "read_answers"]

LIMITS = Limits(wall_s=600, cpu_s=30, memory_bytes=512 << 20, output_bytes=1 << 20, processes=16)
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
    if not name.endswith(".json"):
        data = _executed(name, data, profile)
    try:
        document = parse(data, each=True)
        if not isinstance(document, dict):
            raise MalformedError("the answers must be a JSON object: define answers = {...}")
    except MalformedError as error:
        raise Refused("malformed_output", f"{name}: {error}") from error
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


def _executed(name: str, source: bytes, profile: Profile) -> bytes:
    argv = (interpreter(profile), "-I", "-S", "/job/answers.py", "/lean")
    packages = lean(NUMPY)
    read = {"/job/answers.py": Path(answers_inside.__file__), **packages}
    environment = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    outcome = run(Job(argv, read, source, environment, LIMITS), profile)
    if outcome.ended != "exited":
        raise stopped(f"running {name}", outcome.ended)
    said = outcome.stderr.decode("utf-8", errors="replace").strip().rpartition("\n")[2][:300]
    if not outcome.stdout and outcome.code != 0:
        raise Refused("student_error", f"{name} fails: {said or f'exit code {outcome.code}'}")
    if not outcome.stdout:
        raise Refused("no_output", f"{name} ended without writing answers")
    return outcome.stdout


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
