"""Names of students: from any name of a file, safe and never two students' same."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockgrader.export import BATCH, FORMATS
from lockgrader.read.owner import student_name, student_of

NAMES = st.text(min_size=1, max_size=300) | st.binary(min_size=1, max_size=80).map(os.fsdecode)


@pytest.mark.parametrize("name", ["ada", "Ada Lovelace", "jan.de", "o'brien", "a+b@x.org", "Ωμέγα"])
def test_ordinary_names_stay(name: str) -> None:
    """A login, a name with a space and a name in another script are not touched."""
    assert name == student_name(name)


@given(NAMES)
def test_a_name_is_safe(name: str) -> None:
    """It is a folder's name of bounded length, can be printed, and begins with no dot."""
    made = student_name(name)
    assert made.isprintable()
    assert "/" not in made
    assert not made.startswith(".")
    assert 0 < len(made.encode()) <= 160


@given(NAMES, NAMES)
def test_different_names_stay_different(one: str, other: str) -> None:
    """Only spellings of the same characters meet."""
    same = unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)
    assert same == (student_name(one) == student_name(other))


def test_names_of_a_batchs_files_are_not_students() -> None:
    """Every file that a batch writes beside the students' folders."""
    ours = {name for kind in BATCH for name in FORMATS[kind].files([]) if "/" not in name}
    assert ours
    for name in {*ours, "gradebook.sqlite", "SUMMARY.HTML", ".", ".."}:
        assert name != student_name(name)


def test_the_labs_name_is_cut_off(tmp_path: Path) -> None:
    """What the workspace's zip is called."""
    assert "ada" == student_of(tmp_path / "ada-lab02.zip", "lab02-spinlocks")
    assert "%2E" == student_of(tmp_path / "..zip", "lab02-spinlocks")
    assert "eve%1B[2J".replace("[", "%5B") == student_of(tmp_path / "eve\x1b[2J.zip", "")
