"""Choose which inputs to keep: the shortest that together reach all code that any of them reaches.

Code is counted in steps from one line to the next, inside the grader and the compiler's reader of
documents. Engines are left out, because tracing makes them very slow.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

from targets import Target

__all__ = ["covering_inputs"]

TRACED = ("/lockgrader/", "/locksim/compiler/portable.py", "/zipfile.py")
Step = tuple[str, int, int]


def covering_inputs(target: Target, inputs: Iterable[bytes]) -> list[bytes]:
    """Go through inputs from short to long, and keep each that takes a new step."""
    seen: set[Step] = set()
    kept = []
    for data in sorted(inputs, key=lambda one: (len(one), one)):
        steps = _steps(target, data)
        if not steps <= seen:
            seen |= steps
            kept.append(data)
    return kept


def _steps(target: Target, data: bytes) -> set[Step]:
    """The steps that reading an input takes; a finding takes those up to where it fails."""
    steps: set[Step] = set()

    def lines(file: str) -> Any:
        last = 0

        def line(frame: FrameType, event: str, _: object) -> Any:
            nonlocal last
            steps.add((file, last, frame.f_lineno))
            last = frame.f_lineno
            return line

        return line

    def call(frame: FrameType, event: str, _: object) -> Any:
        file = frame.f_code.co_filename
        return lines(file) if any(part in file for part in TRACED) else None

    sys.settrace(call)
    try:
        target.read(data)
    except Exception:
        pass
    finally:
        sys.settrace(None)
    return steps
