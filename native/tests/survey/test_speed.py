"""A trial in which private work was slow is recognised."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from locknative.survey.speed import ENOUGH, SLOWER, SpeedCheck


def test_a_busy_sibling_is_seen() -> None:
    """Twice as slow as in quiet moments is reported with the factor; a little slower is not."""
    speed = SpeedCheck([[0.25, 0.25], [0.26, 0.25]])
    assert "took 2.00 times" in str(speed.warning([0.25, 0.5]))
    assert speed.warning([0.26, 0.25]) is None


def test_turbo_is_no_warning() -> None:
    """Many threads are compared with as many: with a lower clock for all of them, they are fine."""
    speed = SpeedCheck([*[[0.2]] * 5, *[[0.3, 0.3]] * 5])
    assert speed.warning([0.3, 0.3]) is None
    assert speed.warning([0.3]) is not None


def test_nothing_seen_is_no_warning() -> None:
    """The first trial has nothing to be compared with."""
    assert SpeedCheck().warning([9.0]) is None


def test_a_quiet_moment_is_known_after_some_trials() -> None:
    """It is what the check accepts, for as many threads."""
    speed = SpeedCheck([[0.25, 0.5]] * (ENOUGH - 1))
    assert speed.quiet_ns(2) is None
    speed.add([0.5, 0.25])
    assert speed.quiet_ns(2) == SLOWER * 0.5
    assert speed.quiet_ns(1) is None


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=50))
def test_the_quietest_pass(turns: list[float]) -> None:
    """The quickest trial is always accepted, and one that is far slower than all is not."""
    speed = SpeedCheck([turn] for turn in turns)
    assert speed.warning([min(turns)]) is None
    assert speed.warning([2 * SLOWER * max(turns)]) is not None
