"""Decide whether the answers of an access vector cache can have happened.

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

import numpy as np

from lockgrader.c.history import Asked, Order, Records, draws, in_turns, words_of

__all__ = ["asked", "concurrent", "sequential"]

LOOKUP, INSERT, RECLAIM = 0, 1, 2


def asked(order: Order) -> Asked:
    """What follows from an order, drawn as avc/protocol.h does."""
    drawn = draws(order)
    low = drawn % np.uint64(16)
    operation = np.where(low == 0, RECLAIM, np.where(low < 5, INSERT, LOOKUP))
    key = ((drawn >> np.uint64(32)) % np.uint64(order.keys)).astype(np.int64)
    mine = np.arange(order.threads)[:, None]
    key = np.where(operation == INSERT, key // order.threads * order.threads + mine, key)
    key = np.where(operation == RECLAIM, 0, key).ravel()
    version = np.cumsum(operation == INSERT, axis=1).ravel()
    inserts = (operation == INSERT).ravel()
    return Asked(operation.ravel(), key, words_of(key, version), inserts)


def sequential(found: Records, order: Order) -> str:
    """The first operation of a run in turns whose answer differs from the model's; "" for none.

    Raises:
        MalformedError: the operations did not take turns.
    """
    entries: dict[int, tuple[tuple[int, ...], bool]] = {}
    for one in in_turns(found, order):
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
