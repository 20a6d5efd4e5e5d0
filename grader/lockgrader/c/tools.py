"""Run compilers and linkers in a sandbox: arguments in, files and messages out."""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lockgrader.c import tools_inside
from lockgrader.read.artefact import MalformedError, parse
from lockgrader.read.refused import Refused, stopped
from lockgrader.sandbox import Job, Limits, Profile, SandboxError, run
from lockgrader.sandbox.run import interpreter
from locknative.compilation import toolchain
from locknative.errors import NativeError

__all__ = ["Made", "ToolError", "compiler", "make", "tool", "without_folders"]

LIMITS = Limits(
    wall_s=120,
    cpu_s=30,
    memory_bytes=768 << 20,
    address_space_bytes=None,
    tmp_bytes=64 << 20,
    output_bytes=24 << 20,
    processes=16,
)


class ToolError(Exception):
    """A compiler or linker refuses what it was given; the message is its own."""

    exit_code = 2


@dataclass(frozen=True)
class Made:
    """The output of tools.

    Arguments:
        files: name → content. said: what each command printed.
    """

    files: dict[str, bytes]
    said: list[str]


def compiler() -> str:
    """The C compiler's path, the same inside and outside.

    Raises:
        SandboxError: there is no compiler that a sandbox can see.
    """
    try:
        return _inside(toolchain.compiler())
    except NativeError as error:
        raise SandboxError(f"C submissions need a compiler: {error}") from error


def tool(name: str) -> str:
    """The path of a tool of the binutils, the same inside and outside."""
    path = shutil.which(name)
    if path is None:
        raise SandboxError(f"C submissions need '{name}': install the binutils")
    return _inside(path)


def make(
    what: str,
    files: Mapping[str, str],
    commands: Sequence[Sequence[str]],
    keep: Sequence[str],
    read: Mapping[str, Path],
    profile: Profile,
) -> Made:
    """Run tools on files; their output is not executed.

    Arguments:
        what: for messages. files: name → text, written to the folder in which commands run.
        commands: one after the other; the first that fails ends it.
        keep: files that are wanted. read: path inside → file or folder, as in a Job.

    Raises:
        ToolError: a tool refuses. Refused: it exceeded a limit or gave invalid output; or the
            profile starts no processes, which costs the student nothing.
        SandboxError: there is no sandbox.
    """
    if profile != "namespaces":
        raise Refused(
            "grader_error",
            "C is compiled in a sandbox of the profile 'namespaces' only: a compiler starts "
            "processes, which 'platform' forbids; grade where bubblewrap may make namespaces",
        )
    given = {"files": dict(files), "commands": [list(c) for c in commands], "keep": list(keep)}
    argv = (interpreter(profile), "-I", "-S", "/job/tools.py")
    inside = {"/job/tools.py": Path(tools_inside.__file__), **read}
    environment = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    outcome = run(Job(argv, inside, json.dumps(given).encode(), environment, LIMITS), profile)
    if outcome.ended != "exited":
        raise stopped(f"compiling {what}", outcome.ended)
    if not outcome.stdout:
        said = outcome.stderr.decode("utf-8", errors="replace").strip()[-300:]
        raise Refused("no_output", f"compiling {what} gave no output: {said}")
    try:
        return _read(parse(outcome.stdout, max_bytes=LIMITS.output_bytes), keep, len(commands))
    except MalformedError as error:
        raise Refused("malformed_output", f"the compiler's output for {what}: {error}") from error


def _read(document: object, keep: Sequence[str], commands: int) -> Made:
    if not isinstance(document, dict):
        raise MalformedError("not a JSON object")
    if "error" in document:
        raise ToolError(without_folders(str(document["error"])[:4000]))
    files, said = document.get("files"), document.get("said")
    if not isinstance(files, dict) or set(files) != set(keep) or not isinstance(said, list):
        raise MalformedError("the output contains other files than requested")
    if len(said) != commands:
        raise MalformedError("the output of a command is missing")
    try:
        found = {name: base64.b64decode("".join(files[name]), validate=True) for name in files}
        return Made(found, ["".join(pieces) for pieces in said])
    except (TypeError, ValueError, binascii.Error) as error:
        raise MalformedError("a file is not valid base64") from error


def without_folders(text: str) -> str:
    """A tool's words with the names of files only: folders are those of a sandbox."""
    return re.sub(r"(?<![\w.])/(?:[\w.+-]+/)+", "", text)


def _inside(path: str) -> str:
    real = os.path.realpath(path)
    if not Path(real).is_relative_to("/usr"):
        raise SandboxError(
            f"{real} is outside /usr, so a sandbox cannot see it: install the distribution's"
        )
    return real
