"""All models on the same inputs."""

import numpy as np
import pytest

from locksim.study.analytic import USL, AnalyticError, compare

TIMES = {"hold_ns": 100.0, "think_ns": 2000.0, "transfer_ns": 50.0}


def test_a_row_for_each_model_and_count():
    """Tidy: model by model, in the order of the counts."""
    frame = compare([1, 8, 64], **TIMES)
    assert ["mva"] * 3 + ["markov"] * 3 + ["usl"] * 3 == list(frame["model"])
    assert [1, 8, 64] * 3 == list(frame["cpus"])
    assert ["model", "cpus", "per_second", "waiting", "low", "high"] == list(frame.columns)


def test_only_the_models_with_growing_hand_overs_collapse():
    """And the one in which all ask at once is the worst."""
    frame = compare([32, 256], **TIMES).pivot(index="model", columns="cpus", values="per_second")
    assert frame.loc["mva", 256] >= frame.loc["mva", 32]
    assert frame.loc["markov", 256] < frame.loc["markov", 32] / 2
    assert (frame.loc["usl"] < frame.loc["markov"]).all()


def test_measurements_add_a_fitted_law():
    """Its intervals come along; the others have none."""
    measured = dict(zip(range(1, 9), USL(1e6, 0.1, 0.01).per_second(range(1, 9)), strict=True))
    frame = compare([4], measured=measured, **TIMES)
    fitted = frame[frame["model"] == "usl_fitted"].iloc[0]
    assert fitted["per_second"] == pytest.approx(float(measured[4]), rel=1e-6)
    assert fitted["low"] <= fitted["per_second"] <= fitted["high"]
    assert np.isnan(frame[frame["model"] == "mva"]["low"]).all()


def test_no_counts_are_refused():
    """There would be nothing to say."""
    with pytest.raises(AnalyticError, match="at least one"):
        compare([], **TIMES)
