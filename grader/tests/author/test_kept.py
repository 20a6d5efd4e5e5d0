"""What lint has graded: an ended run goes on, and nothing old is taken for new."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from tiny_lab import make_whole

from lockgrader.author import right
from lockgrader.author.kept import Kept
from lockgrader.author.lint import lint
from lockgrader.lab import load


@dataclass(frozen=True)
class Task:
    """Something to do."""

    name: str


@dataclass(frozen=True)
class Done:
    """Something that was done."""

    task: Task
    points: float


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The small lab's folder."""
    return make_whole(tmp_path / "lab99-tiny")


def kept_for(lab: Path, *, again: bool = False) -> Kept[Done]:
    """The results of a lab, kept beside it."""
    return Kept(lab.parent / "kept", load(lab), "unconfined", Done, again=again)


def test_a_lint_that_was_ended_goes_on(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C what was graded is kept; only the rest is graded, and all is the same."""
    monkeypatch.setattr(right, "SPELLINGS", {})
    keep = lab.parent / "kept"

    def end(_text: str, done: float) -> None:
        if done > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lint(lab, students=1, profile="unconfined", keep=keep, report=end)
    second = lint(lab, students=1, profile="unconfined", keep=keep)
    assert 0 < second.kept_s < second.cpu_s
    third = lint(lab, students=1, profile="unconfined", keep=keep)
    assert third.cpu_s == third.kept_s == second.cpu_s
    assert second.items == third.items


def test_a_result_is_that_of_its_task(lab: Path) -> None:
    """And of no other one; it is there for the next run, unless all is to be graded again."""
    one, two = Done(Task("one"), 1.5), Task("two")
    assert one == kept_for(lab).add(one.task, one)
    assert (one, None) == (kept_for(lab).get(one.task), kept_for(lab).get(two))
    assert None is kept_for(lab, again=True).get(one.task)


def test_what_was_cut_off_is_graded_again(lab: Path) -> None:
    """A file that a crash has damaged is as if it were missing."""
    one = Done(Task("one"), 1.5)
    kept_for(lab).add(one.task, one)
    (path,) = lab.parent.glob("kept/*/*.json")
    path.write_bytes(path.read_bytes()[:-3])
    assert None is kept_for(lab).get(one.task)


@pytest.mark.parametrize("file", ["lab.toml", "solution/tas.py", "starter/tas.py"])
def test_another_lab_is_graded_again(lab: Path, file: str) -> None:
    """Results of a lab that has changed are removed."""
    one = Done(Task("one"), 1.5)
    kept_for(lab).add(one.task, one)
    path = lab / file
    path.write_text(path.read_text().replace('title = "Right"', 'title = "Is it right?"') + "\n")
    assert None is kept_for(lab).get(one.task)
    assert [] == [*lab.parent.glob("kept/*/*.json")]


def test_nothing_is_kept_without_a_folder(lab: Path) -> None:
    """Tests of labs leave nothing behind."""
    kept: Kept[Done] = Kept(None, load(lab), "unconfined", Done)
    one = Done(Task("one"), 1.5)
    assert one == kept.add(one.task, one)
    assert None is kept.get(one.task)
