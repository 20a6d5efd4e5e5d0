"""Designs: how many points, which ones, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.study.sweep import Design, DesignError, latin_hypercube, product, read_points
from locksim.study.sweep.design import FACTORS


@given(st.dictionaries(st.sampled_from(["cpus", "hold_ns", "words"]), st.lists(st.integers())))
def test_length_is_the_number_of_points(factors: dict[str, list[int]]) -> None:
    """And every point has all factors."""
    design = Design.grid(factors)
    points = list(design)
    assert len(points) == len(design)
    assert all({*FACTORS} <= {*point} for point in points)


def test_last_factor_varies_fastest() -> None:
    """The order of the points is that of the product."""
    points = Design.grid({"lock": ["tas", "mcs"], "cpus": [1, 2]})
    found = [(point["lock"], point["cpus"]) for point in points]
    assert [("tas", 1), ("tas", 2), ("mcs", 1), ("mcs", 2)] == found


def test_each_slice_of_a_range_has_one_point() -> None:
    """A Latin hypercube's law, and integers for factors that count."""
    points = latin_hypercube({"transfer.half": (300.0, 600.0), "hold_ns": (0, 1000)}, 10, seed=3)
    slices = sorted(int((float(point["transfer.half"]) - 300) // 30) for point in points)
    assert list(range(10)) == slices
    assert all(isinstance(point["hold_ns"], int) for point in points)
    assert points == latin_hypercube({"transfer.half": (300.0, 600.0), "hold_ns": (0, 1000)}, 10, 3)


def test_product_takes_each_machine_up_to_its_cpus() -> None:
    """Default CPU counts end where a machine does, and named ones hold for all."""
    both = product(["tas"], ["desktop-4", "ideal-8"], None, {}, [{}], {})
    assert [1, 2, 4, 1, 2, 4, 8] == [point["cpus"] for point in both]
    varied = product(["tas"], ["ideal-8"], None, {"cpus": [3], "words": [0, 1]}, [{}], {})
    assert [(3, 0), (3, 1)] == [(point["cpus"], point["words"]) for point in varied]


def test_list_of_points_is_read(tmp_path: Path) -> None:
    """Numbers become numbers, by the factor that they belong to."""
    path = tmp_path / "points.csv"
    path.write_text("hold_ns,arrivals,transfer.half\n50,open,310.5\n")
    assert [{"hold_ns": 50, "arrivals": "open", "transfer.half": 310.5}] == read_points(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hold_ns\n", "has no points"),
        ("hold_ns,words\n1\n", ":2: not as many values"),
        ("hold_ns\n1.5\n", "hold_ns=1.5: write an integer"),
    ],
)
def test_bad_list_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With its place, where it has one."""
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(DesignError, match=message):
        read_points(path)


def test_values_have_the_type_of_their_factor() -> None:
    """So equal points have equal digests; what has no such value is refused."""
    (point,) = Design.grid({"jitter": [3], "hold_ns": [np.int64(5)]})
    assert (float, int) == (type(point["jitter"]), type(point["hold_ns"]))
    for name, wrong in (("hold_ns", 1.5), ("words", "2"), ("lock", 3), ("jitter", "x")):
        with pytest.raises(DesignError, match=f"{name}=.*: give a"):
            Design.grid({name: [wrong]})


def test_bad_ranges_are_refused() -> None:
    """Words have no range, and a range is not empty."""
    with pytest.raises(DesignError, match="arrivals has no numbers"):
        latin_hypercube({"arrivals": (0, 1)}, 4, 1)
    with pytest.raises(DesignError, match="second number must be the larger"):
        latin_hypercube({"hold_ns": (5, 5)}, 4, 1)


def test_factor_is_named_once() -> None:
    """Neither twice, nor without any value."""
    with pytest.raises(DesignError, match="machine is in the list of points and also given"):
        product(["tas"], ["ideal-4"], [1], {}, [{"machine": "ideal-2"}], {})
    with pytest.raises(DesignError, match="no point"):
        product(["tas"], ["ideal-4"], [1], {"words": []}, [{}], {})
