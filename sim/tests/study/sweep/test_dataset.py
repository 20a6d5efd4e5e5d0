"""The dataset: it grows by whole files, has one writer, and reads the same in any order."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from locksim.study.sweep import Dataset, DatasetError
from locksim.study.sweep.dataset import DIGESTS
from locksim.study.sweep.design import FACTORS
from locksim.study.sweep.runs import MEASURES


def row(seed: int, **values: Any) -> dict[str, Any]:
    """A run."""
    measures = {name: kind() for name, kind in MEASURES.items()} | {"error": None}
    digests = dict.fromkeys(DIGESTS, "0")
    return {"point": "p", "seed": seed, **FACTORS, **measures, **digests, **values}


def test_files_in_any_order_read_the_same(tmp_path: Path) -> None:
    """Sorted by factors and seed; every tool reads the folder."""
    rows = [row(seed, cpus=cpus, point=f"p{cpus}") for cpus in (1, 2) for seed in (1, 2, 3)]
    for name, order in (("one", rows), ("other", rows[::-1])):
        data = Dataset(tmp_path / name)
        with data.writing():
            data.append(order[:2])
            data.append(order[2:])
    one, other = Dataset(tmp_path / "one"), Dataset(tmp_path / "other")
    pd.testing.assert_frame_equal(one.read(), other.read())
    assert [1, 1, 1, 2, 2, 2] == one.read()["cpus"].to_list()
    assert 6 == len(pd.read_parquet(tmp_path / "one"))
    assert {"p1": {1: 0.0, 2: 0.0, 3: 0.0}, "p2": {1: 0.0, 2: 0.0, 3: 0.0}} == other.values(
        "per_second"
    )


def test_costs_are_columns(tmp_path: Path) -> None:
    """A sweep of fewer factors fits in; one with a factor more does not."""
    data = Dataset(tmp_path, ["jitter"])
    with data.writing():
        data.append([row(1, jitter=2.5)])
    with data.writing():
        Dataset(tmp_path).append([row(2)])
    assert [2.5, True] == [data.read()["jitter"][0], data.read()["jitter"].isna()[1]]
    with pytest.raises(DatasetError, match=r"no column transfer.half.*\n.*another folder"):
        Dataset(tmp_path, ["transfer.half"])


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    """A second one is refused while the first writes, and may write afterwards."""
    first, second = Dataset(tmp_path), Dataset(tmp_path)
    with first.writing(), pytest.raises(DatasetError, match="another sweep writes to it"):
        second.writing().__enter__()
    with second.writing():
        second.append([row(1)])


def test_half_a_file_of_a_killed_writer_is_removed(tmp_path: Path) -> None:
    """It has never been part of the dataset."""
    data = Dataset(tmp_path)
    left = tmp_path / ".part-00000001.parquet"
    left.write_bytes(b"PAR1")
    assert 0 == len(data.read())
    with data.writing():
        assert not left.exists()


def test_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    """Other tables, and files that are no tables."""
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "part-1.parquet")
    with pytest.raises(DatasetError, match="that no sweep wrote"):
        Dataset(tmp_path)
    (tmp_path / "part-1.parquet").write_bytes(b"no table")
    with pytest.raises(DatasetError, match="that no sweep wrote"):
        Dataset(tmp_path)


def test_dataset_of_an_earlier_version_is_refused(tmp_path: Path) -> None:
    """The column that it lacks is named."""
    old = pd.DataFrame([row(1)]).drop(columns=["wait_p99_ns"])
    old.to_parquet(tmp_path / "part-00000001.parquet")
    message = r"earlier version of LockLab, without the column wait_p99_ns\nhelp: name a new folder"
    with pytest.raises(DatasetError, match=message):
        Dataset(tmp_path)


def test_damaged_file_is_named(tmp_path: Path) -> None:
    """What to do about it is said."""
    data = Dataset(tmp_path)
    with data.writing():
        data.append([row(1)])
    (tmp_path / "part-00000002.parquet").write_bytes(b"PAR1")
    with pytest.raises(DatasetError, match="a file is damaged"):
        data.read()


def test_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """A file is in the way."""
    (tmp_path / "file").touch()
    with pytest.raises(DatasetError, match="cannot be written"):
        Dataset(tmp_path / "file").writing().__enter__()
