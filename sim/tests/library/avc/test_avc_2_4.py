"""The cache of 2.4.3: its counters, its security server's lock, the split by colour."""

import pytest

from locksim.lang import Workload, done, note, part
from locksim.lang.ops import Mark
from locksim.library.avc.avc import AVC
from locksim.library.avc.avc_2_4 import AvcTwoFour
from locksim.library.workloads.avc_mix import AvcMix
from locksim.papers.franke_2001.setting import coloured
from locksim.study.simulation import simulate

KEYS = 12


class Rounds(Workload):
    """Checks every key twice and notes the answers."""

    cache = part(AvcTwoFour)

    def thread(self):
        for _ in range(2):
            for key in range(KEYS):
                answer = yield from self.cache.has_perm(1, key, 2, (1 << 32) - 1)
                yield note(answer)
                yield done()


def answers(interleave, cache):
    """What one CPU's checks answer, and the run."""
    run = interleave(Rounds(cache=cache), 1, 1, steps=100_000)
    return [value for _, mark, value in run.log if mark == Mark.NOTE], run


def denied():
    """What the policy denies of all bits, for both rounds."""
    return 2 * [((1 << 32) - 1) & ~AVC().policy(1, key, 2) for key in range(KEYS)]


def test_counters_count(interleave):
    """One lookup and one probe a check; a hit for each check of the second round."""
    found, run = answers(interleave, AvcTwoFour())
    assert denied() == found
    statistics = run.root.cache.statistics
    assert 2 * KEYS == run.word(statistics.lookups) == run.word(statistics.probes)
    assert KEYS == run.word(statistics.hits)


def test_a_miss_takes_the_servers_lock(interleave):
    """As often as it misses, and never while the cache's lock is held."""
    _, run = answers(interleave, AvcTwoFour())
    cache = run.root.cache
    marks = [(mark, at) for _, mark, at in run.log]
    assert KEYS == marks.count((Mark.ACQUIRED, int(cache.server.lock)))
    assert 3 * KEYS == marks.count((Mark.ACQUIRED, int(cache.lock)))
    held = False
    for mark, at in marks:
        if at == int(cache.lock):
            held = mark == Mark.ACQUIRED
        assert not (held and at == int(cache.server.lock))


@pytest.mark.parametrize("n_colours", [1, 2, 8, 64])
def test_split_cache_answers_alike(interleave, n_colours):
    """Any number of colours gives the undivided cache's answers."""
    assert denied() == answers(interleave, coloured(n_colours))[0]


def test_colours_spread_the_locks(interleave):
    """With eight colours a dozen keys use more than half of the locks."""
    _, run = answers(interleave, coloured(8))
    used = {at for _, mark, at in run.log if mark == Mark.ACQUIRED}
    locks = {int(run.root.cache.caches[i].lock) for i in range(8)}
    assert 4 < len(used & locks)


def test_bad_number_of_colours_is_refused():
    """With what would do."""
    with pytest.raises(ValueError, match=r"n_colours must be a power of two .* \(got 3\)"):
        coloured(3)


def test_hold_grows_with_the_cpus():
    """The same code holds the lock longer where its data come from another CPU."""

    def hold_ns(cpus):
        mix = AvcMix(cache=AvcTwoFour(), n_keys=4, updates_per_thousand=0, other_ps=20_000_000)
        run = simulate(mix, machine="pentium3-8way", cpus=cpus, operations=100, replications=2)
        table = run.by_lock()
        return table[table.lock == "cache.lock"].hold_ns.iloc[0]

    assert hold_ns(1) < 150
    assert hold_ns(2) > 2 * hold_ns(1)
    assert hold_ns(8) > hold_ns(2)
