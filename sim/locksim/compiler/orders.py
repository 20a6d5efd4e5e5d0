"""The memory orders of a program: where they are written, and the same program with others.

Orders are changed in the linked bytecode, and no file is edited. An operation is named by its place
in the source, so it is the same one in every program that is linked from that source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from locksim.compiler import bytecode as b
from locksim.compiler.bytecode import Image, Place
from locksim.compiler.frontend import compile_class
from locksim.compiler.ir import SIGNATURES, ClassCode, Instr
from locksim.compiler.operations import FREE_FORMS, WORD_FORMS
from locksim.lang.ops import ACQ_REL, ACQUIRE, RELAXED, RELEASE, SEQ_CST, Order
from locksim.lang.struct import Struct

Position = tuple[str, int, int]
"""File, line from 1, and column from 0 at which an operation begins."""
Change = Order | str
"""What an operation has instead of its order: another order, GONE or TRAP."""
GONE = "none"
"""The change that takes a fence away."""
TRAP = "trap"
"""The change that makes an assertion which fails of an operation: a check finds whether any thread
comes there."""

_STRENGTH: dict[Change, int] = {GONE: 0, RELAXED: 0, ACQUIRE: 1, RELEASE: 2, ACQ_REL: 3, SEQ_CST: 7}
"""A bit for each guarantee of an order."""
_NOT_RUN = ("setup", "invariant")
"""Programs that no thread runs."""


class Operation(NamedTuple):
    """An operation that has a memory order.

    Attributes:
        position: where it is written. method: in which method, ``Class.method``.
        name: of the operation, such as "load" or "fence". text: what is called, as in
            ``now_serving.load``. order: the one that the source gives.
    """

    position: Position
    method: str
    name: str
    text: str
    order: Order

    def weaker(self) -> list[Change]:
        """The orders that are weaker than the given one, the weakest first."""
        form = FREE_FORMS.get(self.name) or WORD_FORMS[self.name]
        known: tuple[Change, ...] = (*([GONE] if self.name == "fence" else []), *form.orders)
        found = [order for order in known if order != self.order and is_weaker(order, self.order)]
        return sorted(found, key=lambda order: _STRENGTH[order])

    def next_weaker(self, than: Change) -> list[Change]:
        """The orders that are weaker than one, and not weaker than another such order."""
        below = [order for order in self.weaker() if order != than and is_weaker(order, than)]
        return [a for a in below if not any(a != z and is_weaker(a, z) for z in below)]


def is_weaker(one: Change, other: Change) -> bool:
    """Whether every guarantee of an order is one of another's; also where both are the same."""
    return _STRENGTH[one] & _STRENGTH[other] == _STRENGTH[one]


def operations(struct: Struct | type[Struct]) -> list[Operation]:
    """The operations with an order of a struct, and of all structs whose methods it may call.

    They come in the order of the source, those of the struct's own file first.

    Raises:
        CompileError: a method is outside the language.
    """
    whole = struct() if isinstance(struct, type) else struct
    known = {op.position: op for code in _classes(whole) for op in _of_class(code)}
    own = compile_class(type(whole)).file
    return sorted(known.values(), key=lambda found: (found.position[0] != own, found.position))


def with_orders(image: Image, orders: Mapping[Position, Change]) -> Image:
    """The same program with other orders.

    Arguments:
        image: the linked program.
        orders: the operations that have another order; all the rest stays.
    """
    code = [
        _changed(image, k, orders[where]) if (where := _position(place)) in orders else row
        for k, (row, place) in enumerate(zip(image.code, image.places, strict=True))
    ]
    return replace(image, code=tuple(code)) if orders else image


def _changed(image: Image, k: int, change: Change) -> tuple[int, ...]:
    """Row ``k`` with another order, if it is an operation that has one."""
    op, *fields, _ = image.code[k]
    if not (op == b.FENCE or b.LOAD <= op <= b.FETCH_XOR):
        return image.code[k]
    rest = [0] * (b.WIDTH - 2)
    if change == TRAP:
        return b.ASSERT, 0, image.registers.index(0), *rest[1:]
    if change == GONE:
        return b.JMP, k + 1, *rest
    if op == b.STORE or (op == b.SWAP and fields[5]):  # a store with SEQ_CST is a swap
        op, fields[5] = (b.SWAP, 1) if change == SEQ_CST else (b.STORE, 0)
    return op, *fields, int(change)


def _position(place: Place) -> Position:
    return place.file, place.line, place.column


def _classes(struct: Struct) -> Iterator[ClassCode]:
    """The code of a struct, of its parts, and of every class that their code names."""
    todo, seen = [struct], {struct.key()}
    while todo:
        one = todo.pop()
        code = compile_class(type(one))
        yield code
        for inner in (*one._parts.values(), *(named() for named in code.types.values())):
            if inner.key() not in seen:
                seen.add(inner.key())
                todo.append(inner)


def _of_class(code: ClassCode) -> Iterator[Operation]:
    for method in code.methods.values():
        if method.plain_name in _NOT_RUN:
            continue
        for instr in method.instrs:
            if "order" not in SIGNATURES[instr.op]:
                continue
            order = instr.args[SIGNATURES[instr.op].index("order")]
            where = (method.file, instr.line, instr.column)
            whose = f"{code.name}.{method.plain_name}"
            text = _text(code, instr) if method.file == code.file else instr.op.lower()
            yield Operation(where, whose, instr.op.lower(), text, Order(int(order)))


def _text(code: ClassCode, instr: Instr) -> str:
    """What an instruction of a class's own file calls, as it is written there."""
    line = code.source.splitlines()[instr.line - 1]
    try:
        call = ast.parse(line[instr.column : instr.end_column], mode="eval").body
    except SyntaxError:  # it goes on in the next line
        return instr.op.lower()
    return ast.unparse(call.func).removeprefix("self.") if isinstance(call, ast.Call) else ""
