"""Programs for classes that exist only as bytecode: generators that interpret it.

A class that is read from text or from a document has no Python methods. Here it gets them: each is
a generator function that yields the operations that its bytecode performs, or a plain function for
a helper. So ``setup()``, the reference engine and every other user of generators treat such a class
as they treat a live one, and the text is still never run as Python.

Inside, every value is a 64-bit number, as in the fast engine; arithmetic is the bytecode's. At the
border, where a live program calls an interpreted one or is called by it, pointers turn into the
structs that live programs work with.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

from locksim.compiler.addresses import Addresses
from locksim.compiler.expressions import ARITHMETIC
from locksim.compiler.ir import COMPARISONS, SIGNATURES, ClassCode, Instr, MethodCode, selves
from locksim.compiler.sources import BASES, PARSED, RESERVED
from locksim.lang import ops
from locksim.lang.fields import WordRef, index_detail
from locksim.lang.ops import Kind, Op, Order
from locksim.lang.struct import METER_MARKS, METERS, Program, Struct
from locksim.lang.words import wrap64

Compiled = Callable[[type[Struct]], ClassCode]

_BINARY: dict[str, Callable[[int, int], int]] = {**dict(ARITHMETIC.values()), **COMPARISONS}
_UNARY: dict[str, Callable[[int], int]] = {
    "MOV": operator.pos,
    "NEG": operator.neg,
    "INV": operator.invert,
    "NOT": operator.not_,
}
_ZERO_TESTS = {"JZ": operator.eq, "JNZ": operator.ne}


def attach(code: ClassCode, compiled: Compiled) -> None:
    """Give a class the methods of its bytecode, those that it has no Python source for.

    Arguments:
        code: the bytecode; ``code.struct`` is changed.
        compiled: gives the bytecode of a live class (:func:`~locksim.compiler.compile_class`).

    Raises:
        ValueError: a struct cannot have a method of this name.
    """
    for name, method in code.methods.items():
        owner, _, plain = name.rpartition(".")
        taken = plain[:2] == "__" or plain in RESERVED | {*code.struct.FIELDS}
        if taken or not plain.isidentifier() or not (owner or plain).isidentifier():
            raise ValueError(f"{code.name} cannot have a method {name!r}")
        if not _is_live(code.struct, name):
            setattr(code.struct, name, _function(code, method, compiled))


def _is_live(cls: type[Struct], name: str) -> bool:
    """Whether a class's method is Python code: its own, or that of a live base."""
    for owner in cls.__mro__:
        if owner in BASES:
            continue
        if name in (PARSED.get(owner) or {}):
            return False
        if name in vars(owner):
            return not hasattr(vars(owner)[name], "bytecode")
    return False


def _function(code: ClassCode, method: MethodCode, compiled: Compiled) -> Callable[..., Any]:
    body = _Body(code, method, compiled)

    def program(self: Struct, *arguments: Any) -> Any:
        running = _interpret(self, body, arguments)
        return running if method.is_program else _to_its_end(running, program.__qualname__)

    program.__name__ = method.name
    program.__qualname__ = f"{code.name}.{method.name}"
    program.__module__ = code.struct.__module__
    vars(program)["bytecode"] = (code, method)
    return program


def _to_its_end(helper: Program, name: str) -> Any:
    """The result of a method without operations."""
    try:
        op = next(helper)
    except StopIteration as end:
        return end.value
    raise TypeError(f"{name}() performs {op.kind.name.lower()}, but it is not a program")


@dataclass(slots=True)
class _Row:
    """An instruction; its operands are indexes into the registers."""

    op: str
    line: int
    named: dict[str, Any]
    values: tuple[int, ...] = ()
    dest: int = -1
    base: int = 0


class _Body:
    """A method ready to be interpreted: constants and parameters are registers behind the others.

    Arguments:
        rows: the instructions. constants: operands of the registers from ``n_registers`` on.
    """

    def __init__(self, code: ClassCode, method: MethodCode, compiled: Compiled) -> None:
        self.code, self.method, self.compiled = code, method, compiled
        self.constants: dict[str | int, int] = {}
        self.rows = [self._row(instr) for instr in method.instrs]
        self.selves = {self._register(register) for register in selves(method)}

    def _row(self, instr: Instr) -> _Row:
        signature = SIGNATURES[instr.op]
        row = _Row(instr.op, instr.line, dict(zip(signature, instr.args, strict=True)))
        pairs = [*zip(signature, instr.args, strict=True)]
        row.values = tuple(self._register(o) for role, o in pairs if role == "a")
        if "args" in row.named:
            row.values = tuple(self._register(o) for o in row.named["args"])
        if "d" in row.named:
            row.dest = self._register(row.named["d"])
        if "base" in row.named:
            row.base = self._register(row.named["base"])
        return row

    def _register(self, operand: str | int) -> int:
        if isinstance(operand, str) and operand.startswith("r"):
            return int(operand[1:])
        return self.constants.setdefault(operand, self.method.n_registers + len(self.constants))


@dataclass(slots=True)
class Interpreted:
    """Where an interpreted method is. :mod:`locksim.core.places` finds it in the frame below."""

    file: str
    line: int
    method: str


