"""An AVC of any decision cache: right answers, and a made-up decision stops the run."""

import pytest

from locksim.core.result import SimulationError
from locksim.lang import Workload, note, param, part, pause, random_below
from locksim.lang.ops import Mark
from locksim.library.avc.avc_of import AvcOf
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.avc.decisions_spinlock import DecisionEntry, DecisionsSpinlock
from locksim.library.workloads.avc_mix import AvcMix
from locksim.study.simulation import simulate


class Asked(Workload):
    """One CPU checks random keys."""

    rounds = param(40)
    cache = part(AvcOf)

    def thread(self):
        for _ in range(self.rounds):
            denied = yield from self.cache.has_perm(random_below(9), random_below(3), 6, 0xFF)
            yield note(denied)
            yield from self.cache.syscall_exit()


class MadeUp(DecisionsSpinlock):
    """Wrong: grants everything without looking."""

    def lookup(self, key):
        yield pause()
        return 0xFFFFFFFF + (1 << 32)


def test_answers_are_those_of_the_other_caches(interleave):
    """For the same keys the same bits are denied."""
    answers = []
    for cache in (AvcOf(reclaim_every=2), AvcSpinlock(n_slots=4)):
        run = interleave(Asked(cache=cache), 1, 7, types=(DecisionEntry,))
        answers.append([value for _, mark, value in run.log if mark == Mark.NOTE])
    assert 40 == len(answers[0])
    assert answers[0] == answers[1]


def test_what_was_never_put_in_stops_the_run():
    """The seal of a decision that a cache made up is wrong."""
    with pytest.raises(SimulationError, match=r"AvcOf\.has_perm: an assertion failed"):
        simulate(AvcMix(cache=AvcOf(cache=MadeUp)), cpus=2, operations=5)


def test_reclaim_keeps_memory_bounded():
    """Many keys pass through a heap that holds few."""
    mix = AvcMix(cache=AvcOf(), n_keys=4096, skew=0)
    made = simulate(mix, cpus=4, operations=200, heap_lines=256)
    assert made.throughput().mean > 0
