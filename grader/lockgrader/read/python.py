"""Execute a student's Python in a sandbox: its ``answers``, or what a function of it returns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lockgrader.read import python_inside
from lockgrader.read.artefact import MalformedError, parse
from lockgrader.read.refused import Refused, stopped
from lockgrader.sandbox import Job, Limits, Profile, run
from lockgrader.sandbox.lean import LEAN, NUMPY, lean
from lockgrader.sandbox.run import interpreter

__all__ = ["PythonError", "answers_of", "call"]

LIMITS = Limits(wall_s=600, cpu_s=30, memory_bytes=512 << 20, output_bytes=1 << 20, processes=16)
_CALL = replace(LIMITS, wall_s=200, cpu_s=10)
_INSIDE = "/job/python.py"


class PythonError(Exception):
    """The file or its function ended with an exception.

    Arguments:
        kind: the exception's class. message: what to show, with the line.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def call(
    file: str, data: bytes, function: str, arguments: Mapping[str, Any], profile: Profile
) -> Any:
    """What a function of a submission returns, as JSON has it: untrusted.

    Arguments:
        file: its name, for messages. data: its text. function: of the file.
        arguments: by name; JSON-ready. profile: of the sandbox.

    Raises:
        PythonError: an exception of the file. Refused: it was stopped, or returns nothing that JSON
            can hold. SandboxError: there is no sandbox.
    """
    asked = {"module": "submission", "function": function, "arguments": dict(arguments)}
    try:
        answered = parse(_executed(file, data, asked, _CALL, profile))
    except MalformedError as error:
        raise Refused("malformed_output", f"{file}: {function}() returns {error}") from error
    return _returned(answered, file, f"{function}() returned")


def answers_of(file: str, data: bytes, profile: Profile) -> Any:
    """The ``answers`` of a file, as JSON has them: untrusted, and a value may be an ``Odd``.

    Arguments and errors: as for :func:`call`.
    """
    asked = {"module": "__main__", "function": "", "arguments": {}}
    try:
        answered = parse(_executed(file, data, asked, LIMITS, profile), each=True)
    except MalformedError as error:
        raise Refused("malformed_output", f"{file}: answers is {error}") from error
    return _returned(answered, file, "writing answers")


def _executed(
    file: str, data: bytes, asked: dict[str, Any], limits: Limits, profile: Profile
) -> bytes:
    """What a process with the file has written."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("ungradable", f"{file} is not valid UTF-8") from error
    job = Job(
        argv=(interpreter(profile), "-I", "-S", _INSIDE, LEAN),
        read={_INSIDE: Path(python_inside.__file__), **lean(NUMPY)},
        stdin=json.dumps({"file": file, "text": text, **asked}).encode(),
        environment={"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        limits=limits,
    )
    outcome = run(job, profile)
    if outcome.ended != "exited":
        raise stopped(f"running {file}", outcome.ended)
    said = outcome.stderr.decode("utf-8", errors="replace").strip().rpartition("\n")[2][:300]
    if not outcome.stdout and outcome.code != 0:
        raise Refused("student_error", f"{file} fails: {said or f'exit code {outcome.code}'}")
    return outcome.stdout or b"{}"


def _returned(answered: Any, file: str, what: str) -> Any:
    """What was asked for, of a document from inside."""
    if not isinstance(answered, dict) or not answered.keys() & {"returned", "error"}:
        raise Refused("no_output", f"{file} ended before {what}")
    if "error" in answered:
        kind, says = str(answered["error"])[:100], str(answered.get("says", ""))[:300]
        line = answered.get("line")
        where = f"{file}, line {line}" if isinstance(line, int) else file
        raise PythonError(kind, f"{where}: {kind}: {says}")
    return answered["returned"]
