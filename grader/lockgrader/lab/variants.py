"""Each student's own machine, workload and constants: drawn from HMAC(course key, lab, student).

The key never leaves the trusted side. With the key a variant can be drawn again at any time, so
nothing is stored. Without it a student's variant cannot be computed from the name.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Sequence
from pathlib import Path

from lockgrader.lab import Choice, Lab, LabError

__all__ = ["course_key", "values_of", "variant"]

ENVIRONMENT = "LOCKLAB_COURSE_KEY"
PUBLIC_KEY = b"no course: everybody who has this software can draw these variants"


def course_key(file: Path | None) -> bytes:
    """The course's key: from a file, else from the environment, else the public one.

    Raises:
        LabError: the file cannot be read, or holds less than 16 bytes.
    """
    if file is None:
        text = os.environ.get(ENVIRONMENT, "").strip()
        key = text.encode() if text else PUBLIC_KEY
    else:
        try:
            key = file.read_bytes().strip()
        except OSError as error:
            raise LabError(f"--key {file} cannot be read: {error.strerror}") from error
    if len(key) < 16:
        raise LabError(
            "the course key must have at least 16 bytes, or it can be guessed\n"
            "help: head -c 32 /dev/urandom | base64 > course.key"
        )
    return key


def variant(lab: Lab, student: str, key: bytes) -> dict[str, str | int]:
    """A student's values, by name; always the same for one key.

    Raises:
        LabError: a variant has no values.
    """
    return {name: _drawn(lab.name, student, name, c, key) for name, c in lab.variant.items()}


def values_of(choice: Choice) -> Sequence[str | int]:
    """All values that can be drawn, in order."""
    return choice.choice or range(choice.low, choice.high + 1, choice.step)


def _drawn(lab: str, student: str, name: str, choice: Choice, key: bytes) -> str | int:
    values = values_of(choice)
    if not values:
        raise LabError(f"{lab}: variant {name} has no values: give choice, or low and high")
    # The lengths keep ("a", "bc") and ("ab", "c") apart.
    parts = [part.encode() for part in (lab, student, name)]
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    digest = hmac.new(key, message, hashlib.sha256).digest()
    # 256 bits modulo a small number: the bias is negligible.
    return values[int.from_bytes(digest, "big") % len(values)]
