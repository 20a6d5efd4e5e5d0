"""A way down in the lattice of memory orders, to orders of which no single one can be weaker.

Many sets of orders are minimal: of two stores one may need RELEASE, and either can be the one. The
way leads to *a* minimum. It prefers the earlier operations of its list, and so whoever makes the
list decides which operations become cheap.

Few questions are asked, since an answer holds for others. Orders that are weaker everywhere than
refuted ones are refuted, and orders that are stronger everywhere than proven ones are proven. All
operations are weakened at once where that holds; if it does not, each half of them is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from locksim.compiler.orders import Change, Operation, is_weaker

Orders = tuple[Change, ...]
"""An order for each operation."""
Holds = Callable[[Orders], bool]
"""Whether a program with these orders is proven."""


def descend(operations: Sequence[Operation], holds: Holds, top: Orders, floor: Orders) -> Orders:
    """Orders between two others that hold, with as many at the floor as the way finds.

    Arguments:
        operations: which, those that are to be weak first.
        holds: what is asked; ``top`` holds.
        top: to begin with. floor: what no order may go below.
    """
    return _Descent(operations, Memory(holds), floor).down(top, range(len(operations)))


def settle(operations: Sequence[Operation], holds: Holds, orders: Orders) -> Orders:
    """Orders of which no single one can be weaker.

    Arguments:
        operations: which. holds: what is asked, of every single step down.
        orders: to begin with; they hold.
    """
    for k, operation in enumerate(operations):
        for order in operation.next_weaker(orders[k]):
            lower = with_order(orders, k, order)
            if holds(lower):
                return settle(operations, holds, lower)
    return orders


def with_order(orders: Orders, k: int, order: Change) -> Orders:
    """The same orders, but for one operation."""
    return (*orders[:k], order, *orders[k + 1 :])


class Memory:
    """Remembers answers, and asks only what does not follow from them.

    Arguments:
        holds: what is asked.
    """

    def __init__(self, holds: Holds) -> None:
        self._holds = holds
        self._proven: list[Orders] = []
        self._refuted: list[Orders] = []

    def __call__(self, orders: Orders) -> bool:
        """Whether orders hold."""
        if any(_are_weaker(known, orders) for known in self._proven):
            return True
        if any(_are_weaker(orders, known) for known in self._refuted):
            return False
        holds = self._holds(orders)
        (self._proven if holds else self._refuted).append(orders)
        return holds


class _Descent:
    def __init__(self, operations: Sequence[Operation], holds: Holds, floor: Orders) -> None:
        self.operations, self.holds, self.floor = operations, holds, floor

    def down(self, orders: Orders, which: Sequence[int]) -> Orders:
        """The orders with some operations as weak as they can be, the others as they are."""
        lowest = list(orders)
        for k in which:
            lowest[k] = self.floor[k]
        if self.holds(tuple(lowest)):
            return tuple(lowest)
        if len(which) == 1:
            return self._single(orders, which[0])
        half = len(which) // 2
        return self.down(self.down(orders, which[:half]), which[half:])

    def _single(self, orders: Orders, k: int) -> Orders:
        """The orders with one operation as weak as it can be."""
        for order in self.operations[k].weaker():
            between = is_weaker(self.floor[k], order) and is_weaker(order, orders[k])
            lower = with_order(orders, k, order)
            if between and order != orders[k] and self.holds(lower):
                return lower
        return orders


def _are_weaker(some: Orders, others: Orders) -> bool:
    return all(map(is_weaker, some, others))
