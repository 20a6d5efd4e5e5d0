"""Linking: methods with symbolic fields that call one another → one table of numbers.

A method is linked once for every description that it is called on (a struct with other parameters
or parts has other offsets and callees). There is no recursion, so every linked method has its
registers at a fixed place in the thread's register file, above those of all its callers: calls need
no stack, and a thread's state is one row of numbers.

Where a metered method calls another method of the same struct, only the outermost one counts. So
the inner one is linked once more, without the meters' marks, for calls from there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from locksim.compiler import bytecode as b
from locksim.compiler.addresses import Addresses
from locksim.compiler.addresses import LinkError as LinkError
from locksim.compiler.bytecode import WIDTH, Image, Place
from locksim.compiler.control_flow import label
from locksim.compiler.counted import Counted
from locksim.compiler.frontend import compile_class
from locksim.compiler.ir import SIGNATURES, ClassCode, Instr, MethodCode, selves
from locksim.compiler.mistakes import mistakes
from locksim.compiler.sources import is_method
from locksim.compiler.spin import spin_loops
from locksim.compiler.timeless import Timeless, takes_time
from locksim.lang.layout import Space
from locksim.lang.ops import SEQ_CST
from locksim.lang.struct import METER_MARKS, METERS, Struct

_Key = tuple[Any, str, bool]
"""Description, method, and whether a metered method of the same struct has called it."""


@dataclass
class _Function:
    """A method on a description: where its code and registers lie.

    Arguments:
        known: for each argument, whether every caller passes a number that can end a counted loop.
        counted: the method's counted loops.
    """

    spec: Struct
    code: ClassCode
    method: MethodCode
    names: Addresses
    marked: bool
    window: int = 0
    entry: int = 0
    calls: list[_Key] = field(default_factory=list)
    known: list[bool] = field(default_factory=list)
    counted: Counted | None = None

    def __post_init__(self) -> None:
        self.known = [True] * len(self.method.arg_types)

    def place(self, line: int, index: int = -1, column: int = -1) -> Place:
        """A line of the method, and the instruction there."""
        whose = f"{self.code.name}.{self.method.plain_name}"
        return Place(self.method.file, line, whose, index, column)

    @property
    def size(self) -> int:
        """Registers: the method's own, the return address, the result."""
        return self.method.n_registers + 2

    @property
    def link(self) -> int:
        return self.window + self.method.n_registers

    @property
    def result(self) -> int:
        return self.window + self.method.n_registers + 1

    @property
    def metered(self) -> bool:
        """Whether a meter is at work while it runs."""
        return self.method.role in METERS or not self.marked

    @property
    def callees(self) -> dict[int, _Key]:
        """What each call calls, by its instruction."""
        at = (k for k, instr in enumerate(self.method.instrs) if instr.op == "CALL")
        return dict(zip(at, self.calls, strict=True))

    def calls_self(self, call: Instr) -> bool:
        """Whether a call is for the struct that the method itself was called for."""
        _, base, _, path, *_ = call.args
        return not path and base in selves(self.method)


def link(
    struct: Struct,
    space: Space,
    base: int,
    *,
    program: str = "thread",
    weak_fences: bool = False,
) -> Image:
    """Link a workload's ``thread`` program, and its ``task`` program if it has one.

    Arguments:
        struct: the description of a workload, or of a struct that has the ``program``.
        space: the machine's line size and CPUs.
        base: word address at which the struct will lie.
        program: the name of another program to link instead.
        weak_fences: keep fences that are weaker than SEQ_CST. The engines know none: they take no
            time.

    Raises:
        CompileError: a method is outside the language.
        LinkError: a call that cannot be resolved, recursion, an iteration of a loop that takes
            no time.
    """
    return _Linker(space, weak_fences).link(struct, base, program)


def _settings(spec: Struct) -> tuple[Any, ...]:
    """A description without the identity of its classes: one may be parsed, the other live."""
    parts = tuple((name, _settings(part)) for name, part in spec._parts.items())
    return type(spec).__name__, tuple(spec._params.items()), parts


