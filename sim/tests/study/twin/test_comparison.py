"""A prediction beside a second report, and the words that a band makes."""

from dataclasses import replace

import pytest

from locksim.study.bands import Band
from locksim.study.reports.table import LockRow, LockTable
from locksim.study.twin.comparison import compared
from locksim.study.twin.errors import TwinError
from locksim.study.twin.evidence import Target, evidence_of
from locksim.study.twin.prediction import DRAWS, Prediction

ROW = LockRow("node", contended=10_000, wait_ns=800, wait_total_ns=8e6, type="spinlock")
BEFORE = evidence_of([LockTable("perf", [ROW], cpus=4, window_ns=1e9)], None, None)
BANDS = {"contentions": Band(5e3, 4e3, 6e3), "wait_ns": Band(400, 300, 500)}


def prediction(low: float, high: float, draws: int = DRAWS) -> Prediction:
    """A change of throughput."""
    return Prediction("split:2", 4, BANDS, Band((low * high) ** 0.5, low, high), draws)


def test_columns_of_perf_stand_beside_their_prediction():
    """Waits a second and the mean wait; the chance of 100 waits is allowed for."""
    after = replace(BEFORE, columns={"contentions": Target(6.5e3, 0.1), "wait": Target(900.0, 0.1)})
    found = compared(prediction(1.1, 1.2), BEFORE, after)
    assert [("contentions", 1e4, 6.5e3, True), ("wait", 800, 900, False)] == [
        (one.column, one.before, one.after, one.inside) for one in found
    ]


def test_reports_without_a_common_column_are_refused():
    """A mean over all is not one of those that waited."""
    after = replace(BEFORE, columns={"waiting": Target(9.0, 0.1)})
    with pytest.raises(TwinError, match=r"before has contended.*after has WAIT, of all"):
        compared(prediction(1, 1), BEFORE, after)


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.98, 1.02, "no effect"),
        (1.00, 1.05, "may have no effect"),
        (0.90, 1.20, "may have no effect"),
        (1.04, 1.20, "faster"),
        (0.80, 0.96, "slower"),
    ],
)
def test_the_whole_band_decides_the_word(low, high, word):
    """Within the threshold, beyond it, or neither; a wider band never turns one into the other."""
    assert word == prediction(low, high).effect
    wider = prediction(low * 0.98, high * 1.02).effect
    assert wider in (word, "may have no effect")
    assert "too few draws" == prediction(low, high, DRAWS - 1).effect
