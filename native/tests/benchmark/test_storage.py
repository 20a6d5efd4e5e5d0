"""Files: what is written comes back, and anything else is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_up import measurement, trial

from locknative import NativeError, load, save

WHOLE = measurement([trial(i) for i in range(3)] + [trial(3, cpu_ns=1)])


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_round_trip(suffix: str, tmp_path: Path) -> None:
    """Every trial, rejected ones too, and all circumstances come back as they were."""
    file = tmp_path / f"found{suffix}"
    save(WHOLE, file)
    assert WHOLE == load(file)


def test_parquet_is_a_table(tmp_path: Path) -> None:
    """One row a trial, with what is needed to draw it without this package."""
    save(WHOLE, tmp_path / "found.parquet")
    table = pq.read_table(tmp_path / "found.parquet")
    assert [True, True, True, False] == table["accepted"].to_pylist()
    assert ["tas"] * 4 == table["kernel"].to_pylist()
    assert WHOLE.trials[0].counts == table["counts"].to_pylist()[0]


def test_refusals(tmp_path: Path) -> None:
    """Another format, no folder, no file, another content."""
    (tmp_path / "other.json").write_text('{"format": 2}')
    (tmp_path / "text.parquet").write_text("no table")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    (tmp_path / "folder.json").mkdir()
    attempts = {
        r"must end in \.json or \.parquet": lambda: save(WHOLE, tmp_path / "found.csv"),
        "there is no folder": lambda: save(WHOLE, tmp_path / "none/found.json"),
        "cannot be written": lambda: save(WHOLE, tmp_path / "folder.json"),
        "cannot be read: No such file": lambda: load(tmp_path / "none.json"),
        "must end in": lambda: load(tmp_path / "found.csv"),
        "it has format 2, and LockLab .* reads format 1": lambda: load(tmp_path / "other.json"),
        "is not a Parquet file": lambda: load(tmp_path / "text.parquet"),
        "no 'locklab' metadata": lambda: load(tmp_path / "other.parquet"),
    }
    for message, attempt in attempts.items():
        with pytest.raises(NativeError, match=message) as caught:
            attempt()
        assert 2 == caught.value.exit_code