def _interpret(self: Struct, body: _Body, arguments: tuple[Any, ...]) -> Program:
    """Run a method; the frame's ``interpreted`` says where it is."""
    method, rows = body.method, body.rows
    interpreted = Interpreted(
        method.file, method.line, f"{type(self).__name__}.{method.plain_name}"
    )
    if len(arguments) != len(method.arg_types):
        takes = len(method.arg_types)
        raise TypeError(f"{method.name}() takes {takes} arguments, not {len(arguments)}")
    registers = [int(self), *(wrap64(int(a)) for a in arguments)]
    assert self._layout is not None  # int(self) has refused a struct without an address
    names = Addresses(self, body.code.types, self._layout.space)
    registers += [0] * (method.n_registers - len(registers))
    registers += [names.number(operand) for operand in body.constants]
    at = 0
    while True:
        row = rows[at]
        interpreted.line = row.line
        values = [registers[i] for i in row.values]
        at += 1
        if "label" in row.named:
            if _jumps(row.op, values):
                at = row.named["label"]
            continue
        if row.op == "RET":
            return _typed(values[0], method.returns, names)
        if row.op == "CALL":
            inside = (method.role in METERS or self._metered_by_caller) and (
                row.base in body.selves and not row.named["path"]
            )
            result = yield from _call(registers[row.base], row, values, names, body, inside)
        elif self._metered_by_caller and row.op == "MARK" and row.named["mark"] in METER_MARKS:
            continue
        elif row.op in Kind.__members__:
            given = yield _operation(row, registers[row.base], values, names)
            result = int(given or 0)  # an allocation gives a struct, a store nothing
        else:
            result = _computed(row, registers[row.base], values, names)
        if row.dest >= 0:
            registers[row.dest] = wrap64(result)


def _jumps(op: str, values: list[int]) -> bool:
    if op == "JMP":
        return True
    if op in _ZERO_TESTS:
        return bool(_ZERO_TESTS[op](values[0], 0))
    return COMPARISONS[op[1:]](*values)


def _computed(row: _Row, base: int, values: list[int], names: Addresses) -> int:
    """An instruction that takes no time.

    Raises:
        ZeroDivisionError, IndexError, AssertionError, ValueError: what a live program raises; also
            for a shift by more than 63 bits. :func:`~locksim.core.faults.of_exception` reads it.
    """
    match row.op:
        case "SHL" | "SHR" if values[1] > 63:
            raise ValueError(f"shift count {values[1]}")
        case op if op in _BINARY:
            return _BINARY[op](*values)
        case op if op in _UNARY:
            return _UNARY[op](*values)
        case "ASSERT":
            if values[0] == 0:
                raise AssertionError
            return 0
        case "ADDR":
            return base + names.offset(row.named["type"], row.named["path"])
        case "INDEX":
            kind, path = row.named["type"], row.named["path"]
            slot = names.slot(kind, path)
            if not 0 <= values[0] < slot.count:
                owner = type(names.struct(kind, path[:-1])[0]).__name__
                raise IndexError(index_detail(owner, path[-1], values[0], slot.count))
            return base + slot.offset + values[0] * slot.stride
        case "CPU":
            return ops.cpu()
        case "THREAD":
            return ops.thread()
        case "NODE":
            return ops.node()
        case "NCPUS":
            return ops.n_cpus()
        case "NTHREADS":
            return ops.n_threads()
        case "NOW":
            return ops.now()
        case "RANDOM":
            return ops.random_below(values[0])
        case "EXPONENTIAL":
            return ops.random_exponential(values[0])
    raise TypeError(f"there is no instruction {row.op}")


def _operation(row: _Row, base: int, values: list[int], names: Addresses) -> Op:
    """What an instruction yields. Results stay plain numbers: there is nothing to wrap."""
    kind, named = Kind[row.op], row.named
    if "path" in named:
        address = wrap64(base + names.offset(named["type"], named["path"]))
        a, b = [*values, 0, 0][:2]
        return Op(kind, address, a, b, Order(named["order"]))
    if kind == Kind.FENCE:
        return Op(kind, order=Order(named["order"]))
    if kind == Kind.ALLOC:
        return Op(kind, target=names.types[named["type"]])
    if kind == Kind.MARK:
        return Op(kind, values[0], named["mark"])
    return Op(kind, a=values[0]) if values else Op(kind)


def _call(
    base: int, row: _Row, values: list[int], names: Addresses, body: _Body, inside: bool
) -> Generator[Op, Any, int]:
    """Call a method, interpreted or live, as Python does; ``inside`` a metered one, or not."""
    spec, offset = names.struct(row.named["type"], row.named["path"])
    callee, name = spec.placed(wrap64(base + offset), names.space), row.named["method"]
    callee._metered_by_caller = inside
    function = getattr(type(callee), name)
    code: ClassCode
    if hasattr(function, "bytecode"):
        code, method = function.bytecode
    else:
        code = body.compiled(type(callee))
        method = code.methods[name]
    theirs = Addresses(callee, code.types, names.space)
    kinds = [*method.arg_types, *["int"] * len(values)]  # too many: the callee refuses them
    given = [_typed(v, kind, theirs) for v, kind in zip(values, kinds, strict=False)]
    result = function(callee, *given)
    if isinstance(result, GeneratorType):
        result = yield from result
    return int(result or 0)


def _typed(value: int, kind: str, names: Addresses) -> Any:
    """A number as a live program has it: a struct where it is an address."""
    sort, _, target = kind.partition(":")
    if sort == "ptr":
        return names.base(target).placed(value, names.space)
    if sort == "ref":
        kind, _, cls = target.partition(":")
        return WordRef(names.spec, value, names.types[cls] if kind == "ptr" else None)
    return value
