"""Runs in the sandbox: executes a Python file and writes its ``answers`` as JSON.

Standard input is the file's text; standard output is the answers and nothing else. What the file
prints goes to standard error. The student's file controls this process once it runs. It may
write anything, so the output is treated as untrusted input.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    """Execute the Python file on standard input."""
    sys.path.insert(0, sys.argv[1])
    answer = os.dup(1)
    os.dup2(2, 1)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(sys.stdin.read(), "answers.py", "exec"), names)
    data = json.dumps(names.get("answers"), default=_plain).encode()
    while data:
        data = data[os.write(answer, data) :]


def _plain(value: object) -> object:
    """Numpy's scalars and arrays as numbers and lists; anything else by the name of its type."""
    return value.tolist() if hasattr(value, "tolist") else type(value).__name__


if __name__ == "__main__":
    main()
