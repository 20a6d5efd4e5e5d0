"""A course's file: what lateness costs, and messages about mistakes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockgrader.course import CourseError, load
from lockgrader.course.document import Policy

COURSE = """
format = 1
title = "Operating systems"
keep = "best"
[late]
grace_minutes = 15
free_days = 1
per_day = 0.2
most_days = 3
[lab.lab02-spinlocks]
due = 2026-10-12T23:59:00+02:00
"""
DUE = datetime(2026, 10, 12, 21, 59, tzinfo=UTC)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course's file."""
    (tmp_path / "course.toml").write_text(COURSE)
    return tmp_path / "course.toml"


@pytest.mark.parametrize(
    ("hours", "extra", "days", "excused", "share"),
    [
        (-100.0, 0, 0, 0, 1.0),
        (0.25, 0, 0, 0, 1.0),
        (0.26, 0, 1, 1, 1.0),
        (25.0, 0, 2, 1, 0.8),
        (25.0, 1, 2, 2, 1.0),
        (24 * 4, 0, 4, 1, 0.4),
        (24 * 4 + 1, 0, 5, 1, 0.0),
        (24 * 4 + 1, 2, 5, 3, 0.6),
    ],
)
def test_lateness(
    course: Path, hours: float, extra: int, days: int, excused: int, share: float
) -> None:
    """Grace, free days, a student's own days, the price of a day, and the end."""
    handed_in = DUE + timedelta(hours=hours)
    late = load(course).late_for("lab02-spinlocks", handed_in, extra)
    assert late is not None
    assert (days, excused, share) == (late.days, late.excused, late.share)
    assert "2026-10-12T23:59:00+02:00" == late.due


def test_a_lab_without_a_date_is_never_late(course: Path) -> None:
    """Nothing is deducted where nothing was announced."""
    assert load(course).late_for("lab05-rcu", DUE + timedelta(days=99), 0) is None


@pytest.mark.parametrize(
    ("asked", "key", "where"),
    [
        ("lab02", "lab02-spinlocks", "ours"),
        ("lab02-spinlocks", "lab02", "ours"),
        ("lab02-spinlocks", "lab02-spinlocks", "ours"),
        ("lab05", "lab02-spinlocks", "lab05"),
        ("labs/lab02-spinlocks", "lab02-spinlocks", "labs/lab02-spinlocks"),
    ],
)
def test_a_lab_by_the_part_before_the_dash(course: Path, asked: str, key: str, where: str) -> None:
    """As commands take it: with a short name in the file, nobody would ever be late."""
    course.write_text(COURSE.replace("lab02-spinlocks", key) + 'folder = "ours"\n')
    about = load(course)
    found = Path(about.place_of(asked))
    assert where == (found.name if where == "ours" else str(found))
    dated = about.late_for(asked, DUE + timedelta(days=9), 0)
    assert (where == "ours") == (dated is not None)


@given(
    st.integers(0, 60), st.integers(0, 60), st.integers(0, 5),
    st.floats(0, 1), st.integers(0, 9), st.integers(0, 5),
)  # fmt: skip
def test_later_is_never_better(
    hour: int, more: int, free: int, per_day: float, most: int, extra: int
) -> None:
    """Nor is an accommodation worse than none."""
    policy = Policy(free_days=free, per_day=per_day, most_days=most)
    early, late = (policy.late(DUE, DUE + timedelta(hours=h), extra) for h in (hour, hour + more))
    assert late.share <= early.share
    assert policy.late(DUE, DUE + timedelta(hours=hour), 0).share <= early.share


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("per_day", "perday", "late.perday: unknown key; did you mean 'per_day'?"),
        ("keep", "kept", "kept: unknown key; did you mean 'keep'?"),
        ("due", "deu", "lab.lab02-spinlocks.deu: unknown key; did you mean 'due'?"),
        ("+02:00", "", "lab.lab02-spinlocks.due: give a time with its offset from UTC"),
        ('"best"', '"bets"', "keep: Input should be 'latest', 'first' or 'best' (got 'bets')"),
        ("0.2", "20", "late.per_day: Input should be less than or equal to 1 (got 20)"),
        ("format = 1", "", "format: this key is missing"),
        ("format = 1", "format = ", "is not TOML"),
        ("format = 1", "format = 1\nfolder = 'x'", "folder: unknown key"),
    ],
)
def test_mistakes_are_named(course: Path, old: str, new: str, says: str) -> None:
    """The key, what is wrong, and the nearest right one."""
    course.write_text(COURSE.replace(old, new, 1))
    with pytest.raises(CourseError) as caught:
        load(course)
    assert says in str(caught.value)


def test_a_roster_is_beside_the_file(course: Path) -> None:
    """Its path counts from the course's folder, wherever the command runs."""
    course.write_text(COURSE.replace("keep", 'roster = "names.csv"\nkeep'))
    (course.parent / "names.csv").write_text("login\nada\n")
    assert ["ada"] == [*load(course).people()]


@pytest.mark.parametrize(
    ("whole", "own", "release"),
    [
        ("", "", ""),
        ("release = 2026-12-01", "", "2026-12-01T00:00:00+02:00"),
        ("release = 2026-12-01", "release = 2026-11-01", "2026-11-01T00:00:00+02:00"),
        ("", "release = 2026-12-01T09:00:00Z", "2026-12-01T09:00:00+00:00"),
    ],
)
def test_when_points_are_released(course: Path, whole: str, own: str, release: str) -> None:
    """For the whole course or a lab; a day begins by the offset of the lab's deadline."""
    course.write_text(COURSE.replace("keep", f"{whole}\nkeep") + own)
    assert release == load(course).release_of("lab02-spinlocks")
    other = release and whole and "2026-12-01T00:00:00+00:00"
    assert other == load(course).release_of("lab05-rcu")


@pytest.mark.parametrize("wrong", ["2026-12-01T09:00:00", '"2026-12-01"', "09:00:00", "7"])
def test_a_release_without_an_offset(course: Path, wrong: str) -> None:
    """The same moment must not depend on the machine that grades."""
    course.write_text(COURSE.replace("keep", f"release = {wrong}\nkeep"))
    with pytest.raises(CourseError, match="release: give a day, such as 2026-12-01, or"):
        load(course)
