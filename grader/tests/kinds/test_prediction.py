"""A prediction has to be made and to say something, not to be right."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockgrader.kinds.prediction import Prediction
from lockgrader.lab import Measure
from lockgrader.read.record import Locked
from lockgrader.submitted import Submitted

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
GUESS = Prediction(
    kind="prediction", name="guess", title="Guess", points=5, answer="t", expected=100.0
)


def predicted(now: list[float], locked: tuple[float, ...] | None = None) -> Submitted:
    """A submission with a prediction, and with what was locked before."""
    first = {} if locked is None else {"t": Locked(values=locked, at=AT)}
    return Submitted(answers={"t": now}, locked=first)


@given(
    now=st.floats(0.01, 1e6).flatmap(lambda low: st.tuples(st.just(low), st.floats(low, 10 * low))),
    locked=st.none() | st.lists(st.floats(-1e6, 1e6), max_size=2).map(tuple),
)
def test_neither_the_result_nor_the_record_decides_points(
    now: tuple[float, float], locked: tuple[float, ...] | None
) -> None:
    """Any interval of a factor of ten earns all points, whatever was locked."""
    finding = GUESS.judge(predicted([*now], locked))
    assert ("pass", 1.0) == (finding.verdict, finding.share)
    assert GUESS.opens(finding)


@pytest.mark.parametrize("given", [[1.0], [2.0, 1.0], [1.0, 2.0, 3.0], [0.0, 200.0], [9.0, 91.0]])
def test_what_is_no_prediction_earns_nothing(given: list[float]) -> None:
    """Not two ends, in the wrong order, or too wide: also where a good one was locked."""
    for locked in (None, (99.0, 101.0)):
        finding = GUESS.judge(predicted(given, locked))
        assert ("malformed_output", 0.0) == (finding.verdict, finding.share)
        assert not GUESS.opens(finding)


@pytest.mark.parametrize(
    ("now", "locked", "tag", "says"),
    [
        ([99, 101], None, "", "predicted 99 to 101, measured 100: the interval holds the result"),
        ([1, 2], None, "too-low", "the interval misses the result, too low"),
        ([200, 300], None, "too-high", "the interval misses the result, too high"),
        ([99, 101], (1, 2), "too-low", "(locked 1 to 2 on 2026-11-21 12:00, now 99 to 101)"),
        ([99, 101], (2, 1), "", "(locked 2 to 1 on 2026-11-21 12:00, now 99 to 101)"),
    ],
)
def test_the_result_is_shown_beside_the_first_one(
    now: list[float], locked: tuple[float, ...] | None, tag: str, says: str
) -> None:
    """With the interval score, a miss with its side, and a later change for the summary."""
    finding = GUESS.judge(predicted(now, locked))
    assert tag == finding.tag
    assert finding.message.endswith(says)
    assert (locked is not None) == bool(finding.changed)
    assert [True] == [row.got is not None for row in finding.rows]


def test_the_lock_that_was_measured_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A student's own lock may do another number than the library's."""
    monkeypatch.setattr("lockgrader.kinds.prediction.expected", lambda *_: 100.0)
    tas = Measure(lock="tas", machine="ideal-64", cpus=2, measure="transfers")
    finding = GUESS.model_copy(update={"expected": tas}).judge(predicted([1, 2]))
    says = "measured 100 with the library's tas: the interval misses the result, too low"
    assert f"predicted 1 to 2, {says}" == finding.message
