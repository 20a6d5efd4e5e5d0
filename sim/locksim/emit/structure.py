"""From blocks to nested statements: if, while, for, do, break, continue and return again.

A block is written where the block that dominates it immediately ends; if several jumps lead to it,
after everything that comes before it, so that most of them are simply the end of a branch. A loop
reaches from its head to the last jump back to it, as in the source (:mod:`locksim.compiler.tidy`
keeps loops together); what leaves it is written behind it. The idea is Ramsey's (Beyond Relooper,
ICFP 2022); where his blocks need a way out through several levels, C has ``goto``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from locksim.emit.blocks import EXIT, Assign, Block, Branch, Goto, Return
from locksim.emit.terms import Term, Test, has_effect, negated, shown, truth


@dataclass
class If:
    """A branch."""

    test: Test
    then: list[Statement]
    other: list[Statement]
    line: int


@dataclass
class Loop:
    """A loop.

    Arguments:
        test: to go on, None for ever. at_end: whether it is asked after the body.
        first, step: of a for loop.
    """

    test: Test | None
    body: list[Statement]
    line: int
    at_end: bool = False
    first: Assign | None = None
    step: Assign | None = None


@dataclass(frozen=True)
class Leave:
    """``break``, ``continue``, or ``goto`` a label."""

    text: str
    line: int


@dataclass(frozen=True)
class Label:
    """The target of a ``goto``."""

    name: str


Statement = Assign | Return | If | Loop | Leave | Label


def structured(blocks: dict[int, Block]) -> list[Statement]:
    """The statements of a method."""
    _split_latches(blocks)
    builder = _Nesting(blocks)
    body = builder.tree(min(blocks), EXIT)
    _tidy(body, builder.labels)
    return body


@dataclass
class _Open:
    """A loop that is being written: its head, where ``continue`` and ``break`` go."""

    head: int
    again: int
    follow: int


@dataclass
class _Nesting:
    blocks: dict[int, Block]
    opened: set[int] = field(default_factory=set)
    claimed: set[int] = field(default_factory=set)
    labels: set[int] = field(default_factory=set)
    loops: list[_Open] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sources: dict[int, list[int]] = {number: [] for number in self.blocks}
        self.end: dict[int, int] = {}
        for number, block in self.blocks.items():
            for target in block.targets():
                if target == EXIT:
                    continue
                self.sources[target].append(number)
                if target <= number:
                    self.end[target] = max(self.end.get(target, 0), block.last)
        for head in sorted(self.end, reverse=True):
            # The last jump back may stand in the head of a loop inside; all of that belongs to it.
            inside = [self.end[n] for n in self.end if head < n <= self.end[head]]
            self.end[head] = max([self.end[head], *inside])
        self.above = _dominators(self.blocks, self.sources)

    def tree(self, number: int, after: int) -> list[Statement]:
        """A block and all that it dominates; ``after`` is where control goes by itself then."""
        if number in self.end and number not in self.opened:
            return self._loop(number, after)
        later = [
            n
            for n in sorted(self.blocks)
            if self.above[n] == number and n not in self.claimed and self._is_meeting(n)
        ]
        self.claimed.update(later)
        return self._one_by_one(lambda to: self._block(number, to), later, after)

    def _one_by_one(
        self, first: Callable[[int], list[Statement]], later: list[int], after: int
    ) -> list[Statement]:
        made = first([*later, after][0])
        for k, number in enumerate(later):
            made.append(Label(_label(number)))
            made += self.tree(number, [*later, after][k + 1])
        return made

    def _is_meeting(self, number: int) -> bool:
        """Whether several jumps forward lead to a block that cannot be written at each."""
        forward = [n for n in self.sources[number] if n < number]
        return len(forward) > 1 and not self._is_return(number)

    def _is_return(self, number: int) -> bool:
        block = self.blocks[number]
        return not block.body and isinstance(block.end, Return) and not block.end.value.effect

    def _loop(self, head: int, after: int) -> list[Statement]:
        self.opened.add(head)
        end = self.end[head]
        behind = [
            n
            for n in sorted(self.blocks)
            if n > end
            and head <= self.above[n] <= end
            and n not in self.claimed
            and (head in self.sources[n] or not self._is_return(n))
        ]
        self.claimed.update(behind)
        follow = behind[0] if behind else after
        latch = self._latch(head, follow)
        again = head if latch is None else latch
        if latch is not None:
            self.claimed.add(latch)

        def written(_: int) -> list[Statement]:
            self.loops.append(_Open(head, again, follow))
            loop = Loop(None, self.tree(head, again), _line(self.blocks[head]))
            self.loops.pop()
            if latch is not None:
                block = self.blocks[latch]
                loop.step = block.body[0]
                if isinstance(block.end, Branch):
                    loop.test, loop.at_end = block.end.test, True
            return [loop]

        return self._one_by_one(written, behind, after)

    def _latch(self, head: int, follow: int) -> int | None:
        """The block that counts a ``for`` loop, if that is one."""
        back = [n for n in self.sources[head] if n >= head]
        block = self.blocks[back[0]]
        if len(back) != 1 or back[0] == head or len(block.body) != 1:
            return None
        if not _counts(block, self.blocks[head]):
            return None
        fits = isinstance(block.end, Goto) or block.targets() == [follow, head]
        return back[0] if fits else None

    def _block(self, number: int, after: int) -> list[Statement]:
        block = self.blocks[number]
        made: list[Statement] = [*block.body]
        match block.end:
            case Return() as end:
                made.append(end)
            case Goto(target=target, line=line):
                made += self._go(number, target, after, line)
            case Branch() as end:
                then = self._go(number, end.fall, after, end.line)
                other = self._go(number, end.taken, after, end.line)
                made += _branch(end, then, other)
        return made

    def _go(self, source: int, target: int, after: int, line: int) -> list[Statement]:
        """Get to a block from the end of another."""
        loop = self.loops[-1] if self.loops else None
        if target == after:
            return []
        if loop is not None and target == loop.again:
            return [Leave("continue", line)]
        returns = target == EXIT or self._is_return(target)
        if loop is not None and target == loop.follow and (not returns or source == loop.head):
            return [Leave("break", line)]
        if target == EXIT:
            return [Return(Term(""), line)]
        if self._is_return(target):
            end = self.blocks[target].end
            assert isinstance(end, Return)
            return [end]
        if target in self.claimed or target in self.opened:
            self.labels.add(target)
            return [Leave(f"goto {_label(target)}", line)]
        return self.tree(target, after)


def _split_latches(blocks: dict[int, Block]) -> None:
    """Give the counting at the end of a ``for`` loop's body a block of its own."""
    for block in list(blocks.values()):
        head = min(block.targets(), default=EXIT)
        if not EXIT < head <= block.number or not _counts(block, blocks[head]):
            continue
        if len(block.body) > 1 or head == block.number:
            # The step and the jump are two instructions: there is a number between.
            latch = Block(block.number + 1, block.last + 1, [block.body.pop()], block.end)
            blocks[latch.number] = latch
            block.end = Goto(latch.number, latch.body[0].line)
            block.last = block.number


