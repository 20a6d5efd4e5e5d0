"""A survey's folder: compressed trials, and why trials were rejected."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from locknative.survey import folder
from locknative.survey.cells import Cell


def trial(at: float, rejected: str | None = None) -> dict[str, Any]:
    """A trial of a probe."""
    tally = {"count": 9, "overlaps": 0, "wall_ns": 10, "cpu_ns": 10, "turn_ns": 0.5}
    cell = Cell("own_add", (0,))._asdict() | {"cpus": [0]}
    return {"cell": cell, "at": at, "rejected": rejected, "result": {"tallies": [tally]}}


def squeeze(file: Path) -> None:
    """Replace a file by its compressed form."""
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()


@pytest.mark.parametrize("name", [folder.TRIALS, folder.CSV])
def test_compressed_trials_are_read(tmp_path: Path, name: str) -> None:
    """Either file; a survey that goes on adds to the trials before."""
    trials = [trial(1.0), trial(2.0, "it was slow")]
    for one in trials:
        folder.append(tmp_path, one)
    (tmp_path / folder.PROVENANCE).write_text("{}", encoding="utf-8")
    out = tmp_path / "out"
    folder.write_csv(tmp_path, out)
    kept = tmp_path if name == folder.TRIALS else out
    squeeze(kept / name)
    assert json.loads(json.dumps(trials)) == [*folder.records(kept)]
    if name == folder.TRIALS:
        folder.append(kept, trial(3.0))
        assert [1.0, 2.0, 3.0] == [one["at"] for one in folder.records(kept)]


def test_reasons_are_counted(tmp_path: Path) -> None:
    """Without their numbers, the most frequent first, with the load."""
    for at, why in enumerate(["took 3 ticks", "had 97.5% of it", "had 12.0% of it", None]):
        folder.append(tmp_path, trial(at, why))
    text = folder.rejections(tmp_path)
    assert "3 of 4 trials were rejected:\n  2: had … of it\n  1: took … ticks" in text
    assert text.startswith("load ")
