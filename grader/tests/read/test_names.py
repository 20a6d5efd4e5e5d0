"""Names that were changed along the way: the file that is meant, or none."""

import zipfile
from pathlib import Path

import pytest

from lockgrader.read.names import likely
from lockgrader.read.submission import read

WANTED = ("tas.py", "answers.json", "avc_rcu.c", "tests.json")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("TAS.PY", "tas.py"),
        (" tas.py ", "tas.py"),
        ("tas (1).py", "tas.py"),
        ("tas(12).py", "tas.py"),
        ("tas - Copy.py", "tas.py"),
        ("tas copy 2.py", "tas.py"),
        ("tas.py.txt", "tas.py"),
        ("Answers (1).json", "answers.json"),
        ("ａｎｓｗｅｒｓ.json", "answers.json"),
        ("AVC_RCU.C", "avc_rcu.c"),
        ("tests.json.txt", "tests.json"),
    ],
)
def test_a_changed_name_costs_nothing(tmp_path: Path, name: str, meant: str) -> None:
    """In a folder and in an archive."""
    assert {meant: name} == likely([name, "notes.txt"], WANTED)
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / name).write_text("x")
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        archive.writestr(f"homework/{name}", "x")
    for path in ("ada", "ada.zip"):
        assert {meant: b"x"} == read(tmp_path / path, WANTED).files


@pytest.mark.parametrize(
    "names",
    [
        ["tas.py", "tas (1).py", "TAS.py"],  # the right name is there
        ["tas (1).py", "tas (2).py"],  # which one?
        ["tas2.py", "my_tas.py", "tas.pyc", "tas", "._tas.py"],
    ],
)
def test_only_one_file_is_meant(names: list[str]) -> None:
    """Another name is another file."""
    assert {} == likely(names, ("tas.py",))


def test_a_link_under_another_name_is_refused(tmp_path: Path) -> None:
    """What is not a regular file is not read under any name."""
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "TAS.py").symlink_to("/etc/passwd")
    with pytest.raises(Exception, match="not a regular file"):
        read(tmp_path / "ada", WANTED)
