"""Each access of the compiled program is announced to the explorer: checked, and completed.

``-fsanitize=thread`` puts a call before an access. It leaves some out: a struct that a call returns
or takes, a builtin that fills memory, whatever a later pass of the compiler adds. So each
instruction that touches memory is looked at here, as gcc describes it (:mod:`.rtl`). One of these
has to hold:

- It reads a constant, or touches a place of the function's own frame whose address is not taken.
- The same address was announced before it in the same basic block (:mod:`.values`), and nothing was
  called in between. Behind an announced write, nothing else was announced either: the explorer
  takes the value that it finds at the next call for the one that was written.
- Else an announcement is put directly before it, by a call that keeps all registers (machine.S).

An instruction for which none of these can be done is refused, with its place. The compiler's
announcements that belong to no access are taken out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from locknative.errors import NativeError
from locknative.explorer.machines import Length, Machine, symbol
from locknative.explorer.rtl import Expression, Instruction, instructions
from locknative.explorer.values import LOCAL, Access, Sum, Values

__all__ = ["announced"]

_CALL = re.compile(
    r"__tsan_(?:unaligned_)?(?P<volatile>volatile_)?(?P<does>read|write)(?P<size>\d+|_range)"
)
_WORD = 8
_LABEL = re.compile(r"(?!\.L[A-Z])[^\s:#]+:")  # .LBB2 is the debugger's: nothing jumps there


@dataclass(frozen=True, slots=True)
class Announcement:
    """A call of the compiler's that announces an access.

    Args:
        by: the call. line: where it stands in the assembly.
    """

    at: Sum
    size: int
    writes: bool
    volatile: bool
    by: Instruction
    line: int

    def covers(self, access: Access, of: Instruction, *, is_used: bool) -> bool:
        """Return whether it announces an access; `is_used`: it has announced another one before."""
        if access.size is None or access.size[1] or self.at[1] != access.at[1]:
            return False
        if (access.writes and not self.writes) or (self.volatile and self.writes != access.writes):
            return False
        more = self.size - access.size[0]
        offset = access.at[0] - self.at[0]
        if 0 <= offset <= more:
            return True
        # A bit-field is read with what lies beside it, at which the program does not look. One
        # expression of the program makes both: another one may read the struct that holds it.
        is_around = more <= offset <= 0 and access.size[0] <= _WORD and not access.writes
        is_same = (self.by.place, self.by.column) == (of.place, of.column)
        return is_around and is_same and not is_used


def announced(assembly: str, file: str, machine: Machine, *, volatile_apart: bool) -> str:
    """Return the assembly of a file in which each access is announced.

    Args:
        assembly: gcc's, with ``-dP``, ``-fsanitize=thread`` and the machine's options.
        file: its name, for messages. machine: the processor.
        volatile_apart: volatile accesses are announced as such.

    Raises:
        NativeError: an access that can be announced by no one.
    """
    lines = assembly.splitlines()
    edits = _Edits()
    try:
        for begin, body in _functions(lines):
            _Pass(lines, begin, body, file, edits, machine, volatile_apart).run()
    except ValueError as error:
        raise NativeError(
            f"{file}: gcc describes an instruction in a form that LockLab does not know: {error}"
        ) from error
    return edits.apply(lines)


class _Edits:
    """Lines that come out, and lines that are put before others."""

    def __init__(self) -> None:
        self.out = set[int]()
        self.before = defaultdict[int, list[str]](list)

    def apply(self, lines: list[str]) -> str:
        """Return the text; without gcc's descriptions, which are of no more use."""
        parts = [
            text
            for number, line in enumerate(lines)
            for text in (*self.before.get(number, ()), *([] if number in self.out else [line]))
        ]
        return "\n".join(parts) + "\n"


def _functions(lines: list[str]) -> Iterator[tuple[int, list[Instruction]]]:
    """Each function's first line and its instructions."""
    begin, body = 0, list[Instruction]()
    ends = iter([n for n, line in enumerate(lines) if line.startswith("\t.cfi_endproc")])
    end = next(ends, len(lines))
    for one in instructions(lines):
        while one.first > end:
            if body:
                yield begin, body
            begin, body, end = end, [], next(ends, len(lines))
        body.append(one)
    if body:
        yield begin, body


