"""Runs in the sandbox: calls a function of a student's file and writes what it returns as JSON.

Standard input is JSON with the file's text and name, the function's name and its arguments.
Standard output is ``{"returned": …}`` or ``{"error", "says", "line"}`` and nothing else. The
student's file controls this process once it runs, so the output is untrusted input.
"""

from __future__ import annotations

import json
import os
import sys
import traceback


def main() -> None:
    """Call the function."""
    sys.path.insert(0, sys.argv[1])
    answer = os.dup(1)
    os.dup2(2, 1)
    asked = json.load(sys.stdin)
    file = asked["file"]
    names: dict[str, object] = {"__name__": "submission"}
    try:
        exec(compile(asked["text"], file, "exec"), names)
        function = names.get(asked["function"])
        if not callable(function):
            raise NameError(f"there is no function {asked['function']}()")
        made = {"returned": function(**asked["arguments"])}
    except Exception as error:
        places = [p.lineno for p in traceback.extract_tb(error.__traceback__) if p.filename == file]
        line = getattr(error, "lineno", None) or (places[-1] if places else None)
        made = {"error": type(error).__name__, "says": str(error)[:300], "line": line}
    data = json.dumps(made, default=_plain).encode()
    while data:
        data = data[os.write(answer, data) :]


def _plain(value: object) -> object:
    """Numpy's scalars and arrays as numbers and lists; anything else by the name of its type."""
    return value.tolist() if hasattr(value, "tolist") else type(value).__name__


if __name__ == "__main__":
    main()
