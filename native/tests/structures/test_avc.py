"""The access vector caches against a model of one: every answer, and every entry that goes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import shims
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

import locknative

# Small, so that chains are long and reclaiming is the rule.
SLOTS, NODES, RECLAIM = 4, 5, 2
DESIGNS = ["spinlock", "rwlock", "slot", *(["rcu"] if locknative.has_urcu else [])]

Words3 = ctypes.c_uint32 * 3
Words5 = ctypes.c_uint32 * 5


Key = tuple[int, int, int]


@dataclass
class Entry:
    """A decision (allowed, decided, auditallow, auditdeny, seqno) and the mark."""

    key: Key
    decision: list[int]
    used: bool = True


@dataclass
class Model:
    """One thread's cache: chains with the newest entry first, and the hand.

    ``pool`` is the old design (one entry reclaimed at a time, changes in place); without it
    entries are replaced, which marks them, and reclaimed by twos.
    """

    pool: bool
    slot_of: Callable[[Key], int]
    latest: int = 0
    hand: int = 0
    chains: list[list[Entry]] = field(default_factory=lambda: [[] for _ in range(SLOTS)])

    def find(self, key: Key) -> Entry | None:
        """Return the key's entry."""
        return next((e for e in self.chains[self.slot_of(key)] if e.key == key), None)

    @property
    def count(self) -> int:
        """Entries in all chains."""
        return sum(map(len, self.chains))

    def has_perm(self, key: Key, requested: int, answer: list[int]) -> tuple[bool, list[int]]:
        """Return whether the server is asked, and the decision."""
        entry = self.find(key)
        if entry is not None and not requested & ~entry.decision[1]:
            entry.used = True
            return False, entry.decision
        if not self.pool and self.count >= NODES:
            self.reclaim()
        if answer[4] >= self.latest:
            self.remember(key, answer)
        return True, answer

    def remember(self, key: Key, answer: list[int]) -> None:
        """Insert or refill."""
        if (entry := self.find(key)) is not None:
            entry.decision, entry.used = list(answer), True
            return
        if self.pool and self.count == NODES:
            self.reclaim_one()
        self.chains[self.slot_of(key)].insert(0, Entry(key, list(answer)))

    def reclaim_one(self) -> None:
        """Take out the first entry without a mark; the hand stays at its slot."""
        while True:
            if self.take(1):
                return
            self.hand = (self.hand + 1) % SLOTS

    def reclaim(self) -> None:
        """Take out up to RECLAIM entries in at most two rounds; the hand goes on each time."""
        wanted = RECLAIM
        for _ in range(2 * SLOTS):
            if wanted == 0:
                return
            wanted -= self.take(wanted)
            self.hand = (self.hand + 1) % SLOTS

    def take(self, wanted: int) -> int:
        """Take out up to ``wanted`` unmarked entries of the hand's slot; return how many."""
        taken = 0
        for entry in list(self.chains[self.hand]):
            if taken == wanted:
                break
            if entry.used:
                entry.used = False
            else:
                self.chains[self.hand].remove(entry)
                taken += 1
        return taken

    def update(self, key: Key, granted: int) -> bool:
        """Grant further bits to an entry."""
        entry = self.find(key)
        if entry is not None:
            entry.decision[0] |= granted
            entry.used = entry.used or not self.pool
        return entry is not None

    def reset(self, seqno: int) -> None:
        """Forget everything; the number only grows."""
        self.latest = max(self.latest, seqno)
        for chain in self.chains:
            chain.clear()


keys = st.tuples(st.integers(1, 4), st.integers(1, 4), st.just(6))
bits = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("design", DESIGNS)
def test_is_the_model(design: str, tmp_path: Path) -> None:
    """Whatever one thread does, answers and entries are the model's."""
    sizes = {"SLOTS": SLOTS, "NODES": NODES, "RECLAIM": RECLAIM}
    defines = [f'AVC="locklab/structures/avc_{design}.h"']
    defines += [f"LOCKLAB_AVC_{name}={size}" for name, size in sizes.items()]
    shim = shims.load(tmp_path, "avc", defines, urcu=design == "rcu")
    shim.shim_new.restype = ctypes.c_void_p
    shim.shim_active.restype = shim.shim_count.restype = ctypes.c_size_t

    class Machine(RuleBasedStateMachine):
        cache: Any

        @initialize(store_used=st.booleans())
        def begin(self, store_used: bool) -> None:
            self.cache = ctypes.c_void_p(shim.shim_new(store_used))
            pool = design in ("spinlock", "rwlock")
            self.model = Model(pool, lambda key: int(shim.shim_slot(Words3(*key))))

        @rule(key=keys, requested=bits, answer=st.tuples(bits, bits, bits, bits))
        def has_perm(self, key: Key, requested: int, answer: tuple[int, ...]) -> None:
            self.check(key, requested, [*answer, self.model.latest])

        @rule(key=keys, answer=st.tuples(bits, bits, bits, bits), age=st.integers(0, 2))
        def has_perm_of_an_old_policy(self, key: Key, answer: tuple[int, ...], age: int) -> None:
            self.check(key, 2**32 - 1, [*answer, max(0, self.model.latest - age)])

        def check(self, key: Key, requested: int, answer: list[int]) -> None:
            decision, denied = Words5(), ctypes.c_uint32()
            asked = shim.shim_has_perm(
                *(self.cache, Words3(*key), requested, Words5(*answer), decision),
                ctypes.byref(denied),
            )
            expected = self.model.has_perm(key, requested, answer)
            assert expected == (bool(asked), list(decision))
            assert requested & ~expected[1][0] == denied.value

        @rule(key=keys, granted=bits)
        def update(self, key: Key, granted: int) -> None:
            done = shim.shim_update(self.cache, Words3(*key), granted)
            assert self.model.update(key, granted) == bool(done)

        @rule(seqno=st.integers(0, 5))
        def reset(self, seqno: int) -> None:
            shim.shim_reset(self.cache, seqno)
            self.model.reset(seqno)

        @invariant()
        def counts_agree(self) -> None:
            if hasattr(self, "cache"):
                assert self.model.count == shim.shim_count(self.cache)
                assert self.model.count == shim.shim_active(self.cache)

        def teardown(self) -> None:
            if hasattr(self, "cache"):
                shim.shim_free(self.cache)

    run_state_machine_as_test(Machine, settings=settings(stateful_step_count=60))
