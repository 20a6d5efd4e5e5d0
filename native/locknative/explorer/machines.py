"""The processors on which announcements can be put into a program: registers, and code to put in.

Numbers and names of registers are gcc's. A call that is put in may change no register: machine.S
keeps all but those that hold its arguments, which are saved around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from locknative.explorer.rtl import Expression

__all__ = ["Length", "Machine", "machine", "symbol"]


@dataclass(frozen=True, slots=True)
class Length:
    """How many bytes: a number, or a multiple of what a register holds."""

    number: int = 0
    register: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor.

    Args:
        first, second: registers that hold the arguments of a call. stack: where the stack ends.
        frame: where a function's frame is. kept: registers that a call preserves.
        moves: whether the stack's end moves within a function, and names no variables.
        wide: registers that machine.S does not keep. counts: those that count what a string
            instruction does. options: for the compiler.
        lines: the code that calls a function with the address of a place in memory and a length;
            None if it cannot be made.
    """

    first: int
    second: int
    stack: int
    frame: int
    kept: frozenset[int]
    moves: bool
    wide: re.Pattern[str]
    counts: dict[int, str]
    options: tuple[str, ...]
    lines: Callable[[str, Expression, Length, bool], list[str] | None]


@dataclass(slots=True)
class _Address:
    """An address in parts: names, registers with factors, a number."""

    names: list[str] = field(default_factory=list)
    registers: list[tuple[str, str, int]] = field(default_factory=list)
    number: int = 0


def symbol(name: Expression | str) -> str:
    """Return what the assembly calls the name in a ``symbol_ref``."""
    return str(name).strip('"').removeprefix("*")


def _address(memory: Expression) -> _Address | None:
    """The parts of an address; a register as name, how it is extended, and its factor."""
    parts, on = _Address(), [*memory.parts()]
    while on:
        match (part := on.pop()).code, part.operands:
            case (("plus" | "const" | "lo_sum"), _):
                on += part.parts()
            case "const_int", [number, *_]:
                parts.number += int(str(number))
            case "symbol_ref", [name, *_]:
                parts.names.append(symbol(name))
            case "unspec", [Expression(operands=[Expression() as inner]), "UNSPEC_NTPOFF"]:
                parts.names.append(symbol(inner.operands[0]) + "@tpoff")
            case (("mult" | "ashift"), [Expression() as register, Expression(operands=[by, *_])]):
                factor = int(str(by)) if part.code == "mult" else 1 << int(str(by))
                if not (found := _register(register)):
                    return None
                parts.registers.append((*found, factor))
            case _:
                if not (found := _register(part)):
                    return None
                parts.registers.append((*found, 1))
    parts.registers.sort(key=lambda register: (register[2], register[1]))
    if len(parts.names) > 1 or len(parts.registers) > 2:
        return None
    return parts


def _register(what: Expression) -> tuple[str, str] | None:
    """A register's name, and how it is extended to 8 bytes."""
    match what.code, what.operands:
        case "reg", [_, name, *_]:
            return str(name), ""
        case (("sign_extend" | "zero_extend"), [Expression(code="reg", mode="SI") as register]):
            return str(register.operands[1]), what.code[0]
    return None


def _x86_64(name: str, memory: Expression, length: Length, is_local: bool) -> list[str] | None:
    parts = _address(memory)
    if parts is None or any(extended for _, extended, _ in parts.registers):
        return None
    # What was pushed lies between.
    number = parts.number + 16 * any(register == "sp" for register, *_ in parts.registers)
    registers = [
        (f"%{register}" if register[1:].isdigit() else f"%r{register}", factor)
        for register, _, factor in parts.registers
    ]
    factors = [factor for _, factor in registers] + [length.number] * bool(length.register)
    if not {*factors} <= {1, 2, 4, 8} or (len(registers) == 2 and registers[0][1] > 1):
        return None
    base = next((register for register, factor in registers if factor == 1), "")
    index = next(
        (f",{register},{factor}" for register, factor in registers if register != base), ""
    )
    inside = f"({base}{index})" if registers else ""
    size = f"\tleaq\t0(,{length.register},{length.number}), %rsi"
    return [
        *("\tpushq\t%rsi", "\tpushq\t%rdi"),
        f"\tleaq\t{'+'.join([*parts.names, str(number)])}{inside}, %rdi",
        *["\tmovq\t%fs:0, %rsi", "\tleaq\t(%rsi,%rdi), %rdi"] * is_local,
        size if length.register else f"\tmovl\t${length.number}, %esi",
        *(f"\tcall\t{name}", "\tpopq\t%rdi", "\tpopq\t%rsi"),
    ]


def _aarch64(name: str, memory: Expression, length: Length, is_local: bool) -> list[str] | None:
    parts = _address(memory)
    if parts is None or length.register or is_local or length.number >= 1 << 16:
        return None
    number = parts.number + 32 * any(register == "sp" for register, *_ in parts.registers)
    low, high = abs(number) & 0xFFF, abs(number) >> 12
    if not parts.registers or parts.registers[0][1:] != ("", 1) or high >= 1 << 12:
        return None
    ((base, *_), *index) = parts.registers
    add = "sub" if number < 0 else "add"
    if parts.names:
        if index:
            return None
        address = [f"\tadd\tx0, {base}, :lo12:{parts.names[0]}{number:+d}"]
    else:
        at = base
        address = []
        for register, extended, factor in index:
            by = factor.bit_length() - 1
            how = f"w{register[1:]}, {extended}xtw {by}" if extended else f"{register}, lsl {by}"
            how = how if extended or base != "sp" else f"{register}, uxtx {by}"
            address.append(f"\tadd\tx0, {at}, {how}")
            at = "x0"
        if high:
            address.append(f"\t{add}\tx0, {at}, {high}, lsl 12")
            at = "x0"
        address.append(f"\t{add}\tx0, {at}, {low}")
    return [
        *("\tstp\tx0, x1, [sp, -32]!", "\tstr\tx30, [sp, 16]", *address),
        *(f"\tmov\tx1, {length.number}", f"\tbl\t{name}"),
        *("\tldr\tx30, [sp, 16]", "\tldp\tx0, x1, [sp], 32"),
    ]


_MACHINES = {
    "x86_64": Machine(
        first=5,
        second=4,
        stack=7,
        frame=6,
        kept=frozenset({3, 6, 7, *range(40, 44)}),  # bx, bp, sp, r12 to r15
        moves=True,
        wide=re.compile(r"%[yz]mm\d|%k\d"),
        counts={2: "%rcx"},
        options=("-mno-red-zone",),
        lines=_x86_64,
    ),
    "aarch64": Machine(
        first=0,
        second=1,
        stack=31,
        frame=29,
        kept=frozenset({*range(19, 30), 31, *range(40, 48)}),  # x19 to x29, sp, d8 to d15
        moves=False,
        wide=re.compile(r"\t[^/]*\b[zp]\d+\b"),
        counts={},
        options=(),
        lines=_aarch64,
    ),
}


def machine(name: str) -> Machine:
    """Return a processor by the name that the system gives it.

    Raises:
        KeyError: the explorer does not know it.
    """
    return _MACHINES[{"amd64": "x86_64", "arm64": "aarch64"}.get(name.lower(), name.lower())]
