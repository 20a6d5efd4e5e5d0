"""Two ways to run a method alone on a memory of its own: the generator, and its bytecode.

Both write down every operation and mark that they perform, so that a test can compare the two
lists, the results and the memory. The bytecode is interpreted as it is, before any linking.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from locksim.compiler import compile_class
from locksim.compiler.ir import SIGNATURES, ClassCode, Instr, MethodCode
from locksim.core.memory import new_value, wrap64
from locksim.lang import Struct, ops
from locksim.lang.layout import Space
from locksim.lang.ops import Kind, Op, Order

BASE, HEAP = 64, 4096
STEPS = 20_000


@dataclass
class World:
    """One thread on CPU 1 of 4, on node 1 of 2, with a memory, a heap that only grows, and a log.

    Arguments:
        words: the memory; what is not there is 0.
        log: every operation and mark: (name, address or subject, operands, order).
    """

    words: dict[int, int] = field(default_factory=dict)
    log: list[tuple[Any, ...]] = field(default_factory=list)
    space: Space = field(default_factory=lambda: Space(8, 4, n_nodes=2))
    heap: int = HEAP
    drawn: int = 0

    # The context of a running generator
    def cpu(self) -> int:
        return 1

    def thread(self) -> int:
        return 1

    def node(self) -> int:
        return 1

    def n_cpus(self) -> int:
        return 4

    def n_threads(self) -> int:
        return 4

    def now(self) -> int:
        return 0

    def random(self) -> int:
        self.drawn += 1
        return self.drawn * 0x9E3779B97F4A7C15 % (1 << 62)

    def view(self, target: type[Struct], address: int) -> Struct:
        return self.space.view(target, address)

    def perform(self, kind: Kind, address: int, a: int, b: int, order: int) -> int:
        """Perform one operation; the raw result."""
        self.log.append((kind.name, address, a, b, order))
        if Kind.LOAD <= kind <= Kind.FETCH_XOR:
            old = self.words.get(address, 0)
            self.words[address] = wrap64(new_value(kind, old, a, b))
            return old
        return 0

    def allocate(self, target: type[Struct]) -> int:
        """A new object's address."""
        at = self.heap
        self.heap += 64
        self.log.append(("ALLOC", target.__name__))
        return at


def run_generator(spec: Struct, method: str, *arguments: Any) -> tuple[Any, World]:
    """Run a method as Python does; its result as a number (0 for none), and the world."""
    world = World()
    struct = spec.placed(BASE, world.space)
    ops.set_context(world)
    try:
        given = getattr(struct, method)(*arguments)
        if not isinstance(given, Generator):
            return int(given or 0), world
        return int(_drive(given, world) or 0), world
    finally:
        ops.set_context(None)


def _drive(program: Generator[Op, Any, Any], world: World) -> Any:
    result: Any = None
    for _ in range(STEPS):
        try:
            op = program.send(result)
        except StopIteration as e:
            return e.value
        if op.kind == Kind.ALLOC:
            assert op.target is not None
            result = world.view(op.target, world.allocate(op.target))
            continue
        order = int(op.order) if op.kind <= Kind.FENCE else 0
        result = world.perform(op.kind, op.address, op.a, op.b, order)
        if op.wrap is not None:
            result = op.wrap(result)
    raise AssertionError("the program does not end")


def run_bytecode(spec: Struct, method: str, *arguments: int) -> tuple[int, World]:
    """Run a method's bytecode; its result and the world."""
    machine = Machine(World())
    return machine.call(spec, BASE, method, list(arguments)), machine.world


