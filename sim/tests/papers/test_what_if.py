"""What-ifs: the registry, the comparison's arithmetic, Ctrl-C, and those of kaigai-2004."""

import math
from collections.abc import Iterator

import pytest

from locksim.papers import what_if as registry
from locksim.papers.experiment import ExperimentError
from locksim.papers.what_if import Comparison, Runs
from locksim.study.simulation import Interval


def comparison(before: float, after: float, better: str = "lower") -> Comparison:
    """A row whose figures have no interval."""
    nan = math.nan
    return Comparison(
        "spinlock",
        "4 CPUs",
        Interval(before, nan, nan),
        Interval(after, nan, nan),
        "s",
        "lower" if better == "lower" else "higher",
    )


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry with one what-if that stops in its second row."""
    monkeypatch.setattr(registry, "_KNOWN", {})
    monkeypatch.setattr(registry, "_import_all", lambda: None)

    @registry.what_if("made-up-half", of="made-up", title="Half", change="half of it")
    def half(runs: Runs) -> Iterator[Comparison]:
        runs.report("first", 0.0)
        yield comparison(8.0, 4.0 * runs.replications)
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("before", "after", "better", "gain"),
    [(8, 2, "lower", 4), (2, 8, "lower", 0.25), (8, 2, "higher", 0.25), (2, 8, "higher", 4)],
)
def test_gain_is_times_better(before: float, after: float, better: str, gain: float) -> None:
    """Above 1 is an improvement, whichever direction is better."""
    assert gain == comparison(before, after, better).gain


def test_gain_over_nothing_says_nothing() -> None:
    """A division by zero is no number."""
    assert math.isnan(comparison(3, 0).gain)


def test_interrupt_keeps_the_rows(made_up: None) -> None:
    """One row was finished; the outcome says that it is not whole."""
    outcome = registry.find("made-up-half").run(Runs(replications=1))
    assert (False, [comparison(8.0, 4.0).gain]) == (
        outcome.complete,
        [r.gain for r in outcome.rows],
    )


def test_a_name_is_taken_once(made_up: None) -> None:
    """Two what-ifs of one name: whoever comes second hears it."""
    with pytest.raises(ExperimentError, match="two what-ifs are named 'made-up-half'"):
        registry.what_if("made-up-half", of="x", title="x", change="x")(lambda runs: iter(()))


def test_unknown_name_is_refused(made_up: None) -> None:
    """With the nearest name."""
    with pytest.raises(ExperimentError) as caught:
        registry.find("made-up-hlf")
    assert "unknown what-if 'made-up-hlf'; did you mean 'made-up-half'?" == str(caught.value)


def test_every_what_if_names_an_experiment() -> None:
    """Names begin with the experiment's, which exists."""
    from locksim import papers as experiments

    for name in registry.names():
        found = registry.find(name)
        assert found.of in experiments.names()
        assert name.startswith(f"{found.of}-")


def test_queue_locks_would_have_helped_in_2004() -> None:
    """MCS at 32 CPUs is many times faster; a big-reader lock alone leaves the store of used."""
    gains = {
        name: [row.gain for row in registry.find(f"kaigai-2004-{name}").run(Runs(2)).rows]
        for name in ("mcs", "brlock", "brlock-looks")
    }
    assert gains["mcs"][-1] > 4
    assert gains["mcs"] == sorted(gains["mcs"])
    assert gains["brlock-looks"][-1] > 4 * gains["brlock"][-1]
