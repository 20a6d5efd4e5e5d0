"""What a lab gives in its starter: methods that must stay, and the kind of each class.

What methods do is compared, not their text: lines, comments and names of variables are free, and a
field may have another name, as long as it has it in all given methods of the class.

A proof asks what every struct of a kind promises, and the base class says the kind. So the kind is
the lab's: a spinlock called Seq would be proven to be a spinlock.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from locksim.compiler import compile_source
from locksim.compiler.ir import SIGNATURES, ClassCode

_Steps = list[tuple[str, list[Any]]]


def altered(
    codes: Mapping[str, ClassCode], given: Mapping[str, Sequence[str]], starter: str
) -> dict[str, str]:
    """The classes whose given methods do something else than the starter's: name → which, in words.

    Arguments:
        codes: the submission's classes. given: class → its methods that must stay.
        starter: the text that students begin with.
    """
    ours = _compiled(starter) if given else {}
    found = {}
    for name in given.keys() & codes.keys():
        right, mine = (_steps(code, given[name]) for code in (ours[name], codes[name]))
        other = [method for method in given[name] if right[method] != mine.get(method)]
        if other:
            said = " and ".join(f"{method}()" for method in other)
            found[name] = (
                f"{name} is given, and its {said} must stay as in the starter\n"
                "help: copy the class from the starter; write your own under another name"
            )
    return found


def other_kinds(codes: Mapping[str, ClassCode], starter: str) -> dict[str, str]:
    """The classes that are of another kind than the starter's of their name: name → why.

    Arguments:
        codes: the submission's classes. starter: the text that students begin with; "" for none.
    """
    from locksim.kinds import kind_of

    found = {}
    ours = _compiled(starter) if starter else {}
    for name in ours.keys() & codes.keys():
        right, mine = kind_of(ours[name].struct), kind_of(codes[name].struct)
        if right is not None and not isinstance(mine, type(right)):
            base = ours[name].struct.__mro__[1].__name__
            found[name] = (
                f"{name} must be a {base}, as in the starter, and is another kind of class\n"
                f"help: write class {name}({base})"
            )
    return found


def _steps(code: ClassCode, methods: Sequence[str]) -> dict[str, _Steps]:
    """What some methods do; a field is a number, in the order in which they use the fields."""
    fields: dict[str, int] = {}
    found: dict[str, _Steps] = {}
    for name in (method for method in methods if method in code.methods):
        found[name] = []
        for instr in code.methods[name].instrs:
            operands = zip(SIGNATURES[instr.op], instr.args, strict=True)
            args = [
                [fields.setdefault(f, len(fields)) for f in arg] if kind == "path" else arg
                for kind, arg in operands
            ]
            found[name].append((instr.op, args))
    return found


@functools.cache
def _compiled(text: str) -> dict[str, ClassCode]:
    return compile_source(text, "<starter>")