@dataclass
class Machine:
    """An interpreter of unlinked bytecode."""

    world: World
    steps: int = 0

    def call(self, spec: Struct, base: int, name: str, arguments: list[int]) -> int:
        """Run a method of a description that lies at an address."""
        code = compile_class(type(spec))
        method = code.methods[name]
        assert len(arguments) == len(method.arg_types)
        registers = {f"r{i}": value for i, value in enumerate([base, *arguments])}
        at = 0
        while True:
            self.steps += 1
            assert self.steps < STEPS, "the program does not end"
            instr = method.instrs[at]
            if instr.op == "RET":
                return self.operand(instr.args[0], registers, spec)
            at = self.step(instr, at, registers, spec, code, method)

    def operand(self, operand: Any, registers: dict[str, int], spec: Struct) -> int:
        """The number that an operand stands for."""
        if isinstance(operand, int):
            return operand
        if operand.startswith("$"):
            *parts, name = operand[1:].split(".")
            for one in parts:
                spec = spec._parts[one]
            return spec._params[name]
        return registers[operand]

    def place(
        self, spec: Struct, code: ClassCode, kind: str, path: list[str]
    ) -> tuple[Struct, int]:
        """The struct that holds the last field of a path, and the words before that field."""
        if kind == "word":
            return spec, 0
        first, *steps = kind.split(".")
        spec = spec if first == "self" else self.world.space.default(code.types[first])
        for name in steps:
            spec = spec._parts[name]
        offset = 0
        for name in path[:-1]:
            offset += self.world.space.layout(spec).offset(name)
            spec = spec._parts[name]
        if path:
            offset += self.world.space.layout(spec).offset(path[-1])
        return spec, offset

    def step(
        self,
        instr: Instr,
        at: int,
        registers: dict[str, int],
        spec: Struct,
        code: ClassCode,
        method: MethodCode,
    ) -> int:
        """Run one instruction; the index of the next."""
        op, signature = instr.op, SIGNATURES[instr.op]
        values = [
            self.operand(o, registers, spec)
            for role, o in zip(signature, instr.args, strict=True)
            if role == "a"
        ]
        fields = dict(zip(signature, instr.args, strict=False))
        holder, address = spec, 0
        if "path" in fields:
            holder, offset = self.place(spec, code, fields["type"], fields["path"])
            address = self.operand(fields["base"], registers, spec) + offset
        result: int | None = None
        if op in JUMPS:
            return int(fields["label"]) if JUMPS[op](*values) else at + 1
        if op in ARITHMETIC:
            result = wrap64(int(ARITHMETIC[op](*values)))
        elif op in ("CPU", "THREAD", "NODE"):
            result = 1
        elif op in ("NCPUS", "NTHREADS"):
            result = 4
        elif op == "RANDOM":
            ops.set_context(self.world)
            result = ops.random_below(values[0])
        elif op == "EXPONENTIAL":
            ops.set_context(self.world)
            result = ops.random_exponential(values[0])
        elif op == "ASSERT":
            assert values[0]
        elif op == "ADDR":
            result = address
        elif op == "INDEX":
            slot = self.world.space.layout(holder).slot(fields["path"][-1])
            if not 0 <= values[0] < slot.count:
                raise IndexError(values[0])
            result = address + values[0] * slot.stride
        elif op == "CALL":
            inner = holder._parts[fields["path"][-1]] if fields["path"] else holder
            arguments = [self.operand(o, registers, spec) for o in fields["args"]]
            result = self.call(inner, address, fields["method"], arguments)
        elif op == "ALLOC":
            result = self.world.allocate(code.types[fields["type"]])
        elif op == "MARK":
            self.world.log.append(("MARK", values[0], int(fields["mark"]), 0, 0))
        else:
            a, b = [*values, 0, 0][:2]
            order = int(fields.get("order", Order.RELAXED))
            result = self.world.perform(Kind[op], address, a, b, order)
        if "d" in fields:
            assert result is not None
            registers[fields["d"]] = result
        return at + 1


JUMPS = {
    "JMP": lambda: True,
    "JZ": lambda a: a == 0,
    "JNZ": lambda a: a != 0,
    "JEQ": lambda a, b: a == b,
    "JNE": lambda a, b: a != b,
    "JLT": lambda a, b: a < b,
    "JLE": lambda a, b: a <= b,
    "JGT": lambda a, b: a > b,
    "JGE": lambda a, b: a >= b,
}
ARITHMETIC = {
    "MOV": lambda a: a,
    "NEG": lambda a: -a,
    "INV": lambda a: ~a,
    "NOT": lambda a: a == 0,
    "ADD": lambda a, b: a + b,
    "SUB": lambda a, b: a - b,
    "MUL": lambda a, b: a * b,
    "FLOORDIV": lambda a, b: a // b,
    "MOD": lambda a, b: a % b,
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
    "SHL": lambda a, b: a << b,
    "SHR": lambda a, b: a >> b,
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
}
