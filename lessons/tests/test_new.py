"""A new lesson has every part, under the next number; what will not do is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from locklessons.new import write
from locklessons.notebooks import LessonError, find, lessons, run
from test_notebooks import check_form


def test_it_has_every_part(tmp_path: Path) -> None:
    """The form that all lessons must have; and it is found by its file."""
    path = write("locks-on-gpus", folder=tmp_path)
    lesson = find(str(path))
    assert lessons()[-1].number + 1 == lesson.number
    assert f"{lesson.number} · Locks on gpus" == lesson.title
    check_form(lesson)


@pytest.mark.slow
def test_it_runs(tmp_path: Path) -> None:
    """Before a word of it was changed."""
    run(find(str(write("locks-on-gpus", "Locks on GPUs", tmp_path))))


def test_refusals(tmp_path: Path) -> None:
    """A name that is taken, here or in the course, and one that is no name."""
    write("mine", folder=tmp_path)
    for name, says in (("mine", "already"), ("rcu", "already"), ("No Name", "is not a name")):
        with pytest.raises(LessonError, match=says):
            write(name, folder=tmp_path)
