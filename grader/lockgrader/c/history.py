"""Read a client's records as untrusted input, and decide whether they can have happened.

A record holds one operation: its kind, when it began and ended, and its result (avc/protocol.h).
The order that the client got determines the operations, their sequence in each thread and the
inserted values. So only tickets and answers are new; everything else must agree. Records are masked
by a stream from the run's nonce; a forged record unmasks to noise.

Where operations took turns (:func:`sequential`), a model gives each answer. Where they ran
concurrently (:func:`concurrent`), some order of all operations on a key must respect their times
and explain the answers. A key has one writer, so its versions are ordered, and four rules decide
(Lamport, On interprocess communication II, 1986; Herlihy and Wing, TOPLAS 12(3), 1990):

- a lookup returns a version whose insertion began before the lookup ended,
- and not one that was replaced before the lookup began;
- of two lookups, one after the other, the second returns no older version;
- a lookup finds nothing only if reclaiming can have removed the entry; a new entry survives the
  first reclaim.

A version that returns after it was removed is detected only where operations take turns.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lockgrader.read.artefact import MalformedError

__all__ = ["Order", "concurrent", "records", "sequential"]

LOOKUP, INSERT, RECLAIM = 0, 1, 2
_RECORD = np.dtype(
    [
        *(("began", "<u4"), ("ended", "<u4"), ("thread", "u1"), ("operation", "u1")),
        *(("key", "<u2"), ("result", "<u4"), ("words", "<u4", 4)),
    ]
)
_GOLDEN = 0x9E3779B97F4A7C15
Records = npt.NDArray[np.void]
_U64 = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Order:
    """The order that a client carries out.

    Arguments:
        threads, operations: operations of each thread. keys: a multiple of threads.
        seed: of the operations. nonce: two secrets of 64 bits. canary: its mistake, or 0.
    """

    threads: int
    operations: int
    keys: int
    seed: int
    nonce: tuple[int, int]
    canary: int = 0

    def to_bytes(self) -> bytes:
        """The bytes that the client reads."""
        return struct.pack(
            "<2Q4IQ",
            *self.nonce,
            *(self.threads, self.operations, self.keys, self.canary, self.seed),
        )

    @property
    def size(self) -> int:
        """Number of bytes that the client writes."""
        return self.threads * self.operations * _RECORD.itemsize


def records(data: bytes, order: Order) -> Records:
    """The records of a run, thread by thread, with every predetermined field checked.

    Raises:
        MalformedError: the client cannot have written this for this order.
    """
    if len(data) != order.size:
        raise MalformedError(f"{len(data)} bytes of records instead of {order.size}")
    count = len(data) // 8
    with np.errstate(over="ignore"):
        stream = np.uint64(order.nonce[0]) + np.arange(count, dtype=np.uint64) * np.uint64(_GOLDEN)
        mask = _mixed(stream) ^ np.uint64(order.nonce[1])
    found: Records = (np.frombuffer(data, "<u8") ^ mask).view(_RECORD)
    operation, key, version = _expected(order)
    asked = found["operation"]
    same = (
        (found["thread"] == np.repeat(np.arange(order.threads), order.operations)).all()
        and (asked == operation).all()
        and (found["key"] == key).all()
        and (found["words"][asked == INSERT] == _words(key, version)[asked == INSERT]).all()
    )
    if not same:
        raise MalformedError("the records hold other operations than the order")
    tickets = np.sort(np.concatenate([found["began"], found["ended"]]))
    if not (tickets == np.arange(len(tickets))).all() or (found["began"] >= found["ended"]).any():
        raise MalformedError("invalid tickets")
    before = found.reshape(order.threads, order.operations)
    if (before["ended"][:, :-1] >= before["began"][:, 1:]).any():
        raise MalformedError("operations of one thread overlap")
    return found


def sequential(found: Records, order: Order) -> str:
    """The first operation of a run in turns whose answer differs from the model's; "" for none.

    Raises:
        MalformedError: the operations did not take turns.
    """
    turn = np.arange(order.operations)[None, :] * order.threads + np.arange(order.threads)[:, None]
    if (found["began"] != 2 * turn.ravel()).any():
        raise MalformedError("the threads did not wait for their turn")
    entries: dict[int, tuple[tuple[int, ...], bool]] = {}
    for one in found[np.argsort(found["began"], kind="stable")]:
        key, result, words = int(one["key"]), int(one["result"]), tuple(map(int, one["words"]))
        if one["operation"] == INSERT:
            entries[key] = words, True
            expected, right = 1, words
        elif one["operation"] == LOOKUP:
            right = entries[key][0] if key in entries else (0, 0, 0, 0)
            expected = int(key in entries)
            if expected:
                entries[key] = right, True
        else:
            kept = {k: (w, False) for k, (w, used) in entries.items() if used}
            expected, right = len(entries) - len(kept), (0, 0, 0, 0)
            entries = kept
        if (result, words) != (expected, right):
            return _difference(one, expected, right)
    return ""


def concurrent(found: Records) -> str:
    """Why no order of the operations explains the answers; "" where an order may."""
    reclaims = found[found["operation"] == RECLAIM]
    for key in np.unique(found["key"][found["operation"] != RECLAIM]):
        here = found[(found["key"] == key) & (found["operation"] != RECLAIM)]
        inserts = here[here["operation"] == INSERT]
        if problem := _one_key(int(key), inserts, here[here["operation"] == LOOKUP], reclaims):
            return problem
    failed = found[(found["operation"] == INSERT) & (found["result"] != 1)]
    return "avc_insert() reports that there is no memory" if len(failed) else ""


def _one_key(key: int, inserts: Records, lookups: Records, reclaims: Records) -> str:
    inserts = np.sort(inserts, order="began")  # the order of versions: there is one writer
    if ((lookups["result"] != 0) & (lookups["result"] != 1)).any():
        return f"avc_lookup() of key {key} is neither true nor false"
    hits, misses = lookups[lookups["result"] == 1], lookups[lookups["result"] == 0]
    versions = inserts["words"][:, 3]
    at = np.searchsorted(versions, hits["words"][:, 3])
    known = at < len(versions)
    known[known] = (inserts["words"][at[known]] == hits["words"][known]).all(axis=1)
    if not known.all():
        return (
            f"avc_lookup() of key {key} returns a decision that was never inserted, or half of one"
        )
    if (inserts["began"][at] >= hits["ended"]).any():
        return f"avc_lookup() of key {key} returns a decision before its insertion"
    ends = np.append(inserts["ended"], np.uint32(0xFFFFFFFF))
    if (ends[at + 1] <= hits["began"]).any():
        return f"avc_lookup() of key {key} returns a decision that was replaced before it began"
    by_end = np.argsort(hits["ended"])
    newest = np.maximum.accumulate(np.concatenate([[-1], at[by_end]]))
    before = np.searchsorted(hits["ended"][by_end], hits["began"])
    if (newest[before] > at).any():
        return f"avc_lookup() of key {key} returns an older decision after a newer one"
    last = np.searchsorted(inserts["ended"], misses["began"]) - 1
    for one, index in zip(misses, last, strict=True):
        if index < 0:
            continue
        since = inserts["began"][index]
        passed = (reclaims["ended"] > since) & (reclaims["began"] < one["ended"])
        if np.count_nonzero(passed) < 2:
            return f"avc_lookup() of key {key} finds nothing, but no reclaim can have removed it"
    return ""


def _expected(order: Order) -> tuple[npt.NDArray[np.int64], ...]:
    """Operation, key and version (of insertions) of each record, drawn as the client does."""
    with np.errstate(over="ignore"):
        start = np.uint64(order.seed * 1000) + np.arange(order.threads, dtype=np.uint64)
        steps = np.arange(1, order.operations + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
        draws = _mixed(start[:, None] + steps[None, :])
    low = draws % np.uint64(16)
    operation = np.where(low == 0, RECLAIM, np.where(low < 5, INSERT, LOOKUP))
    key = ((draws >> np.uint64(32)) % np.uint64(order.keys)).astype(np.int64)
    mine = np.arange(order.threads)[:, None]
    key = np.where(operation == INSERT, key // order.threads * order.threads + mine, key)
    key = np.where(operation == RECLAIM, 0, key)
    version = np.cumsum(operation == INSERT, axis=1)
    return operation.ravel(), key.ravel(), version.ravel()


def _words(key: npt.NDArray[np.int64], version: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """The four words of a decision (avc/client.h)."""
    rows = [(version * 8 + i) * 0x9E3779B1 + key * 0x85EBCA6B for i in range(3)]
    return np.stack([*rows, version], axis=1).astype(np.uint64).astype(np.uint32)


def _mixed(x: _U64) -> _U64:
    """splitmix64's finaliser."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _difference(one: np.void, expected: int, right: tuple[int, ...]) -> str:
    """An answer beside the right one, as text."""
    number = f"operation {int(one['began']) // 2 + 1}"
    key, result = int(one["key"]), int(one["result"])
    if one["operation"] == RECLAIM:
        return f"{number}: avc_reclaim() removes {result} entries instead of {expected}"
    if one["operation"] == INSERT:
        return f"{number}: avc_insert() of key {key} returns {result} instead of true"
    if result != expected:
        words = ("finds nothing", "finds a decision")
        return f"{number}: avc_lookup() of key {key} {words[result != 0]}, wrongly"
    version = int(one["words"][3])
    return (
        f"{number}: avc_lookup() of key {key} returns words of version {version} instead of "
        f"{right[3]}, or not all of one version"
    )
