"""Is something on the heap in the end that no thread can give back any more?

As a conservative collector does it: whatever number in live memory is an address inside an object
counts as a pointer to it. A number that happens to equal an address can hide a leak; none is made
up.
"""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.checker.models.model import Model
from locksim.checker.search.explore import Exploration


def leaking(found: Exploration) -> list[int]:
    """The final states with a leaked object that are nearest.

    Arguments:
        found: a complete exploration.
    """
    leaks: list[int] = []
    if not found.model.memory.types:
        return leaks
    sound: dict[int, bool] = {}
    for state in found.finals:
        if leaks and found.space.depth[state] > found.space.depth[leaks[0]]:
            break
        number = found.row_numbers(state)[-1]
        if number not in sound:
            sound[number] = not leaked(found.model, found.shared_row(number))
        if not sound[number]:
            leaks.append(state)
    return leaks


def leaked(model: Model, shared: list[int]) -> list[int]:
    """Addresses of the live objects that no pointer leads to.

    Arguments:
        model: of what. shared: a shared row.
    """
    size = model.tables.size
    wpl, n_lines = 1 << size[m.LINE_SHIFT], size[m.N_LINES]
    live = shared[size[m.LIVE] :][:n_lines]
    kinds = shared[size[m.OBJECT] :][:n_lines]
    objects = {
        at: range(at, at + model.tables.type_lines[kind - 1])
        for at, kind in enumerate(kinds)
        if kind
    }
    owner = {line: at for at, lines in objects.items() for line in lines}
    todo = [line for line in range(n_lines) if live[line] and line not in owner]
    reached: set[int] = set()
    while todo:
        line = todo.pop()
        for value in shared[line * wpl : (line + 1) * wpl]:
            start = owner.get(value // wpl)
            if start is not None and start not in reached:
                reached.add(start)
                todo += objects[start]
    return [at * wpl for at in objects if at not in reached]
