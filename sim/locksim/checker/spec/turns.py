"""A load of operations in turns, after which an object is as it began.

The operations are those of sequences that bring the specification back to its first state, drawn
from a seed. CPUs perform them one CPU after another, many times, and each result must be the one of
the specification. What is left is the first state, in words that have been used: a check of
histories can begin there (:mod:`locksim.checker.models.prior_use`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import islice, product

from locksim.checker.client import TEST_CLIENT
from locksim.checker.errors import CheckError
from locksim.checker.spec.calls import Call
from locksim.checker.spec.sequential import Method, Specification, State
from locksim.compiler.frontend import compile_source
from locksim.compiler.sources import is_method
from locksim.lang.randomness import draw
from locksim.lang.struct import Struct, Workload

__all__ = ["load", "sequences"]

Step = tuple[Call, int]
"""A call and what it returns."""
NUMBER = 6
"""Sequences of a load."""
LONGEST = 6
"""Calls of a sequence that are drawn; the shortest way back follows."""
TRIES = 8 * NUMBER
MOST_STATES = 64
"""States among which a way back is looked for."""
MOST_ARGUMENTS = 8
"""Of one operation."""


def load(
    implementation: Struct | type[Struct], specification: Struct | type[Struct], seed: int
) -> Workload:
    """The load, with the object in its part ``object``.

    Its parameters: ``rounds``, sequences of a thread at most, each draws its own; ``step`` and
    ``offset``: only every ``step``-th CPU comes, from ``offset`` on; ``think_ps``: a CPU that waits
    for its turn looks again after a multiple of it.

    Arguments:
        implementation: whose operations are called. specification: what gives the results.
        seed: of the sequences.

    Raises:
        CheckError: no sequence leads back, or threads have to rest between operations.
    """
    atomic = Specification(specification, 1)
    object_ = implementation() if isinstance(implementation, type) else implementation
    if is_method(type(object_), "quiescent") and "quiescent" not in atomic.methods:
        raise CheckError(
            f"{type(object_).__name__} has quiescent(), so threads cannot take turns with it"
        )
    text = _HEAD + "".join(map(_branch, range(NUMBER), sequences(atomic, seed), [atomic] * NUMBER))
    found = compile_source(text, TEST_CLIENT)["Turns"].struct(object=object_)
    assert isinstance(found, Workload)
    return found


def sequences(atomic: Specification, seed: int) -> list[list[Step]]:
    """Drawn sequences of operations that lead from the first state to others and back to it.

    An operation that waits, is not allowed, or may do several things is left out.

    Raises:
        CheckError: there is no such sequence.
    """
    calls = [
        Call(method.name, arguments)
        for method in atomic.methods.values()
        for arguments in _arguments(method)
    ]
    begin, found = atomic.start(calls[0]), list[list[Step]]()
    for k in range(TRIES):
        state, steps, seen = begin, list[Step](), set[State]()
        for i in range(1 + draw(seed, k, 0) % LONGEST):
            able = _able(atomic, state, calls)
            if able:
                call, result, state = able[draw(seed, k, 1 + i) % len(able)]
                steps.append((call, result))
                seen.add(state)
        back = _back(atomic, state, begin, calls)
        if back is not None and seen - {begin}:
            found.append(steps + back)
        if len(found) == NUMBER:
            break
    if not found:
        raise CheckError(
            f"no sequence of operations leads back to the first state of {atomic.name}: it cannot "
            "be used many times and be as it began"
        )
    return found


def _arguments(method: Method) -> list[tuple[int, ...]]:
    """Of a method's calls."""
    return [*islice(product(*(range(1, most + 1) for most in method.most)), MOST_ARGUMENTS)]


def _able(
    atomic: Specification, state: State, calls: Sequence[Call]
) -> list[tuple[Call, int, State]]:
    """The calls that can do one thing only, each with its result and the state behind it."""
    found = []
    for call in calls:
        outcomes = atomic.outcomes(state, call, 0)
        if outcomes is not None and len(outcomes) == 1:
            ((after, result),) = outcomes
            found.append((call, result, after))
    return found


def _back(
    atomic: Specification, state: State, begin: State, calls: Sequence[Call]
) -> list[Step] | None:
    """A shortest way back; None if there is none among few states."""
    ways: dict[State, list[Step]] = {state: []}
    todo = [state]
    for here in todo:
        if here == begin or len(todo) > MOST_STATES:
            break
        for call, result, after in _able(atomic, here, calls):
            if after not in ways:
                ways[after] = [*ways[here], (call, result)]
                todo.append(after)
    return ways.get(begin)


_HEAD = textwrap.dedent('''\
    from locksim.lang import *


    class Turns(Workload):
        """Sequences of operations, by one CPU after another."""

        rounds = param(1)
        think_ps = param(1000 * NS)
        step = param(1)
        offset = param(0)
        object = part(Struct)
        turn = word(padded=True)
        room = array(64, word())

        def thread(self):
            if cpu() % self.step == self.offset:
                while (yield self.turn.load(ACQUIRE)) != cpu() // self.step:
                    yield compute(16 * self.think_ps)
                rounds = random_below(self.rounds + 1)
                for _ in range(rounds):
                    yield compute(1 * NS)
                    yield from self.sequence(random_below({number}))
                    yield done()
                yield self.turn.store(cpu() // self.step + 1, RELEASE)

        def sequence(self, number):
    ''').replace("{number}", str(NUMBER))


def _branch(number: int, steps: Sequence[Step], atomic: Specification) -> str:
    """The calls of a sequence in the language; the last result must be right, as all others."""
    lines = [f"        if number == {number}:"]
    for call, result in steps:
        if atomic.methods[call.method].returns:
            lines.append(f"            result = yield from self.object.{call}")
            lines.append(f"            assert result == {result}  # {call} gives it here")
        else:
            lines.append(f"            yield from self.object.{call}")
    return "\n".join(lines) + "\n"
