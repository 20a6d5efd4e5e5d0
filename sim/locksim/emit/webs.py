"""Variables of a method: which definitions and uses of a register are one variable of C.

A register with a name is one variable. A temporary register is used again and again for different
things; each set of definitions that reach common uses is a variable by itself (a *web*). The marks
of the meters are taken out first: they do nothing in C.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from locksim.compiler.control_flow import label, reachable, successors
from locksim.compiler.ir import SIGNATURES, Instr, MethodCode


def without_marks(method: MethodCode) -> list[Instr]:
    """A method's instructions but for the marks, and for what only chose between marks."""
    kept = _without(method.instrs, {k for k, i in enumerate(method.instrs) if i.op == "MARK"})
    idle = {k for k, i in enumerate(kept) if i.op in ("JZ", "JNZ") and _returns_alike(kept, k)}
    kept = _without(kept, idle)
    reached = reachable([0], lambda at: successors(kept, at))
    return _without(kept, set(range(len(kept))) - reached)


def _returns_alike(instrs: Sequence[Instr], at: int) -> bool:
    """Whether both ways from a jump end the method with one result."""
    one, other = (instrs[k] for k in successors(instrs, at))
    return one.op == other.op == "RET" and one.args == other.args


def _without(instrs: Sequence[Instr], gone: set[int]) -> list[Instr]:
    """The other instructions, jumps adapted."""
    index = [k - sum(g < k for g in gone) for k in range(len(instrs) + 1)]
    kept = []
    for k, instr in enumerate(instrs):
        if k in gone:
            continue
        to = label(instr)
        if to is not None:
            args = (*instr.args[:-1], index[to])
            instr = Instr(instr.op, args, instr.line, instr.column, instr.end_column)
        kept.append(instr)
    return kept


def defined(instr: Instr) -> str | None:
    """The register that an instruction writes."""
    return str(instr.args[0]) if SIGNATURES[instr.op][:1] == ("d",) else None


def used(instr: Instr) -> list[str]:
    """The registers that an instruction reads, in order."""
    found: list[object] = []
    for role, operand in zip(SIGNATURES[instr.op], instr.args, strict=True):
        if role in ("a", "base"):
            found.append(operand)
        elif role == "args":
            found += operand
    return [o for o in found if isinstance(o, str) and o.startswith("r")]


@dataclass
class Web:
    """A variable: a register's, or a part of a temporary's life.

    Arguments:
        name: in C; "" for a temporary that has none yet. type: in C, "" while it is not known.
        defs, uses: instructions that write and read it (one that reads it twice counts twice).
    """

    register: str
    name: str = ""
    type: str = ""
    defs: list[int] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)


class Webs:
    """All variables of a method.

    Arguments:
        method: its code. instrs: its instructions without marks.
        name: gives the C name of a variable of the program.
    """

    def __init__(
        self, method: MethodCode, instrs: Sequence[Instr], name: Callable[[str], str]
    ) -> None:
        self.instrs = instrs
        self.named = {
            f"r{k}": Web(f"r{k}", name(said)) for k, said in enumerate(method.registers) if said
        }
        self._writes: dict[int, Web] = {}
        self._reads: dict[tuple[int, str], Web] = {}
        for at, instr in enumerate(instrs):
            register = defined(instr)
            if register is not None:
                web = self.named.get(register) or Web(register)
                web.defs.append(at)
                self._writes[at] = web
        for at, instr in enumerate(instrs):
            for register in used(instr):
                if register in self.named:
                    self._reads[at, register] = self.named[register]
        for at in list(self._writes):
            if self._writes[at].register not in self.named:
                self._reach(at)
        for at, instr in enumerate(instrs):
            for register in used(instr):
                self.read(at, register).uses.append(at)

    def written(self, at: int) -> Web:
        """The variable that an instruction writes."""
        return self._writes[at]

    def read(self, at: int, register: str) -> Web:
        """The variable behind a register that an instruction reads."""
        return self._reads[at, register]

    def temporaries(self) -> list[Web]:
        """The variables that have no name in the program."""
        found = {id(w): w for w in self._writes.values() if w.register not in self.named}
        return list(found.values())

    def _reach(self, start: int) -> None:
        """Find the uses of a definition, and join it with what else reaches them."""
        register = self._writes[start].register
        todo, seen = successors(self.instrs, start)[::-1], set()
        while todo:
            at = todo.pop()
            if at in seen:
                continue
            seen.add(at)
            if register in used(self.instrs[at]):
                other = self._reads.setdefault((at, register), self._writes[start])
                self._join(other, self._writes[start])
            if defined(self.instrs[at]) != register:
                todo += successors(self.instrs, at)[::-1]

    def _join(self, one: Web, other: Web) -> None:
        if one is other:
            return
        one.defs += other.defs
        for at in other.defs:
            self._writes[at] = one
        for key, web in self._reads.items():
            if web is other:
                self._reads[key] = one
