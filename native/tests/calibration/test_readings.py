"""From trials to readings: medians, intervals, and the regime that most trials were taken in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from locknative import NativeError
from locknative.calibration.readings import Reading, read, regime_of, value_ns
from locknative.survey.cells import Cell

SENTINEL = Cell("handoff_cas", (0, 1))
LOCK = Cell("mcs", (0, 1))
ALONE = Cell("own_add", (0,))


def record(cell: Cell, at: float, ns: float) -> dict[str, Any]:
    """A good trial in which an operation took ``ns``, all threads together."""
    each = {"count": 1000, "overlaps": 0, "wall_ns": 1000 * ns * cell.threads, "cpu_ns": 0}
    return {
        "cell": cell._asdict(),
        "at": at,
        "rejected": None,
        "result": {"tallies": [each] * cell.threads},
    }


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=30))
def test_the_interval_holds_the_median(values: list[float]) -> None:
    """The interval lies round the median and within the trials."""
    reading = Reading.of(values)
    low, high = reading.interval_ns
    assert min(values) <= low <= reading.value_ns <= high <= max(values)


def test_one_regime() -> None:
    """Where the sentinel stays the same, every trial counts."""
    trials = [record(SENTINEL, t, 27 + t % 3) for t in range(10)]
    trials += [record(LOCK, t + 0.5, 100) for t in range(9)]
    readings, regime = regime_of(trials)
    assert (1.0, 0) == (regime.share, regime.left_out)
    assert 9 == len(readings[LOCK].trials)


def test_the_commoner_regime() -> None:
    """Trials between sentinels of the rarer regime, or of both, are left out; one CPU's stay."""
    trials = [record(SENTINEL, t, 27) for t in range(10)]
    trials += [record(SENTINEL, t, 107) for t in range(10, 14)]
    trials += [record(LOCK, t + 0.5, 100) for t in range(9)]
    trials += [record(LOCK, 9.5, 200)]  # between the two
    trials += [record(LOCK, t + 0.5, 400) for t in range(10, 13)]
    trials += [record(ALONE, t + 0.5, 2) for t in range(14)]
    readings, regime = regime_of(trials)
    assert 27 == regime.sentinel_ns
    assert 10 / 14 == regime.share
    assert {100.0} == set(np.round(readings[LOCK].trials, 6))
    assert 4 + 5 == regime.left_out  # locks; sentinels, the last before the change too
    assert 14 == len(readings[ALONE].trials)


def test_regimes_of_a_busy_host() -> None:
    """Single sentinels between two regimes do not join them; their medians tell them apart."""
    noise = [27, 35, 27, 27, 45, 27, 60, 27, 27, 80, 27, 27]
    later = [108, 80, 108, 108, 60, 108, 108, 108]
    trials = [record(SENTINEL, t, ns) for t, ns in enumerate(noise + later)]
    trials += [record(ALONE, t + 0.5, 2) for t in range(20)]
    trials += [record(LOCK, t + 0.5, 100) for t in range(14, 19)]
    readings, regime = regime_of(trials)
    assert (27, (108,)) == (regime.sentinel_ns, regime.others_ns)
    assert ("mcs",) == regime.lost
    assert LOCK not in readings
    assert "took 27.0 ns for 55% of the time, and 108.0 ns otherwise" in regime.in_words


def test_no_sentinel_near() -> None:
    """Once there are regimes, a trial far from any sentinel belongs to none."""
    trials = [record(SENTINEL, t, 27) for t in (0, 1, 2, 100)] + [record(SENTINEL, 101, 107)]
    trials += [record(LOCK, 0.5, 100), record(LOCK, 50, 300)]
    readings, _ = regime_of(trials)
    assert [100] == readings[LOCK].trials.round(6).tolist()


def test_the_writer_alone_is_read() -> None:
    """write_shared gives the writer's time; a trial in which nothing was done gives no reading."""
    writer = {"count": 10, "wall_ns": 1000}
    reader = {"count": 90, "wall_ns": 1000}
    assert 100 == value_ns(Cell("write_shared", (0, 1)), [writer, reader])
    assert 10 == value_ns(LOCK, [writer, reader])
    assert value_ns(LOCK, [{"count": 0, "wall_ns": 1000}]) is None


def test_nothing_to_read(tmp_path: Path) -> None:
    """A folder that is not there, or has no good trial, is refused with what to do."""
    with pytest.raises(NativeError, match="there is no folder"):
        read(tmp_path / "none")
    with pytest.raises(NativeError, match="no good trial"):
        read(tmp_path)
