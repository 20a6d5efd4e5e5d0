"""Is something on the heap in the end that nobody can give back any more?

As a conservative collector does it: whatever number in live memory is an address inside an object
counts as a pointer to it. A number that happens to equal an address can hide a leak; none is made
up.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from locksim.checker.models import model as m
from locksim.checker.models.model import Model
from locksim.checker.search.explore import Exploration

_Int = npt.NDArray[np.int64]


def leaking(found: Exploration) -> int | None:
    """The first final state with a leaked object, or None.

    Arguments:
        found: a complete exploration.
    """
    if not found.model.memory.types:
        return None
    finals = np.flatnonzero(found.space.final[: found.states])
    numbers = found.space.states[finals, -1]
    leaks = {int(k): bool(leaked(found.model, found.space.shared[k])) for k in np.unique(numbers)}
    for state, number in zip(finals, numbers, strict=True):
        if leaks[int(number)]:
            return int(state)
    return None


def leaked(model: Model, shared: _Int) -> list[int]:
    """Addresses of the live objects that no pointer leads to.

    Arguments:
        model: of what. shared: a shared row.
    """
    size = model.tables.size
    wpl = 1 << int(size[m.LINE_SHIFT])
    n_lines = int(size[m.N_LINES])
    live = shared[size[m.LIVE] :][:n_lines] != 0
    kinds = shared[size[m.OBJECT] :][:n_lines]
    owner = np.zeros(n_lines, np.int64)  # the first line of the object that a line belongs to
    objects = [int(k) for k in np.flatnonzero(kinds)]
    for at in objects:
        owner[at : at + int(model.tables.type_lines[kinds[at] - 1])] = at
    words = shared[: n_lines * wpl].reshape(n_lines, wpl)
    todo = [int(k) for k in np.flatnonzero(live & (owner == 0))]
    reached: set[int] = set()
    while todo:
        for value in words[todo.pop()]:
            line = int(value) // wpl
            start = int(owner[line]) if 0 < line < n_lines else 0
            if start and start not in reached:
                reached.add(start)
                todo += [int(k) for k in np.flatnonzero(owner == start)]
    return [at * wpl for at in objects if at not in reached]
