"""Long products of cases: a covering selection in the normal run, all of them in the slow one.

A test of every lock under every memory model with ``@pytest.mark.covering("lock", "memory")`` keeps
one case for each lock, with the models by turns. ``every=3`` keeps each third value of the first
name, ``first=1`` from the second one on. The rest gets the marker ``slow``.
"""

from typing import Any

import pytest

_PARAM = type(pytest.param())


def in_the_normal_run(item: pytest.Item, *names: str, every: int = 1, first: int = 0) -> bool:
    """Whether a case of a product of parameters belongs to the covering selection.

    The first name counts the cases; each further one goes round with them, one place further after
    each full round. So every value occurs of every parameter, though not every combination.
    """
    at, _ = _place(item, names[0])
    if (at - first) % every:
        return False
    at //= every
    for name in names[1:]:
        place, size = _place(item, name)
        if at % size != place:
            return False
        at += at // size
    return True


def _place(item: pytest.Item, name: str) -> tuple[int, int]:
    """The place of a test's value in the list that it is parametrized with, and its length."""
    params = item.callspec.params  # type: ignore[attr-defined]
    for mark in item.iter_markers("parametrize"):
        names, cases = mark.args
        names = [part.strip() for part in names.split(",")] if isinstance(names, str) else names
        if name in names:
            for place, case in enumerate(cases):
                case = _values(case, len(names))
                if all(params[n] is value for n, value in zip(names, case, strict=True)):
                    return place, len(cases)
    raise pytest.UsageError(f"{item.nodeid} has no parameter {name!r} that `covering` could count")


def _values(case: Any, n: int) -> Any:
    if isinstance(case, _PARAM):
        return case.values
    return case if n > 1 else (case,)
