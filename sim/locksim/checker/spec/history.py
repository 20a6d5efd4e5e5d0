"""Histories: is some order of the operations of a run one of the specification, and why not?

A history is what the operations returned, and which were over before which began. An order of all
operations, one at a time, explains it if the specification can give every result in that order. The
condition says which orders count:

*linearizability*: an operation comes behind all that a client could know to be over when it began
(Herlihy and Wing, TOPLAS 12(3), 1990). *sequential-consistency*: a thread's operations keep their
order, and nothing else counts (Lamport, IEEE ToC 28(9), 1979). *quiescent-consistency*: an
operation comes behind another if at some time in between no operation was under way (Aspnes,
Herlihy and Shavit, JACM 41(5), 1994); even a thread's own may change places if there was none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from locksim.checker.spec.calls import Call, Plan
from locksim.checker.spec.sequential import Specification, State

Before = tuple[int, ...]
"""For each operation the set of those that are over before it begins, as bits."""


@dataclass(frozen=True)
class Operation:
    """A call of a plan: who calls it, and its place among that thread's calls."""

    thread: int
    place: int
    call: Call


def operations(plan: Plan) -> tuple[Operation, ...]:
    """A plan's operations: thread by thread, in the order of the calls."""
    return tuple(
        Operation(thread, place, call)
        for thread, calls in enumerate(plan.threads)
        for place, call in enumerate(calls)
    )


def _closed(before: Before) -> Before:
    """What is before the ones before is before, too."""
    closed = list(before)
    for _ in closed:
        for k, mask in enumerate(closed):
            for j in range(len(closed)):
                if mask >> j & 1:
                    closed[k] |= closed[j]
    return tuple(closed)


def _linearizable(before: Before, own: Before) -> Before:
    return before


def _sequential(before: Before, own: Before) -> Before:
    return own


def _quiescent(before: Before, own: Before) -> Before:
    """Every cut with nothing under way: all that is behind it comes behind all before it."""
    closed, n = _closed(before), len(before)
    found = [0] * n
    for cut in range(1 << n):
        behind = [k for k in range(n) if not cut >> k & 1]
        if all(closed[k] & cut == cut for k in behind):
            for k in behind:
                found[k] |= cut
    return tuple(found)


CONDITIONS: dict[str, Callable[[Before, Before], Before]] = {
    "linearizability": _linearizable,
    "sequential-consistency": _sequential,
    "quiescent-consistency": _quiescent,
}
"""Name → what of the real order, and of the threads' own orders, an explanation must keep."""


