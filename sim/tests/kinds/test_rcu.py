"""RCU: proven, and grace periods that are too short are found."""

import pytest
from checker.reclaim import CarelessRCU, ForgetfulRCU, HastyRCU

from locksim.checker import check_lock, replay
from locksim.kinds.checking import clients_of
from locksim.kinds.rcu import Box, Version
from locksim.library.locks.rcu import RCU

BROKEN = [CarelessRCU, ForgetfulRCU, HastyRCU]


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_rcu_is_proven(memory):
    """No reader sees freed memory or half an object, and everything is freed."""
    verdict = check_lock(RCU, threads=2, memory=memory)
    assert ("proven", []) == (verdict.verdict, verdict.limits)


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("rcu", BROKEN)
def test_short_grace_period_is_found(rcu, memory):
    """The verdict calls it by its name, and the generators confirm it."""
    verdict = check_lock(rcu, threads=2, memory=memory, simplest=False)
    assert ("violated", "memory") == (verdict.verdict, verdict.found)
    assert verdict.counterexample.message.startswith("grace-period violation: ")
    client = next(c for c in clients_of(rcu, 2, 1) if c.name == verdict.client)
    types = [Box, Version]
    assert "memory" == replay(verdict.counterexample, client, memory=memory, types=types)
