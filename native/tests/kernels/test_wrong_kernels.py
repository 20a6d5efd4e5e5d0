"""The validate loop finds wrong kernels of every kind, and the exit status shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from one_kernel import build, validate

ADAPTER = """
#include "harness/pause.h"
#include "locklab/{header}.h"
{code}
#define KERNEL wrong
#include LOCKLAB_LOOP
"""

SEQLOCK = """
#define LOCK struct locklab_seqlock
#define INIT(lock) locklab_seqlock_init(lock)
#define ACQUIRE(all, node) {acquire}
#define RELEASE(all, node) {release}
static bool retry(struct locklab_seqlock *lock, uint32_t number) {{ {retry} }}
#define READ_ACQUIRE(lock, node) LOCKLAB_OPTIMISTIC(locklab_seqlock_read_begin(lock))
#define READ_RELEASE(lock, node) LOCKLAB_UNTIL_NOT(retry, lock)
"""
RETRY = "return locklab_seqlock_read_retry(lock, number);"

COUNTED = """
#define LOCK struct locklab_lockref
#define INIT(ref) locklab_lockref_init(ref)
#define EXCLUSIVE_ACQUIRE(ref, node) {acquire}
#define EXCLUSIVE_RELEASE(ref, node) {release}
#define REFERENCES(ref) locklab_lockref_references(ref)
static void count(struct locklab_lockref *ref, uint64_t change)
{{ {count} }}
#define ACQUIRE(ref, node) count(ref, LOCKLAB_LOCKREF_ONE)
#define RELEASE(ref, node) count(ref, -LOCKLAB_LOCKREF_ONE)
"""
LOCKED = {"acquire": "locklab_lockref_acquire(ref)", "release": "locklab_lockref_release(ref)"}
WRITER = {
    "acquire": "locklab_seqlock_write_acquire(all)",
    "release": "locklab_seqlock_write_release(all)",
}

WRONG = {
    "seqlock whose readers never look again": (
        "seqlock",
        SEQLOCK.format(retry="(void)lock; (void)number; return false;", **WRITER),
        "torn",
    ),
    "seqlock whose writers do not count": (
        "seqlock",
        SEQLOCK.format(
            retry=RETRY,
            acquire="locklab_ticket_acquire(&(all)->lock)",
            release="locklab_ticket_release(&(all)->lock)",
        ),
        "torn",
    ),
    "count by load and store": (
        "lockref",
        COUNTED.format(
            count="atomic_store_explicit(&ref->word, change + atomic_load_explicit(&ref->word,"
            "memory_order_relaxed), memory_order_relaxed);",
            acquire="((void)0)",
            release="((void)0)",
        ),
        "lost_updates",
    ),
    "count that changes under the lock": (
        "lockref",
        COUNTED.format(count="atomic_fetch_add(&ref->word, change);", **LOCKED),
        "torn",
    ),
}

# liburcu's barrier flavour; its grace period is taken away by macros.
RCU = """
#define _GNU_SOURCE
#define _LGPL_SOURCE
#define URCU_API_MAP
#include <urcu/urcu-mb.h>
#include "harness/pause.h"
{break_it}
#define KERNEL wrong
#include LOCKLAB_LOOP
"""
WITHOUT_GRACE = """
#undef synchronize_rcu
#define synchronize_rcu() ((void)0)
"""
RIGHT = "lockref", COUNTED.format(count="locklab_lockref_count(ref, change, 5);", **LOCKED)


LONGER_AND_LONGER = [10**5, 10**6, 10**7]


@pytest.mark.covering("wrong", every=4, first=2)
@pytest.mark.parametrize("wrong", WRONG)
def test_found(wrong: str, tmp_path: Path) -> None:
    """The sign that belongs to the mistake is seen, and the tester itself fails, too."""
    header, code, sign = WRONG[wrong]
    executable = build(tmp_path, ADAPTER.format(header=header, code=code), "harness/validate.h")
    done = validate(executable, *LONGER_AND_LONGER)
    trial = json.loads(done.stdout)
    seen = {
        name: sum(tally[name] for tally in trial["tallies"]) for name in ("overlaps", "torn")
    } | {"lost_updates": sum(tally["writes"] for tally in trial["tallies"]) - trial["updates"]}
    # Increments and decrements are lost alike, so the difference may have either sign.
    assert (1, True) == (done.returncode, seen[sign] != 0), seen


def test_right_one_is_accepted(tmp_path: Path) -> None:
    """The same way of building accuses no right kernel."""
    header, code = RIGHT
    executable = build(tmp_path, ADAPTER.format(header=header, code=code), "harness/validate.h")
    assert 0 == validate(executable, 20_000).returncode


@pytest.mark.parametrize(("break_it", "status"), [("", 0), (WITHOUT_GRACE, 1)])
def test_grace_period(break_it: str, status: int, tmp_path: Path) -> None:
    """An updater that frees at once is found; the same program with a grace period is right."""
    program = RCU.format(break_it=break_it)
    executable = build(tmp_path, program, "rcu/validate.h", "-lurcu-mb", "-lurcu-common")
    iterations = LONGER_AND_LONGER if status != 0 else [20_000]
    assert status == validate(executable, *iterations).returncode