@dataclass(frozen=True)
class Explained:
    """The end of a client: its history is one of the specification. An ``End``.

    Arguments:
        specification: of what. plan: the client's. condition: a key of CONDITIONS.
    """

    specification: Specification
    plan: Plan
    condition: str

    @property
    def found(self) -> str:
        """The condition's name."""
        return self.condition

    @property
    def words(self) -> tuple[str, ...]:
        """What each thread knew and how far it got; then the results."""
        known = tuple(f"returned[{t}]" for t in range(len(self.plan.threads)))
        return known + tuple(f"results[{k}]" for k in range(len(operations(self.plan))))

    def wrong(self, values: tuple[int, ...]) -> str:
        """The history, if no order explains it, and how far an explanation gets."""
        n = len(self.plan.threads)
        results, todo = values[n:], operations(self.plan)
        before, own = self._before(values[:n])
        order = CONDITIONS[self.condition](before, own)
        starts = self._starts()
        reached = {0: starts}
        for done in range(1 << len(todo)):
            for k, operation in enumerate(todo):
                if done in reached and not done >> k & 1 and order[k] & ~done == 0:
                    after = self._after(reached[done], operation, results[k])
                    if after:
                        reached.setdefault(done | 1 << k, set()).update(after)
        if (1 << len(todo)) - 1 in reached:
            return ""
        return self._explanation(results, order, reached)

    def _before(self, known: tuple[int, ...]) -> tuple[Before, Before]:
        """What was over before each operation, as its thread found it; and a thread's own order."""
        todo = operations(self.plan)
        first = {(o.thread, o.place): 1 << k for k, o in enumerate(todo)}
        before, own = [], []
        for o in todo:
            mine = sum(first[o.thread, place] for place in range(o.place))
            seen = mine
            for other, count in self._counts(known[o.thread], o):
                seen |= sum(first[other, place] for place in range(count))
            before.append(seen)
            own.append(mine)
        return tuple(before), tuple(own)

    def _counts(self, known: int, operation: Operation) -> list[tuple[int, int]]:
        """Of each other thread how many operations were over; see ``client.py`` for the code."""
        threads = len(self.plan.threads)
        others = [t for t in range(threads) if t != operation.thread]
        later = len(self.plan.threads[operation.thread]) - 1 - operation.place
        digits = known >> 3 >> 3 * len(others) * later
        return [(t, digits >> 3 * k & 7) for k, t in enumerate(reversed(others))]

    def _starts(self) -> set[State]:
        first = (*self.plan.first, *(o.call for o in operations(self.plan)))
        states = {self.specification.start(first[0])}
        for call in self.plan.first:
            outcomes = [self.specification.outcomes(state, call, 0) or () for state in states]
            states = {after for found in outcomes for after, _ in found}
        return states

    def _after(self, states: set[State], operation: Operation, result: int) -> set[State]:
        """The states behind an operation with a result, from any of some states."""
        found = set()
        for state in states:
            outcomes = self.specification.outcomes(state, operation.call, operation.thread) or ()
            found |= {after for after, gives in outcomes if gives == result}
        return found

    # Why not

    def _explanation(
        self, results: tuple[int, ...], order: Before, reached: dict[int, set[State]]
    ) -> str:
        todo, name = operations(self.plan), self.specification.name
        lines = [f"no order of these operations is one of {name}:"]
        lines += [f"  {line}" for line in self._table(results, order)]
        done = max(reached, key=lambda mask: mask.bit_count())
        chain = self._chain(done, results, order)
        lines.append(f"the longest beginning that is: {', '.join(chain) or 'none of them'}")
        for k, operation in enumerate(todo):
            if not done >> k & 1 and order[k] & ~done == 0:
                who = f"thread {operation.thread}'s {operation.call}"
                lines.append(f"  next, {who} {self._instead(reached[done], operation, results[k])}")
        return "\n".join(lines)

    def _table(self, results: tuple[int, ...], order: Before) -> list[str]:
        todo = operations(self.plan)
        lines = []
        if self.plan.first:
            lines.append(f"before all: {'; '.join(map(str, self.plan.first))}")
        for k, o in enumerate(todo):
            others = [
                f"thread {p.thread}'s {p.call}"
                for j, p in enumerate(todo)
                if order[k] >> j & 1 and p.thread != o.thread
            ]
            behind = f", after {' and '.join(others)}" if others else ""
            lines.append(f"thread {o.thread}: {self._did(o, results[k])}{behind}")
        return lines

    def _did(self, operation: Operation, result: int) -> str:
        returns = self.specification.methods[operation.call.method].returns
        return f"{operation.call} returned {result}" if returns else str(operation.call)

    def _chain(self, done: int, results: tuple[int, ...], order: Before) -> list[str]:
        """An order of some operations that the specification has."""
        todo = operations(self.plan)

        def search(mask: int, states: set[State]) -> list[int] | None:
            if mask == done:
                return []
            for k, operation in enumerate(todo):
                if done >> k & 1 and not mask >> k & 1 and order[k] & ~mask == 0:
                    after = self._after(states, operation, results[k])
                    rest = search(mask | 1 << k, after) if after else None
                    if rest is not None:
                        return [k, *rest]
            return None

        return [self._did(todo[k], results[k]) for k in search(0, self._starts()) or []]

    def _instead(self, states: set[State], operation: Operation, result: int) -> str:
        """What the specification would do where an operation returned something else."""
        outcomes = [
            self.specification.outcomes(state, operation.call, operation.thread) for state in states
        ]
        if all(found is None for found in outcomes):
            return "is not allowed"
        gives = sorted({value for found in outcomes if found for _, value in found})
        if not gives:
            return "would have to wait"
        return f"would return {' or '.join(map(str, gives))}, not {result}"
