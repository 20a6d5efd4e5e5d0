"""A whole class by the command: roster, lateness, the best of several, one check again."""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tiny_lab import needs_sandbox, result_of
from typed import typed

from lockgrader.export.gradebook import Attempt, Gradebook, Lateness, Marked
from lockgrader.mark import Mark
from lockgrader.result import ResultError, marked

pytestmark = needs_sandbox

LAB = """
format = 2
name = "tiny"
title = "Tiny"
answers = "answers.json"
[[check]]
name = "first"
title = "First"
kind = "answer"
answer = "n"
expected = 10.0
points = 4
[[check]]
name = "second"
title = "Second"
kind = "answer"
answer = "m"
expected = 20.0
points = 6
needs = ["first"]
[[check]]
name = "why"
title = "Why?"
kind = "written"
answer = "why"
by_hand = 5
"""
COURSE = """
format = 1
title = "Locks"
roster = "names.csv"
[late]
per_day = 0.25
[lab.tiny]
due = 2026-03-02T12:00:00+00:00
"""
Grade = Callable[..., list[dict[str, object]]]


@pytest.fixture
def grade(tmp_path: Path) -> Grade:
    """Run the command on the folder ``in``, with these options; gives the printed results."""
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "lab.toml").write_text(LAB)
    (tmp_path / "course.toml").write_text(COURSE)
    (tmp_path / "names.csv").write_text(
        "login,name,section,extra_days\nada,Ada Lovelace,A,1\nbob,,B,\nzoe,Zoë,A,\n"
    )

    def run(*options: str, code: int = 0) -> list[dict[str, object]]:
        asked = [str(tmp_path / "lab"), str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--json"]
        done = typed("grade", *asked, "--jobs", "1", *options)
        assert code == done.exit_code, done.output
        found: list[dict[str, object]] = json.loads(done.stdout) if not code else []
        run.said = done.stderr  # type: ignore[attr-defined]
        return found

    return run


def hand_in(folder: Path, name: str, n: float, m: float, day: int, hour: int = 11) -> None:
    """A submission with these answers, from a day of March 2026."""
    path = folder / "in" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"n": n, "m": m, "why": "because"}))
    then = datetime.fromisoformat(f"2026-03-{day:02}T{hour:02}:00:00+00:00").timestamp()
    os.utime(path, (then, then))


