"""What a check gives to a student's function; nothing that the student is still to predict."""

from pathlib import Path

import pytest

from lockgrader.author import bundle
from lockgrader.lab.variants import variant
from lockgrader.read.record import Locked
from lockgrader.workspace import folder as ws
from lockgrader.workspace.folder import Workspace, WorkspaceError
from lockgrader.workspace.given import write_given
from locklabs import find


@pytest.fixture
def mine(tmp_path: Path) -> Workspace:
    """Ada's folder for lab 09."""
    files = bundle.read(find("lab09")).files
    key = b"k" * 16
    return ws.start(
        files, tmp_path / "work", student="ada", draw=lambda lab: variant(lab, "ada", key)
    )


def test_tables_are_written(mine: Workspace, tmp_path: Path) -> None:
    """One table a call, and the other arguments of each call, numbered as its file."""
    files, others = write_given(mine, "capacity", tmp_path / "curve.csv")
    assert [tmp_path / "curve.csv", tmp_path / "curve-2.csv"] == files
    assert {"bucket_size", "bucket_size-2"} == set(others)
    assert "labels,hits" in files[0].read_text().partition("\n")[0]


def test_the_prediction_comes_first(mine: Workspace, tmp_path: Path) -> None:
    """A curve that shows the predicted number waits until the prediction is locked."""
    with pytest.raises(WorkspaceError, match="run 'locklab lab check predict'"):
        write_given(mine, "nine-bits", tmp_path / "nine.csv")
    assert not (tmp_path / "nine.csv").exists()
    locked = Locked.model_validate({"values": (20, 30), "at": "2026-11-21T12:00:00Z"})
    mine.update(lambda _: {"predictions": {"entries_512": locked}})
    assert write_given(mine, "nine-bits", tmp_path / "nine.csv")[0]


def test_what_gives_nothing_is_refused(mine: Workspace, tmp_path: Path) -> None:
    """An answer has no tables; an ending that is unknown is named."""
    with pytest.raises(WorkspaceError, match="these are: capacity"):
        write_given(mine, "suspect", tmp_path / "a.csv")
    with pytest.raises(WorkspaceError, match="must end in"):
        write_given(mine, "capacity", tmp_path / "a.txt")
