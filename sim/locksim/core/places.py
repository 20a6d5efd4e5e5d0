"""Places of running generators in their source: file, line, class and method."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, GeneratorType
from typing import Any, NamedTuple

_PACKAGE = Path(__file__).parent.parent
_INTERPRETER = str(_PACKAGE / "compiler" / "generators.py")
_OURS = tuple(str(_PACKAGE / name) for name in ("lang", "engine", "core"))
"""Folders and files whose frames belong to LockLab, not to the program."""


class Place(NamedTuple):
    """A place in a program: source file, line from 1, ``Class.method``."""

    file: str
    line: int
    method: str


def place_of(program: Any) -> Place:
    """The place of a suspended generator, in the innermost program that it called."""
    frames = [frame for _, frame in frames_of(program)]
    return _place(frames[-1], frames[-1].f_lineno) if frames else Place("?", 0, "?")


def frames_of(program: Any) -> Iterator[tuple[Any, FrameType]]:
    """The programs that a suspended generator called, outermost first, with their frames."""
    while isinstance(program, GeneratorType):
        if program.gi_frame is not None and _is_program(program.gi_frame):
            yield program, program.gi_frame
        program = program.gi_yieldfrom


def method_of(frame: FrameType) -> str:
    """``Class.method`` of a program's frame."""
    return _place(frame, frame.f_lineno).method


def place_of_error(error: Exception) -> Place:
    """The place where a program raised an exception: its own innermost frame."""
    frames = list(traceback.walk_tb(error.__traceback__))
    theirs = [f for f in frames if _is_program(f[0])]
    return _place(*(theirs or frames)[-1])


def _is_program(frame: FrameType) -> bool:
    """Whether a frame runs a program: its Python code, or its bytecode."""
    file = frame.f_code.co_filename
    if file == _INTERPRETER:
        return "interpreted" in frame.f_locals
    return not file.startswith(_OURS)


def _place(frame: FrameType, line: int) -> Place:
    code = frame.f_code
    if code.co_filename == _INTERPRETER:
        at = frame.f_locals["interpreted"]
        return Place(at.file, at.line, at.method)
    method = code.co_qualname.rpartition("<locals>.")[2]
    if "self" in frame.f_locals:
        method = f"{type(frame.f_locals['self']).__name__}.{code.co_name}"
    return Place(code.co_filename, line, method)
