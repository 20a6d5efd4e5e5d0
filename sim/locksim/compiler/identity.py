"""The digest of a program: equal for descriptions whose programs do the same operations.

It covers the bytecode of every class behind a description, set-up programs included, with fields,
parameters and parts. Comments, names of variables and places in a source do not count.
"""

from __future__ import annotations

import hashlib

from locksim.compiler.frontend import compile_class
from locksim.compiler.sources import BASES, ClassTable
from locksim.lang.fields import array, pointer
from locksim.lang.struct import Struct

_TEXTS: ClassTable[str] = ClassTable("identity")


def program_digest(struct: Struct) -> str:
    """Return the digest of a description, 16 hexadecimal digits.

    Arguments:
        struct: such as a workload, with its parameters and parts.

    Raises:
        CompileError: a method is outside the language.
    """
    texts: dict[type[Struct], str] = {}
    todo, said = [struct], [_described(struct)]
    while todo:
        spec = todo.pop()
        todo += spec._parts.values()
        cls = type(spec)
        if cls not in texts:
            texts[cls] = _text(cls)
            others = [t for t in _behind(cls) if t not in texts and t not in BASES]
            # Objects that a program allocates are those of the class as it is.
            todo += (other() for other in others)
    said += sorted(texts.values())
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def _described(spec: Struct) -> str:
    parts = [f"{name}={_described(part)}" for name, part in spec._parts.items()]
    return f"{type(spec).__name__}({spec._params}, {', '.join(parts)})"


def _behind(cls: type[Struct]) -> list[type[Struct]]:
    """The classes that a class's code and pointers name."""
    words = [f.of if isinstance(f, array) else f for f in cls.FIELDS.values()]
    targets = [word.target() for word in words if isinstance(word, pointer)]
    return [*compile_class(cls).types.values(), *targets]


def _text(cls: type[Struct]) -> str:
    """Everything of a class that an engine can notice."""
    text = _TEXTS.get(cls)
    if text is None:
        methods = [
            (m.name, m.is_program, m.arg_types, m.n_registers, m.role)
            + tuple((instr.op, instr.args) for instr in m.instrs)
            for m in compile_class(cls).methods.values()
        ]
        fields = [_declared(name, f) for name, f in cls.FIELDS.items()]
        text = _TEXTS[cls] = repr((cls.__name__, cls.RECURSIVE, cls.METERED, fields, methods))
    return text


def _declared(name: str, field: object) -> tuple[object, ...]:
    """A field's declaration as plain values; structs in it by their names."""
    said: list[object] = [name, type(field).__name__]
    for key, value in sorted(vars(field).items()):
        if key in ("name", "owner"):
            continue
        if isinstance(value, type):
            said.append((key, value.__name__))
        elif isinstance(value, Struct):
            said.append((key, _described(value)))
        elif isinstance(value, str | int | None):
            said.append((key, value))
        else:
            said.append((key, _declared("", value)))
    return tuple(said)
