"""One method: from bytecode to blocks of C statements, one for each line as far as can be.

A temporary that is used once, and in the block that computes it, becomes part of the expression
that uses it. C leaves the order of operands open, and operations must stay in order; so at most one
operation waits to be put into an expression, and whatever comes before that is used writes it down
first. Operands without effect wait until a variable in them changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from locksim.compiler.addresses import Addresses
from locksim.compiler.control_flow import label
from locksim.compiler.ir import SIGNATURES, ClassCode, Instr, MethodCode
from locksim.emit.blocks import Assign, Block, Branch, Goto, Return, simplify
from locksim.emit.kinds import Kinds
from locksim.emit.names import fresh, plain
from locksim.emit.shapes import Shapes, dotted
from locksim.emit.terms import (
    ATOM,
    BITS,
    INT,
    PRODUCT,
    SHIFT,
    SUM,
    Term,
    as_type,
    binary,
    compare,
    number,
    truth,
    unary,
    within,
)
from locksim.emit.webs import Web, Webs, defined, without_marks
from locksim.lang.ops import Order
from locksim.lang.struct import Struct

_SIGNS = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_ARITHMETIC = {
    "ADD": ("+", SUM),
    "SUB": ("-", SUM),
    "MUL": ("*", PRODUCT),
    "AND": ("&", BITS),
    "OR": ("|", BITS),
    "XOR": ("^", BITS),
    "SHL": ("<<", SHIFT),
    "SHR": (">>", SHIFT),
}
_WORDS = {
    "LOAD": "atomic_load_explicit",
    "SWAP": "atomic_exchange_explicit",
    "FETCH_ADD": "atomic_fetch_add_explicit",
    "FETCH_AND": "atomic_fetch_and_explicit",
    "FETCH_OR": "atomic_fetch_or_explicit",
    "FETCH_XOR": "atomic_fetch_xor_explicit",
}
_REFUSED = {
    "BLOCK": "a thread that sleeps needs a scheduler that wakes it",
    "WAKE": "a thread that sleeps needs a scheduler that wakes it",
    "SWITCH": "the C harness has one thread a CPU, and the kernel switches them",
    "TIMER": "the C harness has one thread a CPU, and the kernel switches them",
    "NTHREADS": "the C harness has one thread a CPU, and the kernel switches them",
    "NOW": "a header that is included alone has no clock",
    "EXPONENTIAL": "random_exponential() needs a logarithm",
}
"""Instructions that a header included alone cannot express, and why."""


@dataclass(frozen=True)
class Called:
    """A method as its callers see it.

    Arguments:
        name: in C. arguments: types after self. returns: type, "" for none.
        thread: whether it takes the calling thread as an argument.
    """

    name: str
    arguments: tuple[str, ...]
    returns: str
    thread: bool


class Program(Protocol):
    """The rest of the file, as far as a method needs it."""

    shapes: Shapes

    def called(self, spec: Struct, name: str) -> Called:
        """Another method; it is written before this one."""

    def parameter(self, spec: Struct, name: str) -> str:
        """The macro that stands for a parameter."""

    def compare_swap(self, kind: str) -> str:
        """The function that compares and swaps words of a type."""

    def refuse(self, code: ClassCode, method: MethodCode, instr: Instr, why: str) -> None:
        """Say what cannot be written in C."""


@dataclass
class Lowered:
    """A method in blocks.

    Arguments:
        blocks: by number. types: of the variables, arguments left out. returns: "" for none.
        arguments: name and type of each after self. uses_thread: it asks who runs it.
    """

    blocks: dict[int, Block]
    types: dict[str, str]
    arguments: list[tuple[str, str]]
    returns: str
    uses_thread: bool


def lower(program: Program, spec: Struct, code: ClassCode, method: MethodCode) -> Lowered:
    """Turn a method into blocks of statements."""
    return _Lowering(program, spec, code, method).run()


class _Lowering:
    def __init__(self, program: Program, spec: Struct, code: ClassCode, method: MethodCode) -> None:
        self.program, self.spec, self.code, self.method = program, spec, code, method
        self.shapes = program.shapes
        self.names = Addresses(spec, code.types, self.shapes.space)
        self.instrs = without_marks(method)
        self.taken: set[str] = set()
        names = {said: fresh(plain(said), self.taken) for said in method.registers if said}
        self.webs = Webs(method, self.instrs, names.__getitem__)
        self.kinds = Kinds(program, self.names, self.webs, self.instrs)
        self.webs.named["r0"].type = self.shapes.address(spec)
        self.arguments = []
        for k, kind in enumerate(method.arg_types, start=1):
            web = self.webs.named[f"r{k}"]
            web.type = self.kinds.declared(kind)
            self.arguments.append((web.name, web.type))
        self.uses_thread = False
        self.void = method.returns == "int" and all(
            i.args[0] == 0 for i in self.instrs if i.op == "RET"
        )
        self.returns = "" if self.void else self.kinds.declared(method.returns)
        self.kinds.infer()
        self.waiting: dict[int, tuple[Web, Term, int]] = {}
        self.body: list[Assign] = []

    def run(self) -> Lowered:
        blocks = self._blocks()
        simplify(blocks, void=self.void)
        types = {w.name: w.type for w in self.webs.named.values()}
        types |= {w.name: w.type for w in self.webs.temporaries() if w.name}
        for name in ("self", *(name for name, _ in self.arguments)):
            types.pop(name, None)
        return Lowered(blocks, types, self.arguments, self.returns, self.uses_thread)

    # Blocks

    def _blocks(self) -> dict[int, Block]:
        instrs = self.instrs
        starts = {0} | {t for i in instrs if (t := label(i)) is not None}
        starts |= {k + 1 for k, i in enumerate(instrs) if i.op == "RET" or label(i) is not None}
        starts.discard(len(instrs))
        edges = sorted(starts)
        blocks = {}
        for start, end in zip(edges, [*edges[1:], len(instrs)], strict=True):
            self.range = range(start, end)
            self.body = []
            self.waiting = {}
            block = Block(start, start)
            block.end = self._block(end)
            block.body = self.body
            blocks[start] = block
        return blocks

    def _block(self, end: int) -> Return | Goto | Branch:
        for at in self.range:
            instr = self.instrs[at]
            if instr.op == "RET":
                value = as_type(self._operand(at, instr.args[0]), self.returns or INT)
                if self.void:
                    value = number(0)
                self._flush(lambda term: term.effect)
                return Return(value, instr.line)
            to = label(instr)
            if to is None:
                self._instruction(at, instr)
                continue
            if instr.op == "JMP":
                self._flush(lambda term: term.effect)
                return Goto(to, instr.line)
            if instr.op in ("JZ", "JNZ"):
                values = [self._operand(at, instr.args[0]), number(0)]
                sign = "==" if instr.op == "JZ" else "!="
            else:
                values, sign = self._operands(at, instr.args[:2]), _SIGNS[instr.op[1:]]
            self._flush(lambda term: term.effect)
            return Branch(compare(values[0], sign, values[1]), to, end, instr.line)
        self._flush(lambda term: term.effect)
        return Goto(end, self.instrs[end - 1].line)

    # Expressions

    def _operands(self, at: int, operands: Any) -> list[Term]:
        """The operands of an instruction, in order."""
        return [self._operand(at, o) for o in operands]

    def _key(self, at: int, register: str) -> int:
        return id(self.webs.read(at, register))

    def _operand(self, at: int, operand: str | int) -> Term:
        if isinstance(operand, int):
            return number(operand)
        if operand.startswith("$"):
            *path, name = operand[1:].split(".")
            spec = self.spec
            for inner in path:
                spec = spec._parts[inner]
            return Term(self.program.parameter(spec, name))
        key = self._key(at, operand)
        if key in self.waiting:
            return self.waiting.pop(key)[1]
        return self._variable(self.webs.read(at, operand))

    def _variable(self, web: Web) -> Term:
        if not web.name:
            web.name = fresh("t", self.taken)
        return Term(web.name, ATOM, web.type, frozenset([web.name]))

    def _write_down(self, key: int) -> None:
        web, term, line = self.waiting.pop(key)
        self.body.append(Assign(self._variable(web).text, as_type(term, web.type), line))

    def _flush(self, which: Callable[[Term], bool]) -> None:
        """Write down what waits and must not wait longer."""
        for key in [k for k, (_, term, _) in self.waiting.items() if which(term)]:
            if key in self.waiting:
                self._write_down(key)

    def _instruction(self, at: int, instr: Instr) -> None:
        made = self._made(at, instr)
        register = defined(instr)
        if made.effect:
            self._flush(lambda term: term.effect)
        web = self.webs.written(at) if register is not None else None
        if web is None or not web.uses:
            if made.effect:
                self.body.append(Assign("", made, instr.line))
            return
        here = len(web.defs) == len(web.uses) == 1 and at < web.uses[0] < self.range.stop
        if web.register not in self.webs.named and here:
            self.waiting[id(web)] = (web, made, instr.line)
            return
        name = self._variable(web).text
        self._flush(lambda term: name in term.reads)
        self.body.append(Assign(name, as_type(made, web.type), instr.line))

    def _made(self, at: int, instr: Instr) -> Term:
        """The term that an instruction computes or performs."""
        op, args = instr.op, dict(zip(SIGNATURES[instr.op], instr.args, strict=True))
        if op in _REFUSED:
            self.program.refuse(self.code, self.method, instr, _REFUSED[op])
        values = [o for role, o in zip(SIGNATURES[op], instr.args, strict=True) if role == "a"]
        made = self._computed(at, op, args, values)
        return self._operation(at, op, args, values) if made is None else made

    def _computed(self, at: int, op: str, args: dict[str, Any], values: list[Any]) -> Term | None:
        """The term of an instruction that takes no time, None for an operation."""
        match op:
            case "MOV":
                return self._operand(at, values[0])
            case "NEG" | "INV":
                return unary("-" if op == "NEG" else "~", self._operand(at, values[0]))
            case "NOT":
                return truth(compare(self._operand(at, values[0]), "==", number(0)))
            case "FLOORDIV" | "MOD":
                return self._divided(op, *self._operands(at, values))
            case _ if op in _ARITHMETIC:
                sign, level = _ARITHMETIC[op]
                left, right = self._operands(at, values)
                return self._sum(left, right, sign, level)
            case _ if op in _SIGNS:
                left, right = self._operands(at, values)
                return truth(compare(left, _SIGNS[op], right))
            case "NODE":
                self.uses_thread = True
                return self._call("locklab_node", INT, ["thread"], [])
            case "CPU" | "THREAD" | "NCPUS":
                self.uses_thread = True
                member = {"CPU": "cpu", "THREAD": "number", "NCPUS": "n_cpus"}[op]
                return Term(f"thread->{member}")
            case "RANDOM":
                self.uses_thread = True
                return self._call("locklab_random_below", INT, ["thread"], [self._int(at, values)])
            case "ASSERT":
                test = compare(self._operand(at, values[0]), "!=", number(0))
                return replace(self._call("assert", "", [], [truth(test)]), effect=True)
            case "ADDR" | "INDEX":
                return self._address(at, args, values)
            case "CALL":
                return self._called(at, args)
        return None

    def _operation(self, at: int, op: str, args: dict[str, Any], values: list[Any]) -> Term:
        """The term of an operation."""
        match op:
            case "STORE":
                return self._store(at, args)
            case "COMPARE_SWAP":
                return self._compare_swap(at, args, values)
            case _ if op in _WORDS:
                return self._word(at, op, args, values)
            case "FENCE":
                return self._call("atomic_thread_fence", "", [_order(args["order"])], [])
            case "PAUSE":
                return self._call("locklab_pause", "", [], [])
            case "COMPUTE":
                return self._call("locklab_compute", "", [], [self._int(at, values)])
            case "ALLOC":
                kind = self.shapes.address(self.names.base(args["type"]))
                return self._call(f"locklab_new({kind.removesuffix(' *')})", kind, None, [])
            case "FREE":
                return self._call("free", "", [], [self._operand(at, values[0])])
        raise TypeError(f"there is no instruction {op}")

    def _int(self, at: int, values: list[Any]) -> Term:
        return as_type(self._operand(at, values[0]), INT)

    def _call(self, name: str, kind: str, before: list[str] | None, given: list[Term]) -> Term:
        """A call of a function; ``before`` None: the name is the whole call."""
        reads = frozenset().union(*(t.reads for t in given))
        text = name
        if before is not None:
            text = f"{name}({', '.join([*before, *(t.text for t in given)])})"
        return Term(text, ATOM, kind or INT, reads, effect=True)

    def _sum(self, left: Term, right: Term, sign: str, level: int) -> Term:
        n = right.constant
        if sign in "+-" and n is not None and -(1 << 63) < n < 0:
            return binary(left, "-" if sign == "+" else "+", number(-n), level)
        return binary(left, sign, right, level)

    def _divided(self, op: str, left: Term, right: Term) -> Term:
        """Floor division: by a power of two it is a shift, the modulo a mask."""
        n = right.constant
        if n is not None and n > 0 and n & (n - 1) == 0:
            if op == "MOD":
                return binary(left, "&", number(n - 1), BITS)
            return binary(left, ">>", number(n.bit_length() - 1), SHIFT)
        name = "locklab_floor_divide" if op == "FLOORDIV" else "locklab_modulo"
        made = self._call(name, INT, [], [as_type(left, INT), as_type(right, INT)])
        return replace(made, effect=left.effect or right.effect)

    # Places

    def _member(self, at: int, base: str, kind: str, path: list[str]) -> Term:
        """The text of a place, with the reads and the effect of its base."""
        term = self._operand(at, base)
        if kind == "word":
            return replace(term, text=term.place or f"*{within(term, PRODUCT)}", place="")
        owner = self.names.base(kind)
        term = as_type(term, self.shapes.address(owner))
        if not path:
            return replace(term, text=term.place or f"*{within(term, PRODUCT)}", place="")
        lead = f"{term.place}." if term.place else f"{within(term, ATOM - 1)}->"
        return replace(term, text=lead + dotted(path), place="")

    def _address(self, at: int, args: dict[str, Any], values: list[Any]) -> Term:
        kind = self.kinds.address(args["type"], args["path"])
        if not values:
            place = self._member(at, args["base"], args["type"], args["path"])
            text = place.text
        else:
            base = self._member(at, args["base"], args["type"], args["path"])
            index = self._int(at, values)
            place = replace(
                base, reads=base.reads | index.reads, effect=base.effect or index.effect
            )
            text = f"{base.text}[{index.text}]"
            owner, _ = self.names.struct(args["type"], args["path"][:-1])
            if self.shapes.wrapped(owner, args["path"][-1]):
                text += ".own"
        return Term(f"&{text}", PRODUCT, kind, place.reads, place.effect, place=text)

    def _place(
        self, at: int, args: dict[str, Any], values: list[Any]
    ) -> tuple[str, str, list[Term], Term]:
        """An operation's address as text, the word's type, its operands, and what all read."""
        kind = self.kinds.word(at, args) or INT
        if args["type"] == "word":
            base = self._operand(at, args["base"])
            address = base.text
        else:
            base = self._member(at, args["base"], args["type"], args["path"])
            address = f"&{base.text}"
        return address, kind, [self._operand(at, v) for v in values], base

    def _word(self, at: int, op: str, args: dict[str, Any], values: list[Any]) -> Term:
        address, kind, given, base = self._place(at, args, values)
        want = kind if op == "SWAP" else INT
        given = [as_type(g, want) for g in given]
        name = _WORDS[op]
        if op == "FETCH_ADD" and (n := given[0].constant) is not None and -(1 << 63) < n < 0:
            name, given = "atomic_fetch_sub_explicit", [number(-n)]
        texts = [address, *(g.text for g in given), _order(args["order"])]
        return self._performed(name, texts, kind, [base, *given])

    def _store(self, at: int, args: dict[str, Any]) -> Term:
        address, kind, given, base = self._place(at, args, [args["a"]])
        value = as_type(given[0], kind)
        texts = [address, value.text, _order(args["order"])]
        return self._performed("atomic_store_explicit", texts, INT, [base, value])

    def _compare_swap(self, at: int, args: dict[str, Any], values: list[Any]) -> Term:
        address, kind, given, base = self._place(at, args, values)
        given = [as_type(g, kind) for g in given]
        texts = [address, *(g.text for g in given), _order(args["order"])]
        return self._performed(self.program.compare_swap(kind), texts, kind, [base, *given])

    def _performed(self, name: str, texts: list[str], kind: str, parts: list[Term]) -> Term:
        reads = frozenset().union(*(p.reads for p in parts))
        return Term(f"{name}({', '.join(texts)})", ATOM, kind, reads, effect=True)

    def _called(self, at: int, args: dict[str, Any]) -> Term:
        spec, _ = self.names.struct(args["type"], args["path"])
        other = self.program.called(spec, args["method"])
        if args["path"]:
            base = self._member(at, args["base"], args["type"], args["path"])
            first = f"&{base.text}"
        else:
            base = as_type(self._operand(at, args["base"]), self.shapes.address(spec))
            first = base.text
        given = [
            as_type(self._operand(at, a), kind)
            for a, kind in zip(args["args"], other.arguments, strict=True)
        ]
        texts = [first, *(["thread"] if other.thread else []), *(g.text for g in given)]
        self.uses_thread |= other.thread
        made = self._performed(other.name, texts, other.returns or INT, [base, *given])
        if not other.returns and self.webs.written(at).uses:
            return replace(made, text=f"({made.text}, 0)")
        return made


def _order(order: int) -> str:
    return f"memory_order_{Order(order).name.lower()}"
