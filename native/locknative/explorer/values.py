"""The values in a function's registers and slots, as sums of symbols: value numbering.

A basic block is run with symbols in place of numbers. A symbol stands for one value of one moment,
so two sums that are written alike are the same number. Registers hold sums, and so do the slots of
the frame that nothing but the function can reach.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from locknative.explorer.machines import Machine
from locknative.explorer.rtl import Expression, Instruction, size_of

__all__ = ["LOCAL", "Access", "Sum", "Values"]

Sum = tuple[int, tuple[tuple[int, int], ...]]
"""A number, and symbols in order, each with its factor."""

_NO_FUNCTION = frozenset({"unspec_volatile", "asm_operands", "asm_input", "call", "mem", "pc"})
"""What is not the same each time that it is computed."""
_STEPS = frozenset({"pre_dec", "pre_inc", "post_dec", "post_inc", "pre_modify", "post_modify"})
_LONGEST = 64
"""Bytes that one instruction writes at most, strings apart."""
_PARTS = frozenset({"zero_extract", "strict_low_part", "subreg", "sign_extract"})
_VARIABLE = re.compile(r"-?\d+ (?:[^ ]*&)?([A-Za-z_$][\w$]*(?:\.\d+)?)(?:\+(\d+) )?")
"""In the attributes of a place in memory, the variable that it belongs to, and where in it."""

_SEGMENT = re.compile(r" AS(\d+)$")
LOCAL = "1"
"""In the attributes of a place in memory, whose addresses begin elsewhere: 1 is x86's segment fs,
where variables of each thread are."""


@dataclass(frozen=True, slots=True)
class Access:
    """What an instruction does to memory.

    Args:
        memory: the expression. at: its address. size: in bytes; None where gcc does not say.
    """

    memory: Expression
    at: Sum
    size: Sum | None
    writes: bool

    @property
    def is_volatile(self) -> bool:
        """Whether the program says so."""
        return "v" in self.memory.flags

    @property
    def segment(self) -> str:
        """Where addresses begin, if not at 0: :data:`LOCAL`, or another of gcc's numbers."""
        found = _SEGMENT.search(self.memory.attributes)
        return found[1] if found else ""