class _Linker:
    def __init__(self, space: Space, weak_fences: bool = False) -> None:
        self.space, self.weak_fences = space, weak_fences
        self.functions: dict[_Key, _Function] = {}
        self.constants: dict[int, int] = {}
        self.types: list[type[Struct]] = []
        self.rows: list[list[int]] = []
        self.places: list[Place] = []
        self.fixups: list[tuple[int, int, _Key]] = []

    def link(self, struct: Struct, base: int, program: str = "thread") -> Image:
        roots = [self._function(struct, program, [])]
        if program == "thread" and is_method(type(struct), "task"):
            roots.append(self._function(struct, "task", []))
        self._check_time(roots)
        for value in (0, base):
            self._constant(value)
        for key in self.functions:
            self._collect_constants(self.functions[key])
        self._place_windows(roots)
        entries = [self._start(root, base) for root in roots]
        for function in self.functions.values():
            self._emit(function)
        self._types_of_setups(struct)
        for row, column, key in self.fixups:
            self.rows[row][column] = self.functions[key].entry
        n = max(f.window + f.size for f in self.functions.values())
        registers = [0] * n
        for value, at in self.constants.items():
            registers[at] = value
        return Image(
            tuple(tuple(row) for row in self.rows),
            entries[0],
            tuple(registers),
            tuple(self.places),
            tuple(self.types),
            task_entry=entries[1] if len(entries) > 1 else -1,
        )

    # Finding the functions

    def _function(self, spec: Struct, name: str, path: list[_Key], *, marked: bool = True) -> _Key:
        key = (spec.key(), name, not marked)
        if key in path:
            chain = " -> ".join(k[1] for k in [*path[path.index(key) :], key])
            raise LinkError(f"{type(spec).__name__}.{name} calls itself ({chain}): use a loop")
        if key not in self.functions:
            code = compile_class(type(spec))
            if name not in code.methods:
                known = ", ".join(sorted(code.methods)) or "none"
                caller = f", which {path[-1][1]}() calls" if path else ""
                raise LinkError(f"{code.name} has no program {name}(){caller} (it has: {known})")
            names = Addresses(spec, code.types, self.space)
            self.functions[key] = _Function(spec, code, code.methods[name], names, marked)
        function = self.functions[key]
        self._check_pointers(function)
        calls = []
        for instr in function.method.instrs:
            if instr.op == "CALL":
                _, _, kind, fields, method, args = instr.args
                inner = function.names.struct(kind, fields)[0]
                again = function.metered and function.calls_self(instr)
                callee = self._function(inner, method, [*path, key], marked=not again)
                takes = len(self.functions[callee].method.arg_types)
                if takes != len(args):
                    raise LinkError(
                        f"{function.method.file}:{instr.line}: {method}() of "
                        f"{self.functions[callee].code.name} takes {takes} arguments, "
                        f"not {len(args)}"
                    )
                calls.append(callee)
            elif instr.op == "ALLOC":
                target = function.code.types[instr.args[1]]
                if target not in self.types:
                    self.types.append(target)
        function.calls = calls
        return key

    def _check_pointers(self, function: _Function) -> None:
        """Refuse a pointer to a struct with other settings than the class that it is taken for."""
        method = function.method
        for given, to, line in method.widened:
            one, other = function.names.base(given), function.names.base(to)
            if _settings(one) != _settings(other):
                raise LinkError(
                    f"{method.file}:{line}: {function.code.name}.{method.plain_name} takes "
                    f"{one!r} for {other!r}: a pointer to {type(other).__name__} means a struct "
                    "of exactly this class with its default settings\n"
                    "help: declare the default settings in a class of its own, and name it"
                )

    def _types_of_setups(self, struct: Struct) -> None:
        """Memory has to know what set-up programs allocate too; they are not part of the image."""
        scan = _Linker(self.space)
        todo: list[Struct] = [struct]
        while todo:
            spec = todo.pop()
            todo += spec._parts.values()
            if is_method(type(spec), "setup"):
                scan._function(spec, "setup", [])
        self.types += [t for t in scan.types if t not in self.types]

    # Programs that would never let time pass

    def _check_time(self, roots: list[_Key]) -> None:
        """Refuse every cycle of a method on which no operation takes time."""
        order = [*self._callees_first(roots)]
        for key in reversed(order):
            function = self.functions[key]
            arguments = {
                "r0": False,
                **{f"r{1 + k}": known for k, known in enumerate(function.known)},
            }
            function.counted = Counted(function.method.instrs, arguments, function.names.number)
            calls = iter(function.calls)
            for at, instr in enumerate(function.method.instrs):
                if instr.op == "CALL":
                    callee = self.functions[next(calls)]
                    passed = [function.counted.is_known(a, at) for a in instr.args[5]]
                    callee.known = [a and b for a, b in zip(callee.known, passed, strict=True)]
        timeless: dict[_Key, Timeless] = {}
        for key in order:
            timeless[key] = self._timeless(self.functions[key], timeless)

    def _callees_first(
        self, keys: list[_Key], seen: dict[_Key, None] | None = None
    ) -> dict[_Key, None]:
        seen = {} if seen is None else seen
        for key in keys:
            if key not in seen:
                self._callees_first(self.functions[key].calls, seen)
                seen[key] = None
        return seen

    def _timeless(self, function: _Function, callees: dict[_Key, Timeless]) -> Timeless:
        """A function's ways without time; refuses a loop on them."""
        instrs, calls = function.method.instrs, function.callees
        timed = [
            takes_time(i) or (k in calls and not callees[calls[k]].returns)
            for k, i in enumerate(instrs)
        ]
        assert function.counted is not None
        ways = Timeless(function.counted, timed)
        loop = ways.loop()
        if loop:
            where = f"{function.method.file}:{instrs[loop[0]].line}"
            counts = any(label(instrs[last]) == loop[0] for last in function.counted.forms)
            idle = [] if counts else self._idle(function, loop, callees)
            parts = [f for f in idle if f.spec.key() != function.spec.key()]
            if parts:
                raise LinkError(
                    f"{parts[0].method.file}:{parts[0].method.line}: {parts[0].code.name}."
                    f"{parts[0].method.plain_name}: this method may return without any time "
                    f"passing, and the loop at {where} repeats it\n"
                    "help: perform an operation on every way through the method"
                )
            found = mistakes()["long-range" if counts else "endless-loop"]
            raise LinkError(
                f"{where}: {function.code.name}.{function.method.name}: {found.message}\n"
                f"help: {found.help}"
            )
        return ways

    def _idle(
        self, function: _Function, at: Iterable[int], callees: dict[_Key, Timeless]
    ) -> list[_Function]:
        """The programs that return without time, among those that are called at instructions.

        A program that only passes on to such programs is left out for them.
        """
        found: list[_Function] = []
        for key in (function.callees[k] for k in at if k in function.callees):
            callee = self.functions[key]
            if callee.method.is_program and callees[key].returns:
                found += self._idle(callee, sorted(callees[key].reached()), callees) or [callee]
        return found

    # Registers

    def _constant(self, value: int) -> int:
        return self.constants.setdefault(value, len(self.constants))

    def _collect_constants(self, function: _Function) -> None:
        for instr in function.method.instrs:
            for role, operand in zip(SIGNATURES[instr.op], instr.args, strict=True):
                for one in (
                    operand if role == "args" else [operand] if role in ("a", "base") else []
                ):
                    if not (isinstance(one, str) and one.startswith("r")):
                        self._constant(function.names.number(one))

    def _place_windows(self, roots: list[_Key]) -> None:
        first = len(self.constants)
        order = list(self._callees_first(roots))
        for function in self.functions.values():
            function.window = first
        for key in reversed(order):
            caller = self.functions[key]
            for callee in caller.calls:
                f = self.functions[callee]
                f.window = max(f.window, caller.window + caller.size)

    # Code

    def _row(self, place: Place, *fields: int) -> int:
        self.rows.append([*fields, *[0] * (WIDTH - len(fields))])
        self.places.append(place)
        return len(self.rows) - 1

    def _start(self, root: _Key, base: int) -> int:
        f = self.functions[root]
        place = f.place(f.method.line)
        entry = self._row(place, b.MOV, f.window, self._constant(base))
        call = self._row(place, b.CALL, f.link, 0)
        self.fixups.append((call, 2, root))
        self._row(place, b.EXIT)
        return entry

    def _emit(self, function: _Function) -> None:
        function.entry = len(self.rows)
        instrs = function.method.instrs
        loops = spin_loops(function.method)
        starts: list[int] = []
        heads: dict[int, int] = {}
        jumps: list[tuple[int, int, int]] = []
        calls = iter(function.calls)
        for k, instr in enumerate(instrs):
            starts.append(len(self.rows))
            place = function.place(instr.line, k, instr.column)
            if k in loops:
                self._row(place, b.SPIN_ENTER)
                heads[k] = self._row(place, b.SPIN)
            if label(instr) is not None:
                jumps.append((len(self.rows), k, label(instr) or 0))
            self._instruction(function, instr, place, calls)
        for row, k, target in jumps:
            again = target in loops and target <= k <= loops[target]
            self.rows[row][1] = heads[target] if again else starts[target]

    def _instruction(self, f: _Function, instr: Instr, place: Place, calls: Any) -> None:
        args = dict(zip(SIGNATURES[instr.op], instr.args, strict=False))

        def reg(operand: str | int) -> int:
            if isinstance(operand, str) and operand.startswith("r"):
                return f.window + int(operand[1:])
            return self.constants[f.names.number(operand)]

        plain = [
            reg(o) if role in ("d", "a", "base") else 0
            for role, o in zip(SIGNATURES[instr.op], instr.args, strict=True)
            if role in ("d", "a", "base")
        ]
        op = instr.op
        if op == "CALL":
            _, base, kind, path, _, operands = instr.args
            key = next(calls)
            callee = self.functions[key]
            self._row(place, b.ADDI, callee.window, reg(base), f.names.struct(kind, path)[1])
            for i, operand in enumerate(operands):
                self._row(place, b.MOV, callee.window + 1 + i, reg(operand))
            self.fixups.append((self._row(place, b.CALL, callee.link, 0), 2, key))
            self._row(place, b.MOV, reg(instr.args[0]), callee.result)
        elif op == "RET":
            self._row(place, b.MOV, f.result, reg(instr.args[0]))
            self._row(place, b.RET, f.link)
        elif op in ("JMP", "JZ", "JNZ", "JEQ", "JNE", "JLT", "JLE", "JGT", "JGE"):
            self._row(place, getattr(b, op), 0, *plain)
        elif op == "ADDR":
            offset = f.names.offset(instr.args[2], instr.args[3])
            self._row(place, b.ADDI, reg(instr.args[0]), reg(instr.args[1]), offset)
        elif op == "INDEX":
            d, base, kind, path, index = instr.args
            slot = f.names.slot(kind, path)
            self._row(
                place,
                b.INDEX,
                reg(d),
                reg(base),
                slot.offset,
                reg(index),
                slot.stride,
                slot.count,
            )
        elif "path" in args:
            self._memory(f, instr, place, reg)
        elif op == "MARK":
            if not f.marked and instr.args[0] in METER_MARKS:
                return
            self._row(place, b.MARK, int(instr.args[0]), reg(instr.args[1]))
        elif op == "ALLOC":
            number = self.types.index(f.code.types[instr.args[1]])
            self._row(place, b.ALLOC, reg(instr.args[0]), 0, 0, 0, 0, number)
        elif op == "FENCE":
            if self.weak_fences or instr.args[0] == SEQ_CST:
                self._row(place, b.FENCE, *[0] * (WIDTH - 2), instr.args[0])
        elif op in ("COMPUTE", "WAKE", "FREE", "SWITCH", "TIMER"):
            self._row(place, getattr(b, op), 0, 0, 0, plain[0])
        elif op == "ASSERT":
            self._row(place, b.ASSERT, 0, plain[0])
        else:
            self._row(place, getattr(b, op), *plain)

    def _memory(self, f: _Function, instr: Instr, place: Place, reg: Any) -> None:
        operands = [o for r, o in zip(SIGNATURES[instr.op], instr.args, strict=True) if r == "a"]
        named = dict(zip(SIGNATURES[instr.op], instr.args, strict=False))
        offset = f.names.offset(named["type"], named["path"])
        values = [reg(o) for o in operands] + [0] * (2 - len(operands))
        op, order, was_store = instr.op, int(named["order"]), 0
        if op == "STORE" and order == SEQ_CST:
            # As compilers emit for x86; the result goes to a register that is never read.
            op, was_store = "SWAP", 1
        d = reg(named["d"]) if "d" in named else f.result
        self._row(place, getattr(b, op), d, reg(named["base"]), offset, *values, was_store, order)