def rows(folder: Path) -> dict[str, dict[str, str]]:
    """Student → row of grades.csv."""
    with open(folder / "out" / "grades.csv", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def test_roster_and_lateness(grade: Grade, tmp_path: Path) -> None:
    """Who is missing is listed; a day costs a quarter, but not a student's own days."""
    for name, day in (("ada", 3), ("bob", 3), ("eve", 1)):
        hand_in(tmp_path, name, 10, 20, day)
    points = {r["student"]: r["points"] for r in grade("--course", str(tmp_path / "course.toml"))}
    assert {"ada": 10.0, "bob": 7.5, "eve": 10.0, "zoe": 0.0} == points
    assert "eve: not on the roster" in grade.said  # type: ignore[attr-defined]
    found = rows(tmp_path)
    assert ["graded", "graded", "graded", "nothing handed in"] == [
        found[s]["state"] for s in ("ada", "bob", "eve", "zoe")
    ]
    assert ("Ada Lovelace", "A", "1", "1") == tuple(
        found["ada"][x] for x in ("name", "section", "days_late", "share")
    )
    assert ("", "") == (found["zoe"]["points"], found["zoe"]["first"])
    assert "Ada Lovelace,,,ada,A,10" in (tmp_path / "out" / "canvas.csv").read_text()
    assert "Zoë" in (tmp_path / "out" / "summary.html").read_text()
    assert "25 % of the points deducted" in (tmp_path / "out" / "bob" / "feedback.html").read_text()
    book = Gradebook(f"sqlite:///{tmp_path}/out/gradebook.sqlite")
    with book.session() as session:
        assert [(1, 1.0), (1, 0.75), (0, 1.0)] == [
            (late.days, late.share) for late in session.query(Lateness).order_by("attempt_id")
        ]
    book.close()


def test_a_new_policy_grades_nothing_again(grade: Grade, tmp_path: Path) -> None:
    """A deadline that moves changes points; the verdicts are kept, and the change is on record."""
    course = tmp_path / "course.toml"
    hand_in(tmp_path, "bob", 10, 20, 3)
    before = grade("--course", str(course))[0]
    course.write_text(COURSE.replace("03-02", "03-09"))
    after = grade("--course", str(course))[0]
    assert [7.5, 10.0] == [before["points"], after["points"]]
    assert before["measured"] == after["measured"]
    assert 2 == len((tmp_path / "out" / "bob" / "history.jsonl").read_text().splitlines())
    again = grade("--course", str(course))[0]
    assert after == again


def test_times_of_a_platform(grade: Grade, tmp_path: Path) -> None:
    """A file's date is when it was copied here; the platform knows better."""
    hand_in(tmp_path, "bob", 10, 20, 1)
    (tmp_path / "times.csv").write_text("login,handed_in\nbob,2026-03-03T00:00:00+00:00\n")
    options = ("--course", str(tmp_path / "course.toml"), "--times", str(tmp_path / "times.csv"))
    assert 7.5 == grade(*options)[0]["points"]
    assert 10.0 == grade(*options[:2])[0]["points"]
    course = tmp_path / "course.toml"
    course.write_text(f'{COURSE}times = "times.csv"\n')  # of the course: in every later command
    assert 7.5 == grade(*options[:2])[0]["points"]


def test_someone_absent_hands_in_later(grade: Grade, tmp_path: Path) -> None:
    """The new submission replaces the empty result; a graded one survives a batch without it."""
    course = ("--course", str(tmp_path / "course.toml"))
    hand_in(tmp_path, "bob", 10, 20, 1)
    grade(*course)
    hand_in(tmp_path, "zoe", 10, 0, 1)
    (tmp_path / "in" / "bob.json").unlink()
    points = {r["student"]: (r["points"], r["absent"]) for r in grade(*course)}
    assert {"ada": (0.0, True), "bob": (10.0, False), "zoe": (4.0, False)} == points


@pytest.mark.parametrize(
    ("keep", "points", "decisions"), [("latest", 3.0, 1), ("first", 4.0, 1), ("best", 7.5, 4)]
)
def test_which_of_several_counts(
    grade: Grade, tmp_path: Path, keep: str, points: float, decisions: int
) -> None:
    """The rule is stated; the best is the best after what its lateness costs."""
    (tmp_path / "in" / "ada").mkdir(parents=True)
    hand_in(tmp_path, "ada", 10, 0, 1)  # 4 points, in time
    hand_in(tmp_path, "ada-tiny", 10, 0, 3)  # 4 points, a day late
    (tmp_path / "in" / "ada" / "answers.json").write_text('{"n": 10, "m": 20}')
    then = datetime.fromisoformat("2026-03-02T13:00:00+00:00").timestamp()
    for path in (tmp_path / "in" / "ada" / "answers.json", tmp_path / "in" / "ada"):
        os.utime(path, (then, then))  # 10 points, a day late
    (tmp_path / "course.toml").write_text(COURSE.replace('roster = "names.csv"\n', ""))
    options = ("--course", str(tmp_path / "course.toml"), "--keep", keep)
    first = grade(*options)[0]
    assert points == first["points"]
    assert first == grade(*options)[0]
    lines = (tmp_path / "out" / "ada" / "history.jsonl").read_text().splitlines()
    assert decisions == len(lines)  # the best: each of the three, and which one stands


def test_the_earliest_of_equals_counts(grade: Grade, tmp_path: Path) -> None:
    """Whatever the order of grading."""
    hand_in(tmp_path, "ada-tiny", 10.0, 20, 2)
    hand_in(tmp_path, "ada", 10, 20, 1)
    assert str(grade("--keep", "best")[0]["replay"]).endswith("ada.json --student ada")


def test_one_student_again(grade: Grade, tmp_path: Path) -> None:
    """She is graded anew; tables and pages keep everyone."""
    for name in ("ada", "bob"):
        hand_in(tmp_path, name, 10, 20, 1)
    grade()
    book = tmp_path / "out" / "bob" / "result.json"
    before = book.stat().st_mtime_ns
    seconds = result_of(tmp_path / "out" / "ada").measured
    assert ["ada", "bob"] == [r["student"] for r in grade("--student", "ada", "--again")]
    assert seconds != result_of(tmp_path / "out" / "ada").measured
    assert before == book.stat().st_mtime_ns
    assert {"ada", "bob"} == set(rows(tmp_path))
    grade("--student", "eda", code=2)
    assert "did you mean 'ada'?" in grade.said  # type: ignore[attr-defined]


def test_one_check_again(grade: Grade, tmp_path: Path) -> None:
    """The check and those that need it have new verdicts, and the rest is kept."""
    hand_in(tmp_path, "ada", 11, 20, 1)
    assert 0.0 == grade()[0]["points"]
    lab = tmp_path / "lab" / "lab.toml"
    lab.write_text(LAB.replace("expected = 10.0", "expected = 11.0"))
    again = grade("--only", "first")[0]
    assert 10.0 == again["points"]
    assert again == grade()[0]  # up to date: the lab is what it was graded with, in each part
    lab.write_text(lab.read_text().replace("points = 6", "points = 7"))
    first = grade("--only", "first")[0]  # the second check needs it
    assert (11.0, True) == (first["points"], first == grade()[0])
    lab.write_text(lab.read_text().replace('title = "Why?"', 'title = "Why so?"'))
    stale = grade("--only", "first")[0]
    assert "Why?" in str(stale["checks"])
    whole = grade()[0]
    assert "Why so?" in str(whole["checks"]), whole
    assert stale["lab_sha256"] != whole["lab_sha256"]
    grade("--only", "firsts", code=2)
    assert "did you mean 'first'?" in grade.said  # type: ignore[attr-defined]


def test_points_given_by_hand_survive(grade: Grade, tmp_path: Path) -> None:
    """Grading again keeps a person's points, on every page and in the gradebook."""
    hand_in(tmp_path, "ada", 10, 0, 1)
    grade()
    folder = tmp_path / "out" / "ada"
    sha = result_of(folder).submission_sha256
    for check, points in (("second", 5.0), ("why", 3.0)):
        given = Mark(
            check=check, points=points, reason="a <b>fine</b> idea", by="ann", submission_sha256=sha
        )
        marked(folder, given)
    after = grade("--student", "ada", "--again")[0]
    assert (12.0, 15.0) == (after["points"], after["max_points"])
    assert "second why" == rows(tmp_path)["ada"]["changed_by_hand"]
    page = (folder / "feedback.html").read_text()
    assert "a &lt;b&gt;fine&lt;/b&gt; idea" in page
    book = Gradebook(f"sqlite:///{tmp_path}/out/gradebook.sqlite")
    with book.session() as session:
        stands = session.query(Attempt).filter_by(stands=True).one()
        assert 12.0 == stands.points
        marks = session.query(Marked).filter_by(attempt_id=stands.id).order_by("number")
        assert [("second", 5.0, 0.0), ("why", 3.0, 0.0)] == [
            (m.check_name, m.points, m.graded_points) for m in marks
        ]
    book.close()
    hand_in(tmp_path, "ada", 10, 1, 2)
    assert 4.0 == grade()[0]["points"]  # other work, not yet looked at


@pytest.mark.parametrize(
    "option", [["--again"], ["--only", "first"], ["--keep", "first"], ["--cluster", "tcp://x:1"]]
)
def test_options_of_a_class_want_a_folder(grade: Grade, tmp_path: Path, option: list[str]) -> None:
    """On a single submission they would be ignored silently."""
    hand_in(tmp_path, "ada", 10, 20, 1)
    asked = [str(tmp_path / "lab"), str(tmp_path / "in" / "ada.json"), *option]
    done = typed("grade", *asked)
    assert (2, True) == (done.exit_code, "is for a folder of submissions" in done.output)


def test_checks_again_of_each_candidate(grade: Grade, tmp_path: Path) -> None:
    """Where the best submission counts, no other verdict of any of them is made anew."""
    hand_in(tmp_path, "ada", 11, 20, 1)
    hand_in(tmp_path, "ada-tiny", 11, 0, 2)
    grade("--keep", "best")
    lab = tmp_path / "lab" / "lab.toml"
    lab.write_text(LAB.replace("expected = 10.0", "expected = 11.0"))
    again = grade("--keep", "best", "--only", "first")[0]
    assert 10.0 == again["points"]
    assert again == grade("--keep", "best")[0]


def test_a_check_again_is_as_grading_all(grade: Grade, tmp_path: Path) -> None:
    """The same result, with its digests; one of other variants is graded whole."""
    lab = tmp_path / "lab" / "lab.toml"
    for n in (9, 10, 11):
        hand_in(tmp_path, f"s{n}", n, 20, 1)
    grade()
    lab.write_text(LAB.replace("expected = 10.0", "expected = 11.0"))
    again = grade("--only", "first")
    shutil.rmtree(tmp_path / "out")
    whole = grade()
    assert [{**r, "measured": 0} for r in again] == [{**r, "measured": 0} for r in whole]
    lab.write_text(f"{lab.read_text()}\n[variant.x]\nlow = 1\nhigh = 5\n")
    assert all(r["variant"] for r in grade("--only", "why"))


def test_a_release_moves_without_grading(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page follows, also of who is not in this batch; no attempt is added to the gradebook."""
    monkeypatch.setattr("lockgrader.clock.now", lambda: datetime(2026, 3, 4, tzinfo=UTC))
    course = tmp_path / "course.toml"
    for name in ("ada", "bob"):
        hand_in(tmp_path, name, 10, 20, 1)
    grade("--course", str(course))
    pages = [tmp_path / "out" / name / "feedback.html" for name in ("ada", "bob")]
    assert all("10</strong>" in page.read_text() for page in pages)
    (tmp_path / "in" / "bob.json").unlink()
    course.write_text(f"{COURSE}release = 2026-03-05\n")
    grade("--course", str(course))
    assert not any("10</strong>" in page.read_text() for page in pages)
    assert "students see points from 2026-03-05" in grade.said  # type: ignore[attr-defined]
    assert "clock says 2026-03-04" in grade.said  # type: ignore[attr-defined]
    monkeypatch.setattr("lockgrader.clock.now", lambda: datetime(2026, 3, 5, tzinfo=UTC))
    grade("--course", str(course))
    assert all("10</strong>" in page.read_text() for page in pages)
    book = Gradebook(f"sqlite:///{tmp_path}/out/gradebook.sqlite")
    with book.session() as session:
        assert 2 == sum(a.sound for a in session.query(Attempt))
    book.close()


def test_dates_that_no_clock_gives(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A date of the future, and one from before a clock was set, are named with the way out."""
    monkeypatch.setattr("lockgrader.clock.now", lambda: datetime(2026, 3, 2, 11, tzinfo=UTC))
    for name, day in (("ada", 2), ("bob", 3), ("eve", 1)):
        hand_in(tmp_path, name, 10, 20, day)
    for name, year in (("old", 1970), ("zip", 1980), ("far", 2242)):
        hand_in(tmp_path, name, 10, 20, 1)
        then = datetime(year, 1, 1, tzinfo=UTC).timestamp()
        os.utime(tmp_path / "in" / f"{name}.json", (then, then))
    grade()
    assert "hand-in" not in grade.said  # type: ignore[attr-defined]  # nothing depends on dates
    grade("--course", str(tmp_path / "course.toml"))
    said = " ".join(grade.said.split())  # type: ignore[attr-defined]
    assert "2 hand-in times are in the future: bob (2026-03-03), far (2242-01-01)" in said
    assert "2 hand-in times are before 1981: old (1970-01-01), zip (1980-01-01)" in said
    assert "--times FILE, or times in course.toml" in said


def test_words_enlarge_every_total(grade: Grade, tmp_path: Path) -> None:
    """Marked or not, blank or absent: the same total in each table, and no gain by a blank."""
    for name in ("ada", "bob", "eve"):
        hand_in(tmp_path, name, 10, 20, 1)
    blank = tmp_path / "in" / "eve.json"
    blank.write_text('{"n": 10, "m": 20}')
    os.utime(blank, (0, 86_400 * 365 * 20))
    course = ("--course", str(tmp_path / "course.toml"))
    before = grade(*course)
    assert {15.0} == {r["max_points"] for r in before}
    assert "2 answers in words to mark" in grade.said  # type: ignore[attr-defined]
    folder = tmp_path / "out" / "ada"
    sha = result_of(folder).submission_sha256
    given = Mark(check="why", points=1.0, reason="poor", by="ann", submission_sha256=sha)
    marked(folder, given)
    after = {r["student"]: r for r in grade(*course)}
    assert {"ada": 11.0, "bob": 10.0, "eve": 10.0, "zoe": 0.0} == {
        name: r["points"] for name, r in after.items()
    }
    assert {15.0} == {r["max_points"] for r in after.values()}
    assert {"15"} == {row["max_points"] for row in rows(tmp_path).values()}
    assert "Points Possible,,,,,15" in (tmp_path / "out" / "canvas.csv").read_text()
    page = (tmp_path / "out" / "bob" / "feedback.html").read_text()
    assert "5 of these points are for answers in words that are not\nmarked yet." in page
    assert "1 answers in words are not marked" in (tmp_path / "out" / "summary.html").read_text()
    with pytest.raises(ResultError, match="why is worth 5 points at most"):
        marked(folder, given.model_copy(update={"points": 6.0}))