def _counts(block: Block, head: Block) -> bool:
    """Whether a block that jumps back ends as a ``for`` loop's body does: on the head's line."""
    step = block.body[-1] if block.body else None
    if step is None or step.value.effect or step.variable not in step.value.reads:
        return False
    if step.line != block.end.line:
        return False
    return isinstance(block.end, Branch) or (
        isinstance(block.end, Goto) and isinstance(head.end, Branch) and head.end.line == step.line
    )


def _branch(end: Branch, then: list[Statement], other: list[Statement]) -> list[Statement]:
    """An if; where one way leaves, the rest is not indented."""
    if not then and not other and has_effect(end.test):
        # Both ways go on to the same place: what is left is what the test does.
        done = replace(truth(end.test), text=f"(void)({shown(end.test)})")
        return [Assign("", done, end.line)]
    if not then:
        return [If(end.test, other, [], end.line)] if other else []
    if not other:
        return [If(negated(end.test), then, [], end.line)]
    short = len(other) == 1 and leaves(other)
    if leaves(then) and not (short and len(then) > 1):
        return [If(negated(end.test), then, [], end.line), *other]
    if leaves(other):
        return [If(end.test, other, [], end.line), *then]
    return [If(negated(end.test), then, other, end.line)]


def leaves(body: list[Statement]) -> bool:
    """Whether control never comes to the end of a list of statements."""
    if not body:
        return False
    match body[-1]:
        case Return() | Leave():
            return True
        case If(then=then, other=other):
            return leaves(then) and leaves(other)
        case Loop(test=None, body=inner):
            return not _breaks(inner)
    return False