class Values:
    """The values at a place in a function.

    Args:
        body: its instructions. machine: whose they are.
    """

    def __init__(self, body: Sequence[Instruction], machine: Machine) -> None:
        self._machine = machine
        self._frame = _Frame(body, machine)
        self._symbols = dict[Hashable, int]()
        self._next = 0
        self._base = self._symbol("the frame")
        self._own = {self._base}
        self.forget()

    def forget(self) -> None:
        """A new basic block begins."""
        below = (-self._frame.offset, _of(self._base)[1])
        self._registers = {
            self._machine.frame: ("DI", _of(self._base)),
            self._machine.stack: ("DI", self._some_frame() if self._machine.moves else below),
        }
        self._slots = dict[int, tuple[str, Sum]]()

    def register(self, number: int) -> Sum:
        """Return what a register of 8 bytes holds."""
        mode, value = self._registers.get(number, ("", (0, ())))
        if mode != "DI":
            value = self._some()
            self._registers[number] = ("DI", value)
        return value

    def accesses(self, does: Expression) -> Iterator[Access]:
        """Yield what an instruction is about to do to memory: reads first."""
        if any(part.code == "asm_operands" for part in _all(does)):
            return  # judged by its text (program.py)
        found = list(_touched(does))
        for memory, writes in sorted(found, key=lambda one: one[1]):
            yield Access(memory, self._address(memory), self._size(memory, does), writes)

    def is_own(self, access: Access) -> bool:
        """Return whether no other thread can change this place or see a change of it."""
        if "u" in access.memory.flags and not access.writes:
            return True  # a constant
        frames = [one for one, factor in access.at[1] if one in self._own and factor == 1]
        if len(frames) != 1:
            return False
        return frames[0] != self._base or not self._frame.reaches(access.memory)

    def run(self, does: Expression) -> None:
        """Go on behind an instruction."""
        sets = list(_sets(does))
        values = [self._value(one.operands[1]) for one in sets]
        stores = [
            (memory, self._address(memory), self._size(memory, does))
            for memory, writes in _touched(does)
            if writes
        ]
        for part in _all(does):
            if part.code in _STEPS or part.code == "clobber":
                self._lose(part.operands[0])
        for memory, at, size in stores:
            self._store(memory, at, size)
        for one, value in zip(sets, values, strict=True):
            self._set(one.operands[0], value)

    def call(self, *, changes: bool) -> None:
        """Go on behind a call of a function; `changes`: memory too."""
        for number in self._registers.keys() - self._machine.kept:
            del self._registers[number]
        if changes:
            self._slots.clear()

    def _symbol(self, what: Hashable) -> int:
        return self._symbols.setdefault(what, len(self._symbols))

    def _some(self) -> Sum:
        self._next += 1
        return _of(self._symbol(("some", self._next)))

    def _some_frame(self) -> Sum:
        """A place of the frame that is not known: where the stack ends now."""
        some = self._some()
        self._own.add(some[1][0][0])
        return some

    def _address(self, memory: Expression) -> Sum:
        at, segment = self._value(memory.operands[0]), _SEGMENT.search(memory.attributes)
        return _plus(at, _of(self._symbol(segment[1])), 1) if segment else at

    def _size(self, memory: Expression, does: Expression) -> Sum | None:
        if memory.mode == "BLK":  # a string instruction moves its registers on
            at = memory.operands[0]
            for one in _sets(does):
                to = one.operands[0]
                if _register(to) is not None and _register(to) == _register(at):
                    return _plus(self._value(one.operands[1]), self._value(at), -1)
        size = size_of(memory)
        return None if size is None else (size, ())

    def _value(self, of: Expression | str) -> Sum:
        if isinstance(of, str):
            return _of(self._symbol(of))
        match of.code, of.operands:
            case "const_int", [str(number), *_]:
                return (int(number), ())
            case "const", [inner, *_]:
                return self._value(inner)
            case (("symbol_ref" | "label_ref"), [name, *_]):
                return _of(self._symbol((of.code, name)))
            case "reg", _:
                return self._read(of)
            case (("plus" | "minus"), [left, right]):
                factor = 1 if of.code == "plus" else -1
                return _plus(self._value(left), self._value(right), factor)
            case (
                ("mult" | "ashift"),
                [left, Expression(code="const_int", operands=[str(by), *_])],
            ):
                factor = int(by) if of.code == "mult" else 1 << (int(by) & 63)
                return _plus((0, ()), self._value(left), factor)
            case "mem", [Expression(code="const_int", operands=["0", *_])] if _is_local(of):
                return _of(self._symbol(LOCAL))
            case "unspec", [Expression(operands=[inner]), "UNSPEC_NTPOFF"]:
                return self._value(inner)
            case "unspec", [_, "UNSPEC_TP"]:
                return _of(self._symbol(LOCAL))
            case "mem", [at]:
                return self._load(of, self._value(at))
            case code, [register, *_] if code in _STEPS:
                return (
                    self._some_frame()
                    if _register(register) == self._machine.stack
                    else self._some()
                )
        if any(part.code in _NO_FUNCTION for part in _all(of)):
            return self._some()
        parts = tuple(self._value(part) for part in of.operands)
        return _of(self._symbol((of.code, of.mode, parts)))

    def _read(self, register: Expression) -> Sum:
        number = _register(register)
        assert number is not None
        mode, value = self._registers.get(number, ("", (0, ())))
        if mode != register.mode:
            value = self._some()
            if not mode:
                self._registers[number] = (register.mode, value)
        return value

    def _slot(self, memory: Expression, at: Sum) -> int | None:
        """A place of the frame that only the function itself can reach."""
        number, symbols = at
        if symbols != ((self._base, 1),) or self._frame.reaches(memory):
            return None
        return number

    def _load(self, memory: Expression, at: Sum) -> Sum:
        slot = self._slot(memory, at)
        if slot is None or _is_local(memory):
            return self._some()
        mode, value = self._slots.get(slot, ("", (0, ())))
        if mode != memory.mode:
            value = self._some()
            if not mode:
                self._slots[slot] = (memory.mode, value)
        return value

    def _store(self, memory: Expression, at: Sum, size: Sum | None) -> None:
        slot = self._slot(memory, at)
        if slot is None or size is None or size[1]:
            self._slots.clear()
            return
        for other in [one for one in self._slots if slot - _LONGEST < one < slot + size[0]]:
            del self._slots[other]

    def _set(self, to: Expression | str, value: Sum) -> None:
        if not isinstance(to, Expression):
            return
        if to.code == "mem":
            slot = self._slot(to, self._value(to.operands[0]))
            if slot is not None and not _is_local(to):
                self._slots[slot] = (to.mode, value)
            return
        number = _register(to)
        self._lose(to)
        if number is None:
            return
        if number == self._machine.stack:
            return  # as it is now, it is new
        if number == self._machine.frame and value[1] == self.register(self._machine.stack)[1]:
            value = _of(self._base)  # the function's beginning
            self._registers[self._machine.stack] = ("DI", (-self._frame.offset, value[1]))
        self._registers[number] = (to.mode, value)

    def _lose(self, what: Expression | str) -> None:
        """Forget all registers in an expression that is changed."""
        if not isinstance(what, Expression) or what.code == "mem":
            return
        for part in [what, *_all(what)]:
            number = _register(part)
            if number is not None:
                for one in range(number, number + max(1, (size_of(part) or 0) // 8)):
                    self._registers.pop(one, None)
            if number == self._machine.stack:
                self._registers[number] = ("DI", self._some_frame())


class _Frame:
    """Which variables of a frame can be reached from outside, as their address was taken.

    An address belongs to the variable that begins next below it. Of a variable whose beginning gcc
    does not show, an address that lies next below may be one too. gcc names the variable of each
    place in the frame, and places without a name are its own: values without a register, results
    on their way.
    """

    def __init__(self, body: Sequence[Instruction], machine: Machine) -> None:
        self._machine = machine
        self.offset = 0  # of the frame's register from the end of the stack, where that is fixed
        for part in [part for one in body for part in _sets(one.does)]:
            if _register(part.operands[0]) == machine.frame and isinstance(
                part.operands[1], Expression
            ):
                self.offset = _constant(part.operands[1].operands[-1])
                break
        variables, begins, taken = defaultdict[int, set[str]](set), set[str](), set[int]()
        for one in body:
            for memory, _ in _touched(one.does):
                at, (name, offset) = self._place(memory.operands[0]), _variable(memory)
                if at is not None and name:
                    variables[at - (offset or 0)].add(name)
                    begins |= {name} if offset is not None else set()
            for part in _sets(one.does):
                at = self._place(part.operands[1])
                to = _register(part.operands[0])
                if at is not None and to not in (machine.stack, machine.frame, None):
                    taken.add(at)
        self._reached = set[str]()
        for at in taken:
            below = max((place for place in variables if place <= at), default=None)
            above = min((place for place in variables if place > at), default=None)
            self._reached |= variables[below] if below is not None else set()
            self._reached |= variables[above] - begins if above is not None else set()

    def _place(self, at: Expression | str) -> int | None:
        """The place of the frame that an address lies in or begins at."""
        if not isinstance(at, Expression):
            return None
        if at.code == "plus":
            frame = [place for part in at.operands if (place := self._place(part)) is not None]
            return sum(frame) + sum(map(_constant, at.operands)) if frame else None
        if not self._machine.moves and _register(at) == self._machine.stack:
            return -self.offset
        return 0 if _register(at) == self._machine.frame else None

    def reaches(self, memory: Expression) -> bool:
        """Return whether a place in the frame may be reached."""
        return _variable(memory)[0] in self._reached


def _is_local(memory: Expression) -> bool:
    segment = _SEGMENT.search(memory.attributes)
    return bool(segment and segment[1] == LOCAL)


def _variable(memory: Expression) -> tuple[str, int | None]:
    """The variable that a place belongs to, or "", and where in it, as far as gcc says so."""
    found = _VARIABLE.match(memory.attributes)
    return (found[1], int(found[2]) if found[2] else None) if found else ("", None)


def _register(what: Expression | str) -> int | None:
    if isinstance(what, Expression) and what.code == "reg":
        return int(str(what.operands[0]))
    return None


def _constant(of: Expression | str) -> int:
    if isinstance(of, Expression) and of.code == "const_int":
        return int(str(of.operands[0]))
    return 0


def _of(symbol: int) -> Sum:
    return (0, ((symbol, 1),))


def _plus(left: Sum, right: Sum, factor: int) -> Sum:
    symbols = dict(left[1])
    for one, times in right[1]:
        symbols[one] = symbols.get(one, 0) + times * factor
    number = (left[0] + right[0] * factor + (1 << 63)) % (1 << 64) - (1 << 63)
    return number, tuple(sorted((one, times) for one, times in symbols.items() if times))


def _all(of: Expression) -> Iterator[Expression]:
    """All expressions in one, without it."""
    for part in of.parts():
        yield part
        yield from _all(part)


def _sets(does: Expression) -> Iterator[Expression]:
    if does.code == "set":
        yield does
    elif does.code in ("parallel", "vector"):
        for part in does.parts():
            yield from _sets(part)


def _touched(does: Expression) -> Iterator[tuple[Expression, bool]]:
    """Each place in memory that is read (False) or written (True)."""
    match does.code, does.operands:
        case "set", [to, what]:
            yield from _written(to)
            if isinstance(what, Expression):
                yield from _touched(what)
        case "call", [Expression(code="mem", operands=[Expression() as function, *_]), *_]:
            yield from _touched(function)
        case "clobber", _:
            return
        case "mem", [at]:
            if isinstance(at, Expression) and at.code != "scratch":  # a barrier, else
                yield does, False
                yield from _touched(at)
        case _:
            for part in does.parts():
                yield from _touched(part)


def _written(to: Expression | str) -> Iterator[tuple[Expression, bool]]:
    if not isinstance(to, Expression):
        return
    if to.code == "mem":
        for memory, _ in _touched(to):
            yield memory, memory is to
    elif to.code in _PARTS:
        for memory, writes in list(_written(to.operands[0])):
            if writes:
                yield memory, False
            yield memory, writes
