"""What a grading leaves behind: its rules, its files, what survives a crash."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lockgrader.files import write
from lockgrader.mark import Mark, add_mark, read_marks
from lockgrader.result import VERDICTS, CheckResult, Result, ResultError, keep, load
from lockgrader.result import history as past


def check(verdict: str = "pass", points: float = 4.0) -> CheckResult:
    """A check worth four points."""
    return CheckResult(
        name="exclusion", title="Exclusion", verdict=verdict, points=points, max_points=4.0
    )


def result(*checks: CheckResult, complete: bool = True, **measured: float) -> Result:
    """A result of some checks."""
    return Result(
        lab="lab02",
        student="ada",
        submission_sha256="0" * 64,
        lab_sha256="1" * 64,
        versions={"locklab": "0.1.0"},
        seeds={"simulation": 1},
        checks=checks,
        complete=complete,
        replay="locklab grade lab02 ada.py",
        measured=measured,
    )


def history(folder: Path) -> list[dict[str, object]]:
    """The lines of a folder's history."""
    return [json.loads(x) for x in (folder / "history.jsonl").read_text().splitlines()]


def test_result_comes_back(tmp_path: Path) -> None:
    """What is written is what is read."""
    kept = keep(tmp_path, result(check(), check("partial", 1.5)))
    assert (kept, 5.5, 8.0) == (load(tmp_path), kept.points, kept.max_points)


@pytest.mark.parametrize(
    ("verdict", "points"),
    [("pass", 3.0), ("fail", 1.0), ("grader_error", 4.0), ("partial", 5.0), ("partial", -1.0)]
    + [("partial", float("nan")), ("full_marks", 4.0)],
)
def test_impossible_checks_are_refused(verdict: str, points: float) -> None:
    """Verdict and points agree, and the set of verdicts is closed."""
    with pytest.raises(ValidationError):
        check(verdict, points)


def test_unknown_keys_are_refused(tmp_path: Path) -> None:
    """A result with something added is not a result."""
    write(
        tmp_path / "result.json", json.dumps(json.loads(result(check()).to_json()) | {"bonus": 9})
    )
    with pytest.raises(ResultError, match="bonus"):
        load(tmp_path)


def test_our_own_failure_never_lowers_a_score(tmp_path: Path) -> None:
    """A grader_error leaves the earlier result where it is, and goes to the history."""
    good = keep(tmp_path, result(check()))
    stands = keep(tmp_path, result(check("grader_error", 0.0)))
    assert (good, good, 2) == (stands, load(tmp_path), len(history(tmp_path)))


def test_an_unfinished_result_replaces_no_finished_one(tmp_path: Path) -> None:
    """Partial results are kept until there is a whole one."""
    keep(tmp_path, result(complete=False))
    whole = keep(tmp_path, result(check("fail", 0.0)))
    assert whole == keep(tmp_path, result(check(), complete=False))


def test_a_student_may_get_worse(tmp_path: Path) -> None:
    """A sound result is the latest one: a re-grading with fixed checks counts."""
    keep(tmp_path, result(check()))
    worse = keep(tmp_path, result(check("fail", 0.0)))
    assert worse == load(tmp_path)


def test_grading_again_adds_no_history(tmp_path: Path) -> None:
    """The same decision, however long it took, is one line."""
    keep(tmp_path, result(check(), wall_s=1.0))
    keep(tmp_path, result(check(), wall_s=2.0))
    assert 1 == len(history(tmp_path))


def test_history_survives_a_torn_line(tmp_path: Path) -> None:
    """What a crash has cut off is dropped, what is before it stays."""
    keep(tmp_path, result(check()))
    with open(tmp_path / "history.jsonl", "a") as file:
        file.write('{"lab": "la')
    keep(tmp_path, result(check("fail", 0.0)))
    assert ["pass", "fail"] == [h["checks"][0]["verdict"] for h in history(tmp_path)]  # type: ignore[index]


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash between writing and renaming changes nothing and leaves nothing."""
    write(tmp_path / "a", "old")

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", crash)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "a", "new")
    assert (["a"], "old") == ([p.name for p in tmp_path.iterdir()], (tmp_path / "a").read_text())


@given(st.lists(st.tuples(st.sampled_from(VERDICTS), st.floats(0, 4)), max_size=6))
def test_points_are_the_checks_sum(drawn: list[tuple[str, float]]) -> None:
    """No verdict but pass and partial earns anything."""
    checks = []
    for verdict, points in drawn:
        earned = {"pass": 4.0, "partial": points}.get(verdict, 0.0)
        checks.append(check(verdict, earned))
    assert sum(c.points for c in checks if c.verdict in ("pass", "partial")) == (
        result(*checks).points
    )


@pytest.mark.parametrize("name", ["result.json", "history.jsonl", "marks.jsonl"])
def test_another_format_is_refused(tmp_path: Path, name: str) -> None:
    """One sentence with both versions; no line of a file is left out silently."""
    keep(tmp_path, result(check()))
    add_mark(tmp_path, Mark(check="a", points=1, reason="x", by="ann", submission_sha256="0" * 64))
    text = (tmp_path / name).read_text()
    (tmp_path / name).write_text(re.sub(r'"format": ?\d', '"format": 7', text))
    readers = {"result.json": load, "history.jsonl": past, "marks.jsonl": read_marks}
    place = f"{name}:1" if name.endswith("l") else name
    says = rf"{place}: it has format 7, and LockLab 0\.1\.0 reads format \d"
    with pytest.raises(ResultError, match=says):
        readers[name](tmp_path)  # type: ignore[operator]


def test_a_line_that_is_not_a_mark_is_named(tmp_path: Path) -> None:
    """A mark that was edited by hand is not lost: the place and the fault are named."""
    (tmp_path / "marks.jsonl").write_text('{"format": 2, "check": "why", "points": "four"}\n')
    with pytest.raises(ResultError, match=r"marks.jsonl:1: points: Input should be a valid number"):
        read_marks(tmp_path)
