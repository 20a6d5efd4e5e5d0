"""The learner's record: lines are added and read; a file that will not do is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockui import record
from lockui.record import RecordError


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record of its own, in a folder that is not there yet."""
    monkeypatch.setenv("LOCKLAB_PROGRESS", str(tmp_path / "mine" / "progress.jsonl"))
    return record.path()


def test_lines_are_kept_in_order() -> None:
    """Each with its kind, name and time, and what else was said."""
    assert [] == record.read()
    record.note("drill", "tso", seed=1, right=True)
    record.note("lesson", "1")
    first, second = record.read()
    assert ("drill", "tso", 1, True) == tuple(
        first[key] for key in ("kind", "name", "seed", "right")
    )
    assert {"kind", "name", "at"} == second.keys()


def test_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder for a user's data, unless the variable names a file."""
    monkeypatch.delenv("LOCKLAB_PROGRESS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert tmp_path / "locklab" / "progress.jsonl" == record.path()


def test_it_cannot_be_written(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A warning, and the work goes on."""
    file.parent.touch()
    record.note("drill", "tso")
    assert "your progress was not recorded" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["no json", "[]", '{"kind": "drill"}'])
def test_another_file(text: str, file: Path) -> None:
    """The message names the line."""
    file.parent.mkdir()
    file.write_text(f'{{"kind": "a", "name": "b", "at": "c"}}\n{text}\n')
    with pytest.raises(RecordError, match="line 2 is not a line of a record; delete that line"):
        record.read()
