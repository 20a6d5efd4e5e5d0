"""Runs in the sandbox: executes a student's file, and perhaps calls a function of it.

Standard input is JSON: the file's text and name, the module's name, the function's name ("" for the
file's ``answers``) and its arguments. Standard output is ``{"returned": …}`` or ``{"error", "says",
"line"}`` and nothing else; what the file prints goes to standard error. The file controls this
process once it runs, so the output is untrusted input.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
import traceback
from types import ModuleType
from typing import Any


def main() -> None:
    """Execute the file and write what is asked for."""
    sys.path.insert(0, sys.argv[1])
    answer = os.dup(1)
    os.dup2(2, 1)
    asked, process = json.load(sys.stdin), os.getpid()
    file = asked["file"]
    try:
        names = executed(asked["module"], file, asked["text"])
        returned = names.get("answers")
        if asked["function"]:
            function = names.get(asked["function"])
            if not callable(function):
                raise NameError(f"there is no function {asked['function']}()")
            returned = function(**asked["arguments"])
        made = json.dumps({"returned": returned}, default=_plain)
    except Exception as error:
        places = [p.lineno for p in traceback.extract_tb(error.__traceback__) if p.filename == file]
        line = getattr(error, "lineno", None) or (places[-1] if places else None)
        says = {"error": type(error).__name__, "says": str(error)[:300], "line": line}
        made = json.dumps(says, default=_plain)
    data = made.encode()
    while data and os.getpid() == process:  # a copy of this process has nothing to say
        data = data[os.write(answer, data) :]


def executed(name: str, file: str, text: str) -> dict[str, Any]:
    """The names of a file that was executed as Python does it: as a module that others can find.

    Dataclasses, enums, type hints and pickle look their module up by its name, and ``inspect`` its
    lines.

    Arguments:
        name: of the module. file: its name. text: its source.
    """
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


def _plain(value: object) -> object:
    """Numpy's scalars and arrays as numbers and lists; anything else by the name of its type."""
    return value.tolist() if hasattr(value, "tolist") else type(value).__name__


if __name__ == "__main__":
    main()
