"""The bytecode of a method before it is linked: instructions with symbolic fields, JSON-ready.

An operand is a register (``"r3"``), a number, or a parameter of the struct (``"$slots"``,
``"$rcu.batch"``). An address is a triple of operands ``base type path``: the register that holds
the address of a struct, the struct's type (``"self"``, a name in :attr:`ClassCode.types`, or
``"word"`` where the base is the word itself), and the field names from there (``["lock",
"word"]``). Register ``r0`` is ``self``, ``r1 …`` are the arguments. Linking
(:mod:`locksim.compiler.link`) turns fields into offsets and calls into addresses.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from locksim.lang.struct import Struct

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "EQ": operator.eq,
    "NE": operator.ne,
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
}
"""Comparing instruction → what it computes."""
SIGNATURES: dict[str, tuple[str, ...]] = {
    # register code: no time, no event
    "MOV": ("d", "a"),
    "NEG": ("d", "a"),
    "INV": ("d", "a"),
    "NOT": ("d", "a"),
    **dict.fromkeys(("ADD", "SUB", "MUL", "FLOORDIV", "MOD"), ("d", "a", "a")),
    **dict.fromkeys(("AND", "OR", "XOR", "SHL", "SHR"), ("d", "a", "a")),
    **dict.fromkeys(("EQ", "NE", "LT", "LE", "GT", "GE"), ("d", "a", "a")),
    "JMP": ("label",),
    "JZ": ("a", "label"),
    "JNZ": ("a", "label"),
    **dict.fromkeys(("JEQ", "JNE", "JLT", "JLE", "JGT", "JGE"), ("a", "a", "label")),
    "CPU": ("d",),
    "THREAD": ("d",),
    "NODE": ("d",),
    "NCPUS": ("d",),
    "NTHREADS": ("d",),
    "NOW": ("d",),
    "RANDOM": ("d", "a"),
    "EXPONENTIAL": ("d", "a"),
    "ASSERT": ("a",),
    "ADDR": ("d", "base", "type", "path"),
    "INDEX": ("d", "base", "type", "path", "a"),
    "CALL": ("d", "base", "type", "path", "method", "args"),
    "RET": ("a",),
    # operations: one event each (marks and weak fences: none)
    "LOAD": ("d", "base", "type", "path", "order"),
    "STORE": ("base", "type", "path", "a", "order"),
    "SWAP": ("d", "base", "type", "path", "a", "order"),
    "FETCH_ADD": ("d", "base", "type", "path", "a", "order"),
    "FETCH_AND": ("d", "base", "type", "path", "a", "order"),
    "FETCH_OR": ("d", "base", "type", "path", "a", "order"),
    "FETCH_XOR": ("d", "base", "type", "path", "a", "order"),
    "COMPARE_SWAP": ("d", "base", "type", "path", "a", "a", "order"),
    "FENCE": ("order",),
    "PAUSE": (),
    "COMPUTE": ("a",),
    "BLOCK": (),
    "WAKE": ("a",),
    "SWITCH": ("a",),
    "TIMER": ("a",),
    "ALLOC": ("d", "type"),
    "FREE": ("a",),
    "MARK": ("mark", "a"),
}
"""Operands of every instruction: d destination register, a operand, label instruction index in the
method, base/type/path an address (INDEX: of the array; ADDR: of a field, an embedded struct or a
word; CALL: of the callee's ``self``), order a C11 order's number, mark a
:class:`~locksim.lang.ops.Mark`'s number, args a list of operands.

ADD … GE follow Python on integers (floor division, modulo with the divisor's sign), on 64-bit two's
complement registers. A shift by less than 0 or more than 63, and a division by 0, are run-time
errors. CALL writes the result (RET's operand, 0 if none) to ``d``. ASSERT stops the run if its
operand is 0. RANDOM and EXPONENTIAL are random_below and random_exponential."""

TIMED = frozenset(
    ["LOAD", "STORE", "SWAP", "FETCH_ADD", "FETCH_AND", "FETCH_OR", "FETCH_XOR", "COMPARE_SWAP"]
    + ["PAUSE", "COMPUTE", "BLOCK", "WAKE", "TIMER", "ALLOC", "FREE"]
)
"""Instructions that always take time. (A FENCE does if its order is SEQ_CST. A SWITCH to
the running thread does not.)"""


@dataclass(frozen=True, slots=True)
class Instr:
    """One instruction and the source that it comes from.

    Arguments:
        op: a key of ``SIGNATURES``.
        args: operands in the order of the signature.
        line: source line, from 1. column, end_column: from 0, in characters.
    """

    op: str
    args: tuple[Any, ...] = ()
    line: int = 0
    column: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True)
class MethodCode:
    """One method's bytecode.

    Arguments:
        name: the method's; one that is called by ``super()`` has its class before it, as in
            ``TicketLock.acquire``.
        is_program: True if it yields (False: a helper that only computes).
        arg_types: type of each argument after self: "int", "ptr:NAME" or "ref:…". returns:
            likewise.
        n_registers: registers used, self and arguments included.
        registers: for the disassembler, the variable that a register holds ("" for a temporary).
        instrs: the instructions; the last path always ends in RET.
        line: line of the ``def``.
        role: key of ``METERS`` if the meters watch this method (the MARKs are already among the
            instructions).
        file: where it is written; an inherited method's is its base's.
        widened: types of base registers that must mean the same description, with the line that
            takes the first for the second. A method that has no Python source needs none.
    """

    name: str
    is_program: bool
    arg_types: tuple[str, ...]
    returns: str
    n_registers: int
    registers: tuple[str, ...]
    instrs: tuple[Instr, ...]
    line: int
    role: str | None = None
    file: str = ""
    widened: tuple[tuple[str, str, int], ...] = field(default=(), compare=False)

    @property
    def plain_name(self) -> str:
        """The name in the source."""
        return self.name.rpartition(".")[2]


def selves(method: MethodCode) -> frozenset[str | int]:
    """The registers of a method that hold nothing but ``self``: copies of register 0."""
    written: dict[str | int, list[Instr]] = {}
    for instr in method.instrs:
        if SIGNATURES[instr.op][:1] == ("d",):
            written.setdefault(instr.args[0], []).append(instr)
    found: frozenset[str | int] = frozenset()
    grown: set[str | int] = {"r0"}
    while grown - found:
        found |= grown
        grown = {
            d
            for d, by in written.items()
            if all(instr.op == "MOV" and instr.args[1] in found for instr in by)
        }
    return found


@dataclass(slots=True)
class ClassCode:
    """A struct's bytecode: its own and its inherited methods, compiled for this class.

    Arguments:
        name: the class's. file: where its source is. doc: its docstring.
        struct: a class with the fields: the live class, or one made from a declaration, whose
            methods then interpret this bytecode.
        types: struct names used in the code → their classes' code is found by this class object.
        methods: by name.
        source: the file's text, for messages and listings.
    """

    name: str
    file: str
    struct: type[Struct]
    doc: str = ""
    types: dict[str, type[Struct]] = field(default_factory=dict)
    methods: dict[str, MethodCode] = field(default_factory=dict)
    source: str = ""
