"""Types in C of a method's variables, and of the fields that it names.

The bytecode names the types of arguments, results and bases only. The rest follows: a variable has
the type of what is put into it, and NULL fits any pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from locksim.compiler.addresses import Addresses
from locksim.compiler.ir import SIGNATURES, Instr
from locksim.emit.terms import INT, is_pointer
from locksim.emit.webs import Webs
from locksim.lang.fields import array, word

if TYPE_CHECKING:
    from locksim.emit.method import Program


class Kinds:
    """The types of one method, as text."""

    def __init__(
        self, program: Program, names: Addresses, webs: Webs, instrs: Sequence[Instr]
    ) -> None:
        self.program, self.shapes = program, program.shapes
        self.names, self.webs, self.instrs = names, webs, instrs

    def declared(self, kind: str) -> str:
        """The type of an argument or a result, from how the bytecode writes it."""
        sort, _, rest = kind.partition(":")
        if sort == "ptr":
            return self.shapes.address(self.names.base(rest))
        if sort == "ref":
            inner = self.declared(rest)
            return f"_Atomic({inner}) *"
        return INT

    def infer(self) -> None:
        """Give every variable a type; those of arguments are known.

        It takes several rounds where a pointer comes through several variables.
        """
        webs = [*self.webs.named.values(), *self.webs.temporaries()]
        fixed = {id(w) for w in webs if w.type}
        changed = True
        while changed:
            changed = False
            for web in webs:
                if id(web) in fixed or is_pointer(web.type):
                    continue
                for at in web.defs:
                    kind = self._result(at)
                    if kind and kind != web.type and (is_pointer(kind) or not web.type):
                        web.type, changed = kind, True
        for web in webs:
            web.type = web.type or INT

    def _result(self, at: int) -> str:
        """The type of what an instruction computes; "" while it is not known, or for NULL."""
        instr = self.instrs[at]
        args = dict(zip(SIGNATURES[instr.op], instr.args, strict=True))
        match instr.op:
            case "MOV":
                operand = instr.args[1]
                if isinstance(operand, str) and operand.startswith("r"):
                    return self.webs.read(at, operand).type
                return "" if operand == 0 else INT
            case "ADDR" | "INDEX":
                return self.address(args["type"], args["path"])
            case "LOAD" | "SWAP" | "COMPARE_SWAP":
                return self.word(at, args)
            case "CALL":
                spec, _ = self.names.struct(args["type"], args["path"])
                return self.program.called(spec, args["method"]).returns or INT
            case "ALLOC":
                return self.shapes.address(self.names.base(args["type"]))
        return INT

    def address(self, kind: str, path: list[str]) -> str:
        """The type of the address of a field."""
        owner, _ = self.names.struct(kind, path[:-1])
        name = path[-1]
        field = type(owner).FIELDS[name]
        if isinstance(field, array):
            return f"{self.shapes.element(owner, name)} *"
        if isinstance(field, word):
            return f"_Atomic({self.shapes.word(field)}) *"
        return self.shapes.address(owner._parts[name])

    def word(self, at: int, args: dict[str, Any]) -> str:
        """The type of what the word holds that an operation works on; "" while not known."""
        if args["type"] == "word":
            kind = self.webs.read(at, args["base"]).type
            return kind.removeprefix("_Atomic(").removesuffix(") *") if kind else ""
        owner, _ = self.names.struct(args["type"], args["path"][:-1])
        field = type(owner).FIELDS[args["path"][-1]]
        assert isinstance(field, word)
        return self.shapes.word(field)
