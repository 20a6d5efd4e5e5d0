r"""The kept inputs of a target: one text file, one input a line.

A line is a JSON string in which each character is one byte, so text is readable and
other bytes are written as ``\u00ff``. The tree holds no binary file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

__all__ = ["FOLDER", "read", "write"]

FOLDER = Path(__file__).resolve().parent / "corpus"
MAX_BYTES = 60_000
"""Of a target's file."""


def read(target: str) -> list[bytes]:
    """The kept inputs; none before the first run."""
    path = FOLDER / f"{target}.txt"
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return [json.loads(line).encode("latin-1") for line in lines]


def write(target: str, inputs: Iterable[bytes], *, findings: Iterable[bytes] = ()) -> int:
    """Keep inputs, short ones first, as many as the file may hold; findings always. How many."""
    lines = dict.fromkeys(map(_line, findings))
    size = sum(len(line) + 1 for line in lines)
    for line in sorted(map(_line, inputs), key=lambda line: (len(line), line)):
        if line not in lines and size + len(line) + 1 <= MAX_BYTES:
            lines[line] = None
            size += len(line) + 1
    FOLDER.mkdir(exist_ok=True)
    text = "".join(f"{line}\n" for line in sorted(lines, key=lambda line: (len(line), line)))
    (FOLDER / f"{target}.txt").write_text(text, encoding="ascii")
    return len(lines)


def _line(data: bytes) -> str:
    return json.dumps(data.decode("latin-1"))
