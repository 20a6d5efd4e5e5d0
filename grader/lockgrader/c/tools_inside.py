"""Runs in the sandbox: compilers and linkers on a submission; their output is not executed.

Standard input is a JSON object: ``files`` (name → text), ``commands`` (argument lists, run one
after the other in /tmp) and ``keep`` (names of files that are wanted). Standard output is one with
``files`` (name → base64 in pieces) and ``said`` (what each command printed), or with ``error``.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

PIECE = 60_000
MOST_SAID = 1 << 20


def main() -> None:
    """Run the commands of standard input."""
    given = json.load(sys.stdin)
    folder = Path("/tmp")
    for name, text in given["files"].items():
        (folder / name).write_text(text, encoding="utf-8")
    said = []
    for command in given["commands"]:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        text = done.stdout[:MOST_SAID].decode("utf-8", errors="replace")
        if done.returncode != 0:
            json.dump({"error": text[:4000] or f"status {done.returncode}"}, sys.stdout)
            return
        said.append([text[i : i + PIECE] for i in range(0, len(text), PIECE)])
    kept = {name: _pieces((folder / name).read_bytes()) for name in given["keep"]}
    json.dump({"files": kept, "said": said}, sys.stdout)


def _pieces(data: bytes) -> list[str]:
    text = base64.b64encode(data).decode()
    return [text[i : i + PIECE] for i in range(0, len(text), PIECE)]


if __name__ == "__main__":
    main()
