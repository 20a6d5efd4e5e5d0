"""The search for the weakest orders, and what is lost without each of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from locksim.checker.errors import CheckError
from locksim.checker.limits import UNFINISHED
from locksim.checker.verdict import LIVENESS, Budget, Verdict
from locksim.checker.weakest.descent import Memory, Orders, descend, settle, with_order
from locksim.compiler.frontend import compile_class
from locksim.compiler.orders import TRAP, Change, Operation, Position, operations
from locksim.lang.struct import Struct

Progress = Callable[[str, float], None]
Size = Mapping[str, Any]
"""Keywords of a check that say how large it is, such as ``threads`` and ``rounds``."""

_DEAREST_FIRST = ("fence", "store")
"""Kinds of operations that are weakened first: a full fence or a SEQ_CST store costs most on real
machines. Read-modify-writes follow, and loads come last."""


class Ask(Protocol):
    """A check with other keywords than usual."""

    def __call__(
        self,
        *,
        orders: Mapping[Position, Change],
        budget: Budget,
        simplest: bool,
        **more: Any,
    ) -> Verdict:
        """The verdict on a program with other orders."""


@dataclass(frozen=True)
class Loss:
    """What happens with an order that is weaker than the weakest one.

    Arguments:
        order: the weaker one. verdict: violated, with its counterexample, or unfinished, or proven
            within limits where the given orders are proven without any.
    """

    order: Change
    verdict: Verdict


@dataclass(frozen=True)
class WeakestOrder:
    """An operation's order.

    Arguments:
        operation: which, with the order that its source gives.
        order: the weakest, the given one if it is not performed.
        performed: whether a thread performs it in this check. Nothing is known of it otherwise.
        losses: what breaks with the next weaker orders; empty for the weakest that there is.
    """

    operation: Operation
    order: Change
    performed: bool = True
    losses: tuple[Loss, ...] = ()

    @property
    def too_strong(self) -> bool:
        """Whether the order that the source gives is stronger than needed."""
        return self.order != self.operation.order

    @property
    def decided(self) -> bool:
        """Whether it is known of each weaker order that it does not suffice."""
        return all(loss.verdict.verdict != UNFINISHED for loss in self.losses)


@dataclass(frozen=True)
class Weakest:
    """Orders of which no single one can be weaker.

    Arguments:
        verdict: on the program with these orders; on the given ones if those are not proven.
        orders: of each operation, in the order of the source; empty if the given orders are not
            proven.
        checks: verdicts that were asked for. states: of all of them. seconds: of the CPU.
        elsewhere: file → operations in it that the program may perform, too; their orders stay as
            they are.
    """

    verdict: Verdict
    orders: tuple[WeakestOrder, ...] = ()
    checks: int = 0
    states: int = 0
    seconds: float = 0.0
    elsewhere: Mapping[str, int] = field(default_factory=dict)

    @property
    def decided(self) -> bool:
        """Whether no order can be weaker, for sure."""
        return all(order.decided for order in self.orders)


def weakest(
    struct: Struct | type[Struct],
    ask: Ask,
    budget: Budget,
    *,
    sizes: Sequence[Size] = ({},),
    report: Progress | None = None,
) -> Weakest:
    """The weakest orders of the operations in the file of a struct.

    Arguments:
        struct: class or description of what is checked.
        ask: gives a verdict.
        budget: of all checks together; each may have as many states and as much memory.
        sizes: of the checks, the smallest first. What is violated in a small one needs no larger
            one; the orders are proven in the last.
        report: called before each check with a line of text, and the share of the time used.

    Raises:
        CheckError, CompileError, LinkError, SimulationError: as ``ask`` does.
    """
    cls = struct if isinstance(struct, type) else type(struct)
    known, file = operations(struct), compile_class(cls).file
    own = [operation for operation in known if operation.position[0] == file]
    found = _Weakest(ask, budget, sizes, report).of(own)
    elsewhere = Counter(op.position[0] for op in known if op.position[0] != file)
    return replace(found, elsewhere=elsewhere)


def refuse(memory: str, property_: str) -> None:
    """Refuse a question whose answer depends on no order.

    Raises:
        CheckError: the memory model has no orders, or a property cannot be asked under it.
    """
    if memory == "sc":
        raise CheckError(
            "--weaken under sc: memory orders have no effect there\n"
            "help: ask under --memory c11 or tso"
        )
    if property_ in LIVENESS:
        raise CheckError(
            f"--weaken with --property {property_}: memory orders decide what a thread sees, not "
            "whether it goes on\nhelp: leave --property out"
        )


@dataclass
class _Weakest:
    ask: Ask
    budget: Budget
    sizes: Sequence[Size]
    report: Progress | None
    checks: int = 0
    states: int = 0
    within: bool = False
    began: float = field(default_factory=time.process_time)
    known: dict[tuple[int, bool, Orders], Verdict] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)

    def of(self, source: Sequence[Operation]) -> Weakest:
        given = self._ask(len(self.sizes) - 1, {})
        if not given.is_proof():
            return self._answer(given)
        self.within = bool(given.limits)
        performed = self._performed(source, given)
        self.operations = sorted(performed, key=_cost)
        top: Orders = tuple(operation.order for operation in self.operations)
        floor: Orders = tuple([*op.weaker(), op.order][0] for op in self.operations)
        for last in range(len(self.sizes)):
            holds = Memory(partial(self._holds, last))
            floor = descend(self.operations, holds, top, floor)
        orders = settle(self.operations, lambda some: self._refuted(some) is None, floor)
        verdict = self._verdict(len(self.sizes) - 1, orders)
        of = {op: k for k, op in enumerate(self.operations)}
        return self._answer(
            verdict,
            tuple(
                WeakestOrder(op, orders[of[op]], losses=self._losses(orders, of[op]))
                if op in of
                else WeakestOrder(op, op.order, performed=False)
                for op in source
            ),
        )

    def _answer(self, verdict: Verdict, orders: tuple[WeakestOrder, ...] = ()) -> Weakest:
        return Weakest(verdict, orders, self.checks, self.states, self._spent())

    def _performed(self, source: Sequence[Operation], given: Verdict) -> list[Operation]:
        """The operations that some thread performs."""
        ran = {(place.file, place.line, place.column) for place in given.ran}
        return [op for op in source if op.position in ran or self._reached(op)]

    def _reached(self, operation: Operation) -> bool:
        """Whether a thread comes to a fence, which no exploration stops at."""
        trap = {operation.position: TRAP}
        return operation.name == "fence" and any(
            self._ask(size, trap, property="assertion").verdict == "violated"
            for size in range(len(self.sizes))
        )

    def _holds(self, last: int, orders: Orders) -> bool:
        """Whether orders are proven in every size up to one."""
        return all(self._suffices(self._verdict(size, orders)) for size in range(last + 1))

    def _suffices(self, verdict: Verdict) -> bool:
        """Whether a proof is as good as that of the given orders: no limit has come with it."""
        return verdict.is_proof() and (self.within or not verdict.limits)

    def _refuted(self, orders: Orders) -> Verdict | None:
        """The verdict of the smallest size in which orders do not suffice; None: there is none."""
        verdicts = (self._verdict(k, orders, simplest=True) for k in range(len(self.sizes)))
        return next((verdict for verdict in verdicts if not self._suffices(verdict)), None)

    def _losses(self, orders: Orders, k: int) -> tuple[Loss, ...]:
        weaker = self.operations[k].next_weaker(orders[k])
        verdicts = [(order, self._refuted(with_order(orders, k, order))) for order in weaker]
        return tuple(Loss(order, verdict) for order, verdict in verdicts if verdict is not None)

    def _verdict(self, size: int, orders: Orders, *, simplest: bool = False) -> Verdict:
        """The verdict on orders; each is asked for once."""
        key = size, simplest, orders
        if key not in self.known:
            wanted = zip(self.operations, orders, strict=True)
            changed = {op.position: order for op, order in wanted if order != op.order}
            self.known[key] = self._ask(size, changed, simplest=simplest)
        return self.known[key]

    def _ask(
        self,
        size: int,
        orders: Mapping[Position, Change],
        *,
        simplest: bool = False,
        **more: Any,
    ) -> Verdict:
        spent, most = self._spent(), self.budget.max_seconds
        if self.report is not None:
            self.report(f"{self.checks} checks, {self.states:,} states", min(1.0, spent / most))
        left = replace(self.budget, max_seconds=max(1e-3, most - spent))
        verdict = self.ask(
            orders=orders, budget=left, simplest=simplest, **{**self.sizes[size], **more}
        )
        self.checks, self.states = self.checks + 1, self.states + verdict.states
        return verdict

    def _spent(self) -> float:
        return time.process_time() - self.began


def _cost(operation: Operation) -> tuple[int, Position]:
    """Where an operation stands among those that are to be weak."""
    kinds = [*_DEAREST_FIRST, operation.name]
    return kinds.index(operation.name) + (operation.name == "load"), operation.position
