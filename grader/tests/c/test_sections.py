"""Histories of locks and counts: right ones pass, and each way of being wrong has its rule."""

from typing import Any

import numpy as np

from lockgrader.c import history, references, sections
from lockgrader.c.history import Asked, Order, words_of

ORDER = Order(threads=3, operations=40, keys=12, seed=5, nonce=(1, 2))


def in_turns(asked: Asked) -> Any:
    """Empty records of operations that take turns."""
    found = np.zeros(len(asked.operation), history._RECORD)
    found["operation"] = asked.operation
    turn = np.arange(ORDER.operations)[None, :] * ORDER.threads + np.arange(ORDER.threads)[:, None]
    found["began"], found["ended"] = 2 * turn.ravel(), 2 * turn.ravel() + 1
    return found


def sections_of_a_lock() -> Any:
    """The records of a right lock with readers."""
    found = in_turns(sections.shared(ORDER))
    by_time = np.argsort(found["began"])
    version = np.cumsum(found["operation"][by_time] == sections.WRITE)
    found["words"][by_time] = words_of(np.zeros_like(version), version)
    found["result"] = found["words"][:, 3]
    return found


def counts_of_a_lockref() -> Any:
    """The records of a right lockref."""
    found = in_turns(references.asked(ORDER))
    by_time = np.argsort(found["began"])
    left = 1 + np.cumsum(references.CHANGES[found["operation"][by_time]])
    found["result"][by_time] = left
    found["result"][~np.isin(found["operation"], (references.PUT, references.COUNT))] = 1
    return found


def test_right_sections() -> None:
    """A right lock's history is explained both ways."""
    found = sections_of_a_lock()
    assert ("", "") == (sections.sequential(found, ORDER), sections.concurrent(found))


def test_wrong_sections() -> None:
    """Two inside, a lost update, half a value, a value of another time."""
    writes = np.flatnonzero(sections_of_a_lock()["operation"] == sections.WRITE)
    reads = np.flatnonzero(sections_of_a_lock()["operation"] == sections.READ)
    both, lost, torn, early = (sections_of_a_lock() for _ in range(4))
    first, second = writes[np.argsort(both["began"][writes])][:2]
    both["ended"][first] = both["began"][second] + 1
    assert "two writers are inside" in sections.concurrent(both)
    lost["words"][second] = lost["words"][first]
    assert "an update is lost" in sections.concurrent(lost)
    assert "finds version 1 instead of 2" in sections.sequential(lost, ORDER)
    torn["words"][reads[-1], 1] += 1
    assert "words of different versions" in sections.concurrent(torn)
    assert "words of different versions" in sections.sequential(torn, ORDER)
    last = reads[np.argmax(early["began"][reads])]
    early["words"][last], early["result"][last] = words_of(np.array([0]), np.array([1]))[0], 1
    assert "overwritten before it began" in sections.concurrent(early)


def test_right_counts() -> None:
    """A right count's history is explained both ways."""
    found = counts_of_a_lockref()
    assert ("", "") == (references.sequential(found, ORDER), references.concurrent(found))


def test_wrong_counts() -> None:
    """A count too many, and a reference that is not given."""
    found = counts_of_a_lockref()
    at = np.flatnonzero(found["operation"] == references.PUT)[-1]
    found["result"][at] += 1
    assert "no order of the operations explains" in references.concurrent(found)
    assert "lockref_put() gives" in references.sequential(found, ORDER)
    found = counts_of_a_lockref()
    found["result"][np.flatnonzero(found["operation"] == references.GET_NOT_ZERO)[0]] = 0
    assert "a reference is always left" in references.concurrent(found)
