"""Where 2.4 puts two processes that wake each other: the conclusions of lmbench.md."""

from functools import cache

import pytest

from locksim.papers.ablations.wakeup_race import CHECK_NS, WORK_NS, Pass, machine, passed

SHORT_NS, LONG_NS = WORK_NS


@cache
def message(checks: int, work_ns: int, seed: int = 1) -> Pass:
    """A message with so many checks between waking the other and sleeping."""
    return passed(machine(), checks * CHECK_NS, work_ns, seed=seed)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("work_ns", WORK_NS)
def test_who_sleeps_soon_shares_its_cpu(work_ns: int, seed: int) -> None:
    """Up to 15 checks the writer sleeps before an idle CPU is there; from 18 on it does not."""
    assert [1, 1, 2, 2] == [message(n, work_ns, seed).cpus for n in (0, 15, 18, 30)]


@pytest.mark.parametrize("work_ns", WORK_NS)
def test_a_message_takes_longer_on_two_cpus(work_ns: int) -> None:
    """A sixth more or so, for three checks more: an interrupt, and lines of another CPU."""
    before, after = message(15, work_ns).time_us, message(18, work_ns).time_us
    added_us = 3 * CHECK_NS / 1000
    assert 1.1 * (before + added_us) < after


def test_on_one_cpu_work_adds_up() -> None:
    """Four microseconds more are not more than that: idle CPUs called in vain overlap with some."""
    more_us = message(15, LONG_NS).time_us - message(15, SHORT_NS).time_us
    assert 3 < more_us <= (LONG_NS - SHORT_NS) / 1000