class _Pass:
    """Goes through the instructions of a function, in order."""

    def __init__(
        self,
        lines: list[str],
        begin: int,
        body: list[Instruction],
        file: str,
        edits: _Edits,
        machine: Machine,
        volatile_apart: bool,
    ) -> None:
        self.lines, self.begin, self.body, self.file = lines, begin, body, file
        self.edits, self.machine, self.volatile_apart = edits, machine, volatile_apart
        self.values = Values(body, machine)
        self.open = list[Announcement]()

    def run(self) -> None:
        """Look at each instruction."""
        calls, used, at = set[int](), set[int](), self.begin
        for one in self.body:
            self.edits.out |= {*range(one.first, one.last + 1)}
            if any(_LABEL.match(line) for line in self.lines[at : one.first]):
                self.values.forget()
                self.open.clear()
            at = one.last + 1
            called = _CALL.fullmatch(_called(one.does)) if one.kind == "call_insn" else None
            if called:
                self._hear(one, called, calls)
                continue
            for access in self.values.accesses(one.does):
                by = next(
                    (
                        known
                        for known in reversed(self.open)
                        if known.covers(access, one, is_used=known.line in used)
                    ),
                    None,
                )
                if by:
                    used.add(by.line)
                elif not self.values.is_own(access):
                    self._forget_writes()
                    self.edits.before[one.first] += self._announce(one, access)
            self.values.run(one.does)
            if one.kind == "call_insn":
                self.open.clear()
                self.values.call(changes=True)
        self.edits.out |= calls - used

    def _hear(self, one: Instruction, called: re.Match[str], calls: set[int]) -> None:
        """The compiler announces something."""
        size = called["size"]
        length = (int(size), ()) if size.isdigit() else self.values.register(self.machine.second)
        line = next(n for n in range(one.last + 1, len(self.lines)) if _is_call(self.lines[n]))
        calls.add(line)
        self._forget_writes()
        if not length[1] and (self.volatile_apart or not called["volatile"]):
            at, writes = self.values.register(self.machine.first), called["does"] == "write"
            self.open.append(
                Announcement(at, length[0], writes, bool(called["volatile"]), one, line)
            )
        self.values.call(changes=False)

    def _forget_writes(self) -> None:
        """Something else is announced: a write would be taken for done."""
        self.open = [one for one in self.open if not one.writes and not one.volatile]

    def _announce(self, one: Instruction, access: Access) -> list[str]:
        """Return the lines that announce an access."""
        volatile = "volatile_" * (self.volatile_apart and access.is_volatile)
        name = f"locklab_announce_{volatile}{'write' if access.writes else 'read'}_range"
        is_local, length, lines = access.segment == LOCAL, self._length(access.size), None
        wide = any(map(self.machine.wide.search, self.lines[self.begin : self.body[-1].last]))
        if length and not wide and (is_local or not access.segment):
            lines = self.machine.lines(name, access.memory, length, is_local)
        if lines is None:
            raise NativeError(
                f"{one.place or self.file}: the compiler does not announce this access to memory, "
                "so the explorer cannot see it: assign an integer, a pointer or a struct instead"
            )
        return lines

    def _length(self, size: Sum | None) -> Length | None:
        """Return an access's length, as far as it is known here or a register counts it."""
        if size is None:
            return None
        number, symbols = size
        if not symbols:
            return Length(number)
        ((what, factor), *more) = symbols
        for register, name in self.machine.counts.items():
            if self.values.register(register) == (0, ((what, 1),)) and not number and not more:
                return Length(factor, name)
        return None


def _is_call(line: str) -> bool:
    return line.startswith(("\tcall\t", "\tbl\t"))


def _called(does: Expression) -> str:
    """The name of the function that an instruction calls, or ""."""
    match does.code, does.operands:
        case (("set" | "parallel" | "vector"), parts):
            names = [_called(part) for part in parts if isinstance(part, Expression)]
            return next(filter(None, names), "")
        case "call", [Expression(operands=[Expression(code="symbol_ref") as function]), *_]:
            return symbol(function.operands[0])
    return ""
