"""Compile a submission's text in a sandbox; return validated bytecode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from lockgrader.compile import bytecode
from lockgrader.compile import inside as compile_inside
from lockgrader.read.artefact import MalformedError, parse
from lockgrader.read.refused import Refused, stopped
from lockgrader.sandbox import Job, Limits, Profile, run
from lockgrader.sandbox.lean import LEAN, lean
from lockgrader.sandbox.run import interpreter
from locksim.compiler.ir import ClassCode

__all__ = ["MAX_SOURCE", "Classes", "compile_text"]

MAX_SOURCE = 64 << 10
MAX_MESSAGE = 4000
LIMITS = Limits(wall_s=20, cpu_s=10, memory_bytes=384 << 20, output_bytes=1 << 20, processes=4)


class Classes(NamedTuple):
    """The classes of a file: name → bytecode, and name → why it does not compile."""

    codes: dict[str, ClassCode]
    broken: dict[str, str]


def compile_text(
    text: str, file: str, profile: Profile = "namespaces", library: tuple[str, ...] = ()
) -> Classes:
    """The classes of a submitted text, compiled in a sandbox and validated outside.

    Arguments:
        text: what was submitted. file: its name. profile: the sandbox's.
        library: modules of the library that the submission may use.

    Raises:
        Refused: it is not a file of classes, or the output of the sandbox is not valid bytecode.
        SandboxError: there is no sandbox; nothing was run.
    """
    if len(text.encode("utf-8", errors="surrogatepass")) > MAX_SOURCE:
        raise Refused("ungradable", f"{file} is longer than {MAX_SOURCE >> 10} KiB")
    title = bytecode.shown(file, text)
    argv = (interpreter(profile), "-I", "-S", "/job/compile.py", LEAN)
    read = {"/job/compile.py": Path(compile_inside.__file__), **lean()}
    given = json.dumps({"text": text, "file": title}).encode()
    environment = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    outcome = run(Job(argv, read, given, environment, LIMITS), profile)
    if outcome.ended != "exited":
        raise stopped(f"compiling {file}", outcome.ended)
    if not outcome.stdout:
        raise Refused("no_output", f"compiling {file} gave no output{_last(outcome.stderr)}")
    try:
        answer = parse(outcome.stdout)
        match answer:
            case {"error": message, **rest} if not rest:
                raise Refused("student_error", str(message)[:MAX_MESSAGE])
            case {"bytecode": document, "broken": {**broken}, **rest} if not rest:
                codes = bytecode.accept(document, text, file)
            case _:
                raise MalformedError("neither bytecode nor a message")
    except MalformedError as error:
        raise Refused("malformed_output", f"{file} gave invalid bytecode: {error}") from error
    borrowed = bytecode.borrowed(document, title, library)
    if borrowed:
        raise Refused("forbidden_operation", f"{file} uses {borrowed}: write it yourself")
    wrong = {str(name): str(message)[:MAX_MESSAGE] for name, message in broken.items()}
    return Classes(codes, {name: wrong[name] for name in wrong if name not in codes})


def _last(stderr: bytes) -> str:
    """The last line of standard error, shortened."""
    text = stderr.decode("utf-8", errors="replace").strip().rpartition("\n")[2][:200]
    return f": {text}" if text else ""
