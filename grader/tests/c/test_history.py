"""Histories of a cache: the right ones pass, and each way of being wrong has its rule."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockgrader.c import history
from lockgrader.c.decisions import INSERT, LOOKUP, RECLAIM, asked, concurrent, sequential
from lockgrader.c.history import Order, records, words_of
from lockgrader.read.artefact import MalformedError

ORDER = Order(threads=3, operations=60, keys=12, seed=5, nonce=(0x1234, 0x5678))


def run(order: Order = ORDER) -> Any:
    """The records of a right cache, whose operations take turns."""
    about = asked(order)
    found = np.zeros(len(about.operation), history._RECORD)
    found["thread"] = np.repeat(np.arange(order.threads), order.operations)
    found["operation"], found["key"], words = about.operation, about.key, about.words
    cache: dict[int, tuple[Any, bool]] = {}
    for turn in range(len(found)):
        at = turn % order.threads * order.operations + turn // order.threads
        one = found[at]
        one["began"], one["ended"] = 2 * turn, 2 * turn + 1
        if one["operation"] == INSERT:
            one["words"], one["result"] = words[at], 1
            cache[int(one["key"])] = words[at], True
        elif one["operation"] == LOOKUP and int(one["key"]) in cache:
            one["words"], one["result"] = cache[int(one["key"])][0], 1
            cache[int(one["key"])] = cache[int(one["key"])][0], True
        elif one["operation"] == RECLAIM:
            kept = {k: (w, False) for k, (w, used) in cache.items() if used}
            one["result"] = len(cache) - len(kept)
            cache = kept
    return found


def masked(found: Any, order: Order = ORDER) -> bytes:
    """As the client writes them: masking twice is not masking."""
    words = np.frombuffer(found.tobytes(), "<u8")
    with np.errstate(over="ignore"):
        stream = np.uint64(order.nonce[0]) + np.arange(len(words), dtype=np.uint64) * np.uint64(
            history._GOLDEN
        )
    return bytes((words ^ history._mixed(stream) ^ np.uint64(order.nonce[1])).tobytes())


def hit(found: Any, *, late: bool = True) -> int:
    """A lookup that finds something of which there was an older version."""
    hits = [
        i
        for i in range(len(found))
        if found[i]["operation"] == LOOKUP and found[i]["result"] and older(found, i)
    ]
    return hits[-1 if late else 0]


def older(found: Any, at: int) -> list[Any]:
    """The words of versions of the same key that ended before, but for the last."""
    same = (found["operation"] == INSERT) & (found["key"] == found[at]["key"])
    before = found[same & (found["ended"] < found[at]["began"])]
    return list(np.sort(before, order="began")["words"][:-1])


def test_right() -> None:
    """A right cache's history is explained both ways, and survives its mask."""
    found = records(masked(run()), ORDER, asked(ORDER))
    assert (run() == found).all()
    assert ("", "") == (sequential(found, ORDER), concurrent(found))


def test_torn() -> None:
    """One word of another version."""
    found = run()
    found[hit(found)]["words"][1] += 8
    assert "or half of one" in concurrent(found)
    assert "not all of one version" in sequential(found, ORDER)


def test_stale() -> None:
    """A version that had been replaced."""
    found = run()
    at = hit(found)
    found[at]["words"] = older(found, at)[-1]
    assert "replaced before it began" in concurrent(found)
    assert "returns words of version" in sequential(found, ORDER)


def test_lost() -> None:
    """Nothing, where something was."""
    found = run()
    at = next(
        i
        for i in range(len(found))
        if found[i]["operation"] == LOOKUP
        and found[i]["result"]
        and not ((found["operation"] == RECLAIM) & (found["began"] < found[i]["began"])).any()
    )
    found[at]["result"], found[at]["words"] = 0, 0
    assert "no reclaim can have removed it" in concurrent(found)
    assert "finds nothing, wrongly" in sequential(found, ORDER)


def test_from_the_future() -> None:
    """A version before anybody began to insert it."""
    found = run()
    at = next(
        i
        for i in range(len(found))
        if found[i]["operation"] == LOOKUP
        and (
            (found["operation"] == INSERT)
            & (found["key"] == found[i]["key"])
            & (found["began"] > found[i]["ended"])
        ).any()
    )
    later = found[
        (found["operation"] == INSERT)
        & (found["key"] == found[at]["key"])
        & (found["began"] > found[at]["ended"])
    ]
    found[at]["result"], found[at]["words"] = 1, np.sort(later, order="began")[-1]["words"]
    assert "before its insertion" in concurrent(found)


def test_older_after_newer() -> None:
    """Two lookups during one insertion: the first sees it, the second does not any more."""
    found = np.zeros(4, history._RECORD)
    words = words_of(np.array([0, 0]), np.array([1, 2]))
    rows = [(0, 1, INSERT, 0), (2, 7, INSERT, 1), (3, 4, LOOKUP, 1), (5, 6, LOOKUP, 0)]
    for one, (began, ended, operation, version) in zip(found, rows, strict=True):
        one["began"], one["ended"], one["operation"] = began, ended, operation
        one["result"], one["words"] = 1, words[version]
    assert "older decision after a newer" in concurrent(found)
    found["words"][2:] = words[[0, 1]]
    assert "" == concurrent(found)


def test_reclaimed_at_once() -> None:
    """One round of reclaiming takes no new entry; two may."""
    found = np.zeros(4, history._RECORD)
    rows = [(0, 1, INSERT, 1), (2, 3, RECLAIM, 0), (4, 5, RECLAIM, 1), (6, 7, LOOKUP, 0)]
    for one, (began, ended, operation, result) in zip(found, rows, strict=True):
        one["began"], one["ended"], one["operation"], one["result"] = (
            began,
            ended,
            operation,
            result,
        )
    found[0]["words"] = words_of(np.array([0]), np.array([1]))[0]
    assert "" == concurrent(found)
    assert "no reclaim can have removed it" in concurrent(found[[0, 1, 3]])


FORGED = {
    "another operation": ("operation", 7),
    "another key": ("key", 11),
    "another thread": ("thread", 2),
    "a ticket twice": ("began", 5),
}


@pytest.mark.parametrize("name", FORGED)
def test_records_that_were_not_asked_for(name: str) -> None:
    """What is known beforehand has to agree."""
    field, value = FORGED[name]
    found = run()
    found[0][field] = value if found[0][field] != value else value + 1
    with pytest.raises(MalformedError):
        records(masked(found), ORDER, asked(ORDER))


@given(st.integers(0, 2**64 - 1))
def test_noise(seed: int) -> None:
    """Records without the nonce are none."""
    data = np.random.default_rng(seed).bytes(ORDER.size)
    with pytest.raises(MalformedError):
        records(data, ORDER, asked(ORDER))
    with pytest.raises(MalformedError):
        records(data[:-1], ORDER, asked(ORDER))


def test_another_runs_records() -> None:
    """A right history under another nonce is none."""
    other = Order(3, 60, 12, 5, (0x1235, 0x5678))
    with pytest.raises(MalformedError):
        records(masked(run()), other, asked(other))
