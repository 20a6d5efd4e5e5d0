"""Runs in the sandbox: a submission's text becomes bytecode, or the compiler's message.

Standard input is a JSON object with ``file`` and ``text``; standard output is one with ``bytecode``
or ``error``. The text is parsed and never executed. A parser can have bugs too, so it runs in the
sandbox, and its output is treated as untrusted input.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Compile the text on standard input."""
    sys.path.insert(0, sys.argv[1])
    from locksim.compiler import compile_source
    from locksim.compiler.diagnostics import CompileError
    from locksim.compiler.portable import codes_to_json

    given = json.load(sys.stdin)
    try:
        document = codes_to_json(compile_source(given["text"], given["file"]))
    except CompileError as error:
        json.dump({"error": str(error)}, sys.stdout)
        return
    for made in document["classes"].values():
        made["source"] = ""  # the caller has it already
    json.dump({"bytecode": document}, sys.stdout)


if __name__ == "__main__":
    main()
