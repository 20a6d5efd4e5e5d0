"""A table that all CPUs read: the conclusions of ablations.md, with caches of a 128th."""

import pytest
from engine.fast.test_ways import NEVER, plain_until

from locksim import machine as machines
from locksim.machine.profile import parse
from locksim.papers.ablations.shared_cache import MACHINE, per_read_ns

PRIVATE_LINES = 64


def test_a_shared_cache_makes_a_large_table_cheap() -> None:
    """Twice as large as a private cache: half of the reads miss it, and cost 10 ns each."""
    data = machines.load(MACHINE).model_dump(by_alias=True, exclude_none=True)
    del data["cache"]["l1"], data["cost"]["private_hit"]
    for level in data["cache"].values():
        level["sets"] //= 128
    machine = parse(data, "small")
    with plain_until(NEVER):
        shared = per_read_ns(machine, 2 * PRIVATE_LINES)
        alone = per_read_ns(machine.without_shared_cache(), 2 * PRIVATE_LINES)
    assert alone > 2.5 * shared
    assert (1.333 + 10.27) / 2 == pytest.approx(shared, rel=0.15)
