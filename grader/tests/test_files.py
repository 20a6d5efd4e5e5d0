"""A folder of results with a link, a pipe or a device: refused, not written through, no wait."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from results_made import check, result
from typed import typed

from lockgrader.files import IrregularError, ResultError, alone, plain, read, replace, write
from lockgrader.mark import Mark, add_mark, read_marks
from lockgrader.result import keep, load


def link(path: Path) -> None:
    """A link to a file beside the results."""
    target = path.parents[1] / "elsewhere"
    target.write_text("theirs")
    path.symlink_to(target)


def link_to_folder(path: Path) -> None:
    """A link to a folder beside the results."""
    target = path.parents[1] / "elsewhere"
    target.mkdir()
    path.symlink_to(target)


def device(path: Path) -> None:
    """A device, where this user may make one."""
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("devices are root's")


ODD: dict[str, Callable[[Path], None]] = {
    "a symbolic link": link,
    "a pipe": os.mkfifo,
    "a device": device,
}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder of results of one student."""
    keep(tmp_path / "out" / "ada", result("ada", check("a")))
    return tmp_path / "out"


@pytest.mark.parametrize("place", ["summary.html", "ada/result.json", "eve", "ada/marks.jsonl"])
@pytest.mark.parametrize("kind", ODD)
def test_each_command_refuses_the_folder(out: Path, kind: str, place: str) -> None:
    """It names what is there, and nothing is written through it."""
    (out / place).unlink(missing_ok=True)
    ODD[kind](out / place)
    for asked in (
        ["export", str(out)],
        ["review", str(out), "--marks", "marks.csv"],
        ["compare", str(out), str(out)],
        ["lab00", str(out.parent), "-o", str(out)],
    ):
        done = typed("grade", *asked)
        assert 2 == done.exit_code, done.output
        said = done.output.replace("\n", "")
        assert f"{out / place} cannot be read: it is {kind}" in said, said
    assert all("theirs" == path.read_text() for path in out.glob("../elsewhere"))


def test_a_folder_that_is_a_link(tmp_path: Path) -> None:
    """The one of a student is refused; that of all results is the instructor's own choice."""
    (tmp_path / "results").mkdir()
    link_to_folder(tmp_path / "results" / "ada")
    with pytest.raises(ResultError, match="it is a symbolic link"):
        keep(tmp_path / "results" / "ada", result("ada", check("a")))
    with pytest.raises(ResultError, match="it is a symbolic link"):
        plain(tmp_path / "results")
    assert [] == [*(tmp_path / "elsewhere").iterdir()]
    (tmp_path / "results" / "ada").unlink()
    (tmp_path / "mine").symlink_to(tmp_path / "results")
    plain(tmp_path / "mine")


@pytest.mark.parametrize("kind", ODD)
def test_odd_files_are_neither_read_nor_awaited(tmp_path: Path, kind: str) -> None:
    """Also those that appear after the folder was checked; a file takes their place."""
    folder = tmp_path / "out" / "ada"
    folder.mkdir(parents=True)
    ODD[kind](folder / "result.json")
    with pytest.raises(ResultError, match=f"it is {kind}"):
        load(folder)
    ODD[kind](folder / ".lock") if kind != "a symbolic link" else (folder / ".lock").symlink_to("/")
    with pytest.raises(IrregularError, match=kind), alone(folder):
        pass
    replace(folder / "result.json", "ours")
    assert "ours" == read(folder / "result.json")
    assert all("theirs" == path.read_text() for path in folder.glob("../elsewhere"))


def test_a_mark_leaves_a_backup_alone(tmp_path: Path) -> None:
    """A backup may be a hard link to the file; the new line is not written through it."""
    given = Mark(check="why", points=1.0, reason="x", by="ann", submission_sha256="0" * 64)
    add_mark(tmp_path, given)
    os.link(tmp_path / "marks.jsonl", tmp_path / "backup")
    add_mark(tmp_path, given)
    assert 1 == len((tmp_path / "backup").read_text().splitlines())
    assert [given, given] == read_marks(tmp_path)


def test_a_reason_with_odd_ends_of_lines(tmp_path: Path) -> None:
    """A mark is one line whatever its text holds."""
    reason = "one\u2028two\x85three\nfour"
    given = Mark(check="why", points=1.0, reason=reason, by="ann", submission_sha256="0" * 64)
    add_mark(tmp_path, given)
    assert [given] == read_marks(tmp_path)


def test_without_the_flags_of_unix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows opens no folder; files are written all the same."""
    monkeypatch.setattr("lockgrader.files._FOLDER", 0)
    write(tmp_path / "a", "text")
    assert "text" == read(tmp_path / "a")


def test_an_export_follows_no_link(out: Path, tmp_path: Path) -> None:
    """Not in a folder of its own either, where a student's is a link."""
    (tmp_path / "pages").mkdir()
    link_to_folder(tmp_path / "pages" / "ada")
    done = typed("grade", "export", str(out), "--to", "html", "-o", str(tmp_path / "pages"))
    said = done.output.replace("\n", "")
    assert (2, True) == (done.exit_code, "ada cannot be written: it is a symbolic link" in said)
    assert [] == [*(tmp_path / "elsewhere").iterdir()]
