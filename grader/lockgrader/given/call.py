"""Call a function of a student's file in a sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lockgrader.given import call_inside
from lockgrader.read.artefact import MalformedError, parse
from lockgrader.read.refused import Refused, stopped
from lockgrader.sandbox import Job, Limits, Profile, run
from lockgrader.sandbox.lean import LEAN, NUMPY, lean
from lockgrader.sandbox.run import interpreter

__all__ = ["CallError", "call"]

LIMITS = Limits(wall_s=60, cpu_s=10, memory_bytes=512 << 20, output_bytes=1 << 20, processes=16)
_INSIDE = "/job/call.py"


class CallError(Exception):
    """The function ended with an exception.

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
        CallError: an exception of the file. Refused: it was stopped, or returns nothing that JSON
            can hold. SandboxError: there is no sandbox.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("ungradable", f"{file} is not valid UTF-8") from error
    asked = {"file": file, "text": text, "function": function, "arguments": dict(arguments)}
    job = Job(
        argv=(interpreter(profile), "-I", "-S", _INSIDE, LEAN),
        read={_INSIDE: Path(call_inside.__file__), **lean(NUMPY)},
        stdin=json.dumps(asked).encode(),
        environment={"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        limits=LIMITS,
    )
    outcome = run(job, profile)
    if outcome.ended != "exited":
        raise stopped(f"{file}: {function}()", outcome.ended)
    try:
        answered = parse(outcome.stdout)
    except MalformedError as error:
        raise Refused("malformed_output", f"{file}: {function}() returns {error}") from error
    if not isinstance(answered, dict) or not answered.keys() & {"returned", "error"}:
        raise Refused("no_output", f"{file} ended before {function}() returned")
    if "error" in answered:
        kind, says = str(answered["error"])[:100], str(answered.get("says", ""))[:300]
        line = answered.get("line")
        where = f"{file}, line {line}" if isinstance(line, int) else file
        raise CallError(kind, f"{where}: {kind}: {says}")
    return answered["returned"]
