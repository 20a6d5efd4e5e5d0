"""Points of a sweep: a longer warm-up where the caches are still being filled."""

from types import SimpleNamespace

import pytest

from locksim.cli.points import _in_words, _warmed_up
from locksim.lang import Workload, array, done, param, random_below, word
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.simulation import WARM_UP

OPTIONS = {"machine": "desktop-4", "cpus": 2, "replications": 2, "operations": 50}


class Table(Workload):
    """Every unit of work reads a line of a table by chance."""

    rows = array(2_000, word(padded=True))
    used = param(200)

    def thread(self):
        while True:
            yield self.rows[random_below(self.used)].load()
            yield done()


@pytest.mark.parametrize(
    ("workload", "longer", "words"),
    [
        (CriticalSection(lock=TicketLock), 0, None),
        (Table(used=100), 16, "hit rates rose until then"),
        (Table(used=2_000), 64, "hit rates still rise at its end"),
    ],
)
def test_a_point_warms_up(workload: Workload, longer: int, words: str | None) -> None:
    """A lock at once, a table when it was read; at most so long."""
    result, warmup = _warmed_up(SimpleNamespace(workload=workload), OPTIONS)
    assert ({"warmup": longer * WARM_UP} if longer else {}) == warmup
    if words is not None:
        assert (
            _in_words("table", result, warmup["warmup"])
            == f"table on 2 CPUs: warm-up of {warmup['warmup']} units of work a CPU, {words}"
        )
