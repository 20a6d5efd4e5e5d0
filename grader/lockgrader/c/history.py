"""Read a client's records as untrusted input.

A record holds one operation: its kind, when it began and ended, and its result
(common/records.h). The order that the client got determines the operations and their sequence in
each thread. So only tickets and answers are new; everything else must agree. Records are masked by
a stream from the run's nonce; a forged record unmasks to noise.

What the answers must be is a matter of the interface: :mod:`.decisions`, :mod:`.sections`,
:mod:`.references`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lockgrader.read.artefact import MalformedError

_RECORD = np.dtype(
    [
        *(("began", "<u4"), ("ended", "<u4"), ("thread", "u1"), ("operation", "u1")),
        *(("key", "<u2"), ("result", "<u4"), ("words", "<u4", 4)),
    ]
)
_GOLDEN = 0x9E3779B97F4A7C15
Records = npt.NDArray[np.void]
U64 = npt.NDArray[np.uint64]


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


@dataclass(frozen=True)
class Asked:
    """The predetermined fields of all records, thread by thread.

    Arguments:
        operation, key: of each. words: of each, where ``given`` is true.
    """

    operation: npt.NDArray[np.int64]
    key: npt.NDArray[np.int64]
    words: npt.NDArray[np.uint32]
    given: npt.NDArray[np.bool_]


def records(data: bytes, order: Order, expected: Asked) -> Records:
    """The records of a run, thread by thread, with every predetermined field checked.

    Arguments:
        data: what the client wrote. order: what it got. expected: what follows from the order.

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
    same = (
        (found["thread"] == np.repeat(np.arange(order.threads), order.operations)).all()
        and (found["operation"] == expected.operation).all()
        and (found["key"] == expected.key).all()
        and (found["words"] == expected.words)[expected.given].all()
    )
    if not same:
        raise MalformedError("the records contain other operations than the order")
    tickets = np.sort(np.concatenate([found["began"], found["ended"]]))
    if not (tickets == np.arange(len(tickets))).all() or (found["began"] >= found["ended"]).any():
        raise MalformedError("invalid tickets")
    before = found.reshape(order.threads, order.operations)
    if (before["ended"][:, :-1] >= before["began"][:, 1:]).any():
        raise MalformedError("operations of one thread overlap")
    return found


def in_turns(found: Records, order: Order) -> Records:
    """The records of a run in turns, by time.

    Raises:
        MalformedError: the operations did not take turns.
    """
    turn = np.arange(order.operations)[None, :] * order.threads + np.arange(order.threads)[:, None]
    if (found["began"] != 2 * turn.ravel()).any():
        raise MalformedError("the threads did not wait for their turn")
    by_time: Records = found[np.argsort(found["began"], kind="stable")]
    return by_time


def draws(order: Order) -> U64:
    """The numbers that the threads draw (common/drawn.h), of shape (threads, operations)."""
    with np.errstate(over="ignore"):
        start = np.uint64(order.seed * 1000) + np.arange(order.threads, dtype=np.uint64)
        steps = np.arange(1, order.operations + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
        return _mixed(start[:, None] + steps[None, :])


def words_of(key: npt.NDArray[np.int64], version: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """The four words of versions of keys (common/drawn.h); the last one is the version."""
    rows = [(version * 8 + i) * 0x9E3779B1 + key * 0x85EBCA6B for i in range(3)]
    return np.stack([*rows, version], axis=1).astype(np.uint64).astype(np.uint32)


def _mixed(x: U64) -> U64:
    """splitmix64's finaliser."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
