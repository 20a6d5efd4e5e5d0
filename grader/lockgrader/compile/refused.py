"""Classes that a lab refuses: for an operation, as altered from the given ones, or for their kind.

Some operations distinguish a proof from a measurement: the number of CPUs, the clock, sleep that
another thread ends. A lab that needs none of them names them in ``refuse``. A class that uses one
is not judged. Classes of the library may use them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lockgrader.compile.given import altered, other_kinds
from lockgrader.lab import OPERATIONS, Lab
from locksim.compiler.ir import ClassCode
from locksim.lang.fields import array, part
from locksim.lang.struct import Struct


def refused_by(lab: Lab, codes: Mapping[str, ClassCode]) -> dict[str, str]:
    """The classes that a lab does not judge: name → why.

    Arguments:
        lab: the lab. codes: the submission's classes.
    """
    found = altered(codes, lab.given, lab.starter) | refused(codes, lab.refuse)
    return found | other_kinds(codes, lab.starter)


def refused(codes: Mapping[str, ClassCode], names: Iterable[str]) -> dict[str, str]:
    """The classes that use a refused operation, themselves or in a struct of theirs: name → where.

    Arguments:
        codes: the submission's classes. names: keys of OPERATIONS.
    """
    instructions = {OPERATIONS[name]: name for name in names}
    own = {name: _first(code, instructions) for name, code in codes.items()}
    found = {}
    for name in codes:
        uses = next((own[n] for n in _with_structs(name, codes) if own[n]), "")
        if uses:
            found[name] = uses
    return found


def _first(code: ClassCode, instructions: Mapping[str, str]) -> str:
    for method in code.methods.values():
        for instr in method.instrs:
            if instr.op in instructions:
                called = f"{instructions[instr.op]}()"
                return (
                    f"{method.file.strip('<>')}:{instr.line}: {code.name}.{method.plain_name} uses "
                    f"{called}, which this lab refuses\nhelp: write it so that it works without "
                    f"{called}: a proof and a measurement must run the same program"
                )
    return ""


def _with_structs(name: str, codes: Mapping[str, ClassCode]) -> list[str]:
    """A class, and the classes of the submission that it holds, points to or calls."""
    found, todo = [], [name]
    while todo:
        here = todo.pop()
        if here in found or here not in codes:
            continue
        found.append(here)
        code = codes[here]
        todo += [kind.__name__ for kind in (*code.types.values(), *_held(code.struct))]
    return found


def _held(struct: type[Struct]) -> list[type[Struct]]:
    """The structs that are embedded in a struct."""
    fields = [f.of for f in struct.FIELDS.values() if isinstance(f, part | array)]
    kinds = [of if isinstance(of, type) else type(of) for of in fields]
    return [kind for kind in kinds if issubclass(kind, Struct)]
