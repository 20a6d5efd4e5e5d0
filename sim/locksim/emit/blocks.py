"""A method as basic blocks of C statements: the graph that :mod:`locksim.emit.structure` nests."""

from __future__ import annotations

from dataclasses import dataclass, field

from locksim.compiler.control_flow import reachable
from locksim.emit.terms import Term, Test, has_effect, joined, negated

EXIT = -1
"""The number of the block behind a method without a result: where it ends."""


@dataclass(frozen=True)
class Assign:
    """A statement: ``variable = value``, or only the value's effect.

    Arguments:
        variable: what is assigned, "" if nothing is. value: what is computed.
        line: of the source.
    """

    variable: str
    value: Term
    line: int


@dataclass
class Return:
    """A block's end: out of the method."""

    value: Term
    line: int


@dataclass
class Goto:
    """A block's end: on to another."""

    target: int
    line: int


@dataclass
class Branch:
    """A block's end: one of two, the other of which comes next in the source."""

    test: Test
    taken: int
    fall: int
    line: int


@dataclass
class Block:
    """Statements without a jump between them.

    Arguments:
        number: of the first instruction, so that numbers go with the source. last: the number of
            the last block that was merged into it.
    """

    number: int
    last: int
    body: list[Assign] = field(default_factory=list)
    end: Return | Goto | Branch = field(default_factory=lambda: Goto(EXIT, 0))

    def targets(self) -> list[int]:
        """The numbers of the blocks that may come next."""
        match self.end:
            case Goto(target=target):
                return [target]
            case Branch(taken=taken, fall=fall):
                return [fall, taken]
        return []


def simplify(blocks: dict[int, Block], *, void: bool) -> None:
    """Merge blocks that are one test, and the returns of a method without a result into EXIT."""
    if void:
        for block in blocks.values():
            if isinstance(block.end, Return):
                block.end = Goto(EXIT, block.end.line)
    while _skip_empty(blocks) or _merge_test(blocks) or _same_end(blocks):
        _drop_unreachable(blocks)
    _drop_unreachable(blocks)


def _skip_empty(blocks: dict[int, Block]) -> bool:
    """Go round blocks that only go on."""
    changed = False
    for block in blocks.values():
        for target in block.targets():
            other = blocks.get(target)
            if other is None or other.body or not isinstance(other.end, Goto) or other is block:
                continue
            if other.end.target != target:
                _redirect(block, target, other.end.target)
                changed = True
    return changed


def _merge_test(blocks: dict[int, Block]) -> bool:
    """``if a: if b:`` with a common way out is ``a and b``; the like with ``or``."""
    for block in blocks.values():
        if not isinstance(block.end, Branch):
            continue
        first, other = block.end, blocks.get(block.end.fall)
        if other is None or other is block or other.body or not isinstance(other.end, Branch):
            continue
        if (
            other.number <= block.number
            or sum(b.targets().count(other.number) for b in blocks.values()) > 1
        ):
            continue
        second = other.end
        if first.taken == second.taken:
            test = joined(first.test, "||", second.test)
            block.end = Branch(test, second.taken, second.fall, first.line)
        elif first.taken == second.fall:
            test = joined(negated(first.test), "&&", second.test)
            block.end = Branch(test, second.taken, second.fall, first.line)
        else:
            continue
        block.last = other.last
        return True
    return False


def _same_end(blocks: dict[int, Block]) -> bool:
    """A test whose two ways are one is none, if it has no effect of its own."""
    for block in blocks.values():
        end = block.end
        if not isinstance(end, Branch):
            continue
        taken, fall = blocks.get(end.taken), blocks.get(end.fall)
        same = end.taken == end.fall or (
            taken is not None
            and fall is not None
            and not taken.body
            and not fall.body
            and isinstance(taken.end, Return)
            and isinstance(fall.end, Return)
            and taken.end.value == fall.end.value
        )
        if same and not has_effect(end.test):
            block.end = Goto(end.fall, end.line)
            return True
    return False


def _redirect(block: Block, old: int, new: int) -> None:
    match block.end:
        case Goto():
            block.end.target = new
        case Branch() as end:
            end.taken = new if end.taken == old else end.taken
            end.fall = new if end.fall == old else end.fall


def _drop_unreachable(blocks: dict[int, Block]) -> None:
    reached = reachable([min(blocks)], lambda n: blocks[n].targets() if n != EXIT else ())
    for number in set(blocks) - reached:
        del blocks[number]