def _breaks(body: list[Statement]) -> bool:
    for one in body:
        if isinstance(one, Leave) and one.text == "break":
            return True
        if isinstance(one, If) and (_breaks(one.then) or _breaks(one.other)):
            return True
    return False


def _tidy(body: list[Statement], labels: set[int]) -> None:
    """Drop labels that no goto names; give loops their tests."""
    wanted = {_label(n) for n in labels}
    body[:] = [_chosen(s) for s in body if not isinstance(s, Label) or s.name in wanted]
    for one in body:
        if isinstance(one, If):
            _tidy(one.then, labels)
            _tidy(one.other, labels)
        elif isinstance(one, Loop):
            _tidy(one.body, labels)
            _test(one)
    _counting(body)


def _chosen(one: Statement) -> Statement:
    """``if (a) x = 1; else x = 0;`` is ``x = a``."""
    match one:
        case If(test=test, then=[Assign() as yes], other=[Assign() as no], line=line):
            if yes.variable == no.variable and (yes.value.constant, no.value.constant) == (1, 0):
                return Assign(yes.variable, truth(test), line)
    return one


def _test(loop: Loop) -> None:
    """``for (;;) { if (a) break; … }`` is ``while (!a)``."""
    if loop.test is not None:
        return
    first = loop.body[0] if loop.body else None
    if isinstance(first, If) and _is_break(first.then) and not first.other:
        loop.test, loop.line = negated(first.test), first.line
        del loop.body[0]
        return
    last = loop.body[-1] if loop.body else None
    if isinstance(last, If) and _is_break(last.then) and not last.other and loop.step is None:
        if not _continues(loop.body) and len(loop.body) > 1:
            loop.test, loop.at_end = negated(last.test), True
            del loop.body[-1]


def _is_break(body: list[Statement]) -> bool:
    return len(body) == 1 and isinstance(body[0], Leave) and body[0].text == "break"


def _continues(body: list[Statement]) -> bool:
    for one in body:
        if isinstance(one, Leave) and one.text == "continue":
            return True
        if isinstance(one, If) and (_continues(one.then) or _continues(one.other)):
            return True
    return False


def _counting(body: list[Statement]) -> None:
    """Put the start of a counting loop into its head."""
    for k in range(len(body) - 1, 0, -1):
        before, loop = body[k - 1], body[k]
        if not isinstance(loop, Loop) or loop.step is None or not isinstance(before, Assign):
            continue
        if before.variable == loop.step.variable and before.line == loop.step.line:
            if loop.at_end and before.value.constant is None:
                continue
            # The first round of a loop from one number to another that asks last is certain.
            loop.first, loop.at_end = before, False
            del body[k - 1]


def _dominators(blocks: dict[int, Block], sources: dict[int, list[int]]) -> dict[int, int]:
    """The immediate dominator of every block; the first one's is EXIT."""
    first = min(blocks)
    every = set(blocks)
    over = dict.fromkeys(blocks, every) | {first: {first}}
    changed = True
    while changed:
        changed = False
        for n in sorted(every - {first}):
            new = set.intersection(*(over[s] for s in sources[n])) | {n}
            if new != over[n]:
                over[n], changed = new, True
    above = {first: EXIT}
    for n in every - {first}:
        above[n] = max(over[n] - {n}, key=lambda m: len(over[m]))
    return above


def _line(block: Block) -> int:
    return block.body[0].line if block.body else block.end.line


def _label(number: int) -> str:
    return f"at_{number}"
