"""Runs in the sandbox: a submission's text becomes bytecode, or the compiler's message.

Standard input is a JSON object with ``file`` and ``text``. Standard output is one with ``bytecode``
of the classes that compile and ``broken``, the messages of those that do not; or with ``error``,
where the file as a whole is outside the language. The text is parsed and never executed. A parser
can have bugs too, so it runs in the sandbox, and its output is treated as untrusted input.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Compile the text on standard input."""
    sys.path.insert(0, sys.argv[1])
    from locksim.compiler import compile_class
    from locksim.compiler.declare import declare
    from locksim.compiler.diagnostics import CompileError
    from locksim.compiler.portable import codes_to_json

    given = json.load(sys.stdin)
    try:
        classes = declare(given["text"], given["file"])
    except CompileError as error:
        json.dump({"error": str(error)}, sys.stdout)
        return
    codes, broken = {}, {}
    for name, cls in classes.items():
        try:
            codes[name] = compile_class(cls)
        except CompileError as error:
            broken[name] = str(error)
    document = codes_to_json(codes)
    for made in document["classes"].values():
        made["source"] = ""  # the caller has it already
    json.dump({"bytecode": document, "broken": broken}, sys.stdout)


if __name__ == "__main__":
    main()
