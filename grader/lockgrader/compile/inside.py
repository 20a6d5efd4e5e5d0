"""Runs in the sandbox: a submission's text becomes bytecode, or the compiler's message.

Standard input is a JSON object with ``file`` and ``text``. Standard output is one with ``bytecode``
of the classes that compile and ``broken``, the messages of those that do not; or with ``error``,
where the file as a whole is outside the language. The text is parsed and never executed. A parser
can have bugs too, so it runs in the sandbox, and its output is treated as untrusted input.

The language allows classes that the grader does not take: their marks would change what is
measured. They are ``broken`` too, each with its line, so that the other classes are graded. The
reader outside (:mod:`lockgrader.compile.bytecode`) checks the same again, and refuses the file.
"""

from __future__ import annotations

import ast
import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from locksim.compiler.ir import ClassCode


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
    broken |= not_taken(codes)
    codes = {name: code for name, code in codes.items() if name not in broken}
    document = codes_to_json(codes)
    for made in document["classes"].values():
        made["source"] = ""  # the caller has it already
    json.dump({"bytecode": document, "broken": broken}, sys.stdout)


def not_taken(codes: dict[str, ClassCode]) -> dict[str, str]:
    """The classes that the grader does not take, and those that use one: name → where and why.

    Arguments:
        codes: the classes that compile.
    """
    found = {name: why for name, code in codes.items() if (why := _why_not(code))}
    names: dict[type, str] = {code.struct: name for name, code in codes.items()}
    while True:
        used = {
            name: [other for s in _structs(code) if (other := names.get(s)) in found]
            for name, code in codes.items()
            if name not in found
        }
        more = {
            name: f"{name} uses the class {others[0]}, which cannot be graded:\n"
            f"{found[str(others[0])]}"
            for name, others in used.items()
            if others
        }
        if not more:
            return found
        found |= more


def _why_not(code: ClassCode) -> str:
    """Why the grader does not take a class; "" if it does."""
    from locksim.lang.ops import Mark
    from locksim.lang.struct import CountedRef, Lock, RWLock, Struct

    file, struct = code.file.strip("<>"), code.struct
    kinds: tuple[type[Struct], ...] = (CountedRef, Lock, RWLock)
    base = next((b for b in kinds if issubclass(struct, b)), Struct)
    if not base.METERED.items() <= struct.METERED.items():
        return (
            f"{file}:{_line(code, 'METERED')}: {code.name} replaces METERED, and the meters must "
            f"watch the methods of every {base.__name__}\nhelp: remove METERED from {code.name}"
        )
    marks = {int(Mark.DONE): "done()", int(Mark.NOTE): "note()"}
    for method in code.methods.values():
        for instr in method.instrs:
            called = marks.get(instr.args[0]) if instr.op == "MARK" else None
            if called:
                return (
                    f"{file}:{instr.line}: {code.name}.{method.name} uses {called}, which belongs "
                    f"to a workload: it would count in the measurement\nhelp: remove {called}"
                )
    return ""


def _line(code: ClassCode, name: str) -> int:
    """The line that gives a name in the body of a class its value; 0 if it is inherited."""
    body = (c for c in ast.walk(ast.parse(code.source)) if isinstance(c, ast.ClassDef))
    statements = (s for c in body if c.name == code.name for s in c.body)
    return next((s.lineno for s in statements if name in ast.unparse(s).split(" = ")[:1]), 0)


def _structs(code: ClassCode) -> list[type]:
    """The structs that a class names, holds or points to."""
    from locksim.lang.fields import array, part, pointer

    found: list[object] = [*code.types.values(), *code.struct.__mro__[1:]]
    for field in code.struct.FIELDS.values():
        of = field.of if isinstance(field, part | array) else field
        found.append(of.target() if isinstance(of, pointer) else of)
    return [thing if isinstance(thing, type) else type(thing) for thing in found]


if __name__ == "__main__":
    main()
