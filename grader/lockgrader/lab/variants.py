"""Each student's own machine, workload and constants: drawn from HMAC(course key, lab, student).

The key never leaves the trusted side. With the key a variant can be drawn again at any time, so
nothing is stored. Without it a student's variant cannot be computed from the name.

Secret values (``[secret.NAME]`` in ``hidden/checks.toml``) are drawn from the key and the variant.
Only the grader has them: they are in no bundle, no result and no page.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from lockgrader.lab import Choice, Lab, LabError

__all__ = ["course_key", "secrets", "values_of", "variant", "whole"]

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
    return {name: _drawn(lab, name, c, key, student) for name, c in lab.variant.items()}


def secrets(lab: Lab, values: Mapping[str, str | int], key: bytes) -> dict[str, str | int]:
    """The values that only the grader knows, by name: drawn from the key and the variant.

    Arguments:
        lab: the lab. values: the student's variant; what it has of secret values stays.
        key: the course's.

    Raises:
        LabError: a secret has no values.
    """
    own = json.dumps({name: values.get(name) for name in lab.variant}, sort_keys=True)
    return {
        name: values[name] if name in values else _drawn(lab, name, choice, key, own)
        for name, choice in lab.secret.items()
    }


def whole(lab: Lab, student: str, key: bytes) -> dict[str, str | int]:
    """A student's variant and the secret values.

    Raises:
        LabError: a variant or a secret has no values.
    """
    values = variant(lab, student, key)
    return values | secrets(lab, values, key)


def values_of(choice: Choice) -> Sequence[str | int]:
    """All values that can be drawn, in order."""
    return choice.values()


def _drawn(lab: Lab, name: str, choice: Choice, key: bytes, whose: str) -> str | int:
    try:
        return choice.drawn(key, lab.name, whose, name)
    except LookupError as error:
        raise LabError(f"{lab.name}: variant {name}: {error}") from error
