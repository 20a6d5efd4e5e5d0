"""Rosters and other sheets: read from any spreadsheet, refused with line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockgrader.course import CourseError, Person, read_roster
from lockgrader.course.roster import read_times

SHEET = "login,name,section,extra_days,note\nada,Ada L.,A,2,extra time\nbob,,,,\n"


@pytest.mark.parametrize(
    "data",
    [
        SHEET.encode(),
        SHEET.encode("utf-8-sig"),
        SHEET.replace(",", ";").replace("\n", "\r\n").encode(),
        SHEET.replace(",", "\t").replace("login", " Login ").encode(),
        (SHEET + "\n,,,,\n").encode(),
    ],
)
def test_sheets_of_any_spreadsheet(tmp_path: Path, data: bytes) -> None:
    """Commas, semicolons, tabs, a mark of UTF-8, line ends of Windows, empty lines."""
    (tmp_path / "names.csv").write_bytes(data)
    people = read_roster(tmp_path / "names.csv")
    assert [Person("ada", "Ada L.", "A", 2, "extra time"), Person("bob")] == [*people.values()]


def test_logins_are_names_of_submissions(tmp_path: Path) -> None:
    """Both go through the same rule, so an odd login finds its submission."""
    (tmp_path / "names.csv").write_text("login\na/b\n")
    assert ["a%2Fb"] == [*read_roster(tmp_path / "names.csv")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("login,extradays\n", ":1: unknown column 'extradays'; did you mean 'extra_days'?"),
        ("name\nAda\n", ":1: there is no column 'login'"),
        ("", ":1: there is no column 'login'"),
        ("login,login\n", ":1: the column 'login' occurs twice"),
        ("login\nada\nbob\nada\n", ":4: the login 'ada' occurs twice"),
        ("login,extra_days\nada,two\n", ":2: extra_days must be a number of days (got 'two')"),
        ("login,extra_days\nada,-1\n", ":2: extra_days must be a number of days (got '-1')"),
        ("login,name\n,Ada\n", ":2: 'login' is empty"),
        ("login\nada,Ada\n", ":2: 2 values for 1 columns"),
        ('login\n"ada\n', "not a CSV file"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, says: str) -> None:
    """File, line, and what is wrong; exit code 2."""
    path = tmp_path / "names.csv"
    path.write_text(text)
    with pytest.raises(CourseError) as caught:
        read_roster(path)
    assert says in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert 2 == caught.value.exit_code


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    """A name must not arrive with other letters."""
    (tmp_path / "names.csv").write_bytes("login,name\nada,Zoë\n".encode("latin-1"))
    with pytest.raises(CourseError, match="not valid UTF-8"):
        read_roster(tmp_path / "names.csv")
    with pytest.raises(CourseError, match="cannot be read"):
        read_roster(tmp_path / "nothing.csv")


def test_times_have_an_offset(tmp_path: Path) -> None:
    """A time without one would be read as another hour in another place."""
    path = tmp_path / "times.csv"
    path.write_text("login,handed_in\nada,2026-10-12T23:59:00+02:00\n")
    assert "2026-10-12T23:59:00+02:00" == read_times(path)["ada"].isoformat()
    for wrong in ("2026-10-12T23:59:00", "yesterday"):
        path.write_text(f"login,handed_in\nada,{wrong}\n")
        with pytest.raises(CourseError, match="not a time with its offset"):
            read_times(path)


def test_a_login_has_one_time(tmp_path: Path) -> None:
    """Which of two is meant is not known; the last one would decide silently."""
    path = tmp_path / "times.csv"
    path.write_text(
        "login,handed_in\nada,2026-03-01T10:00:00+01:00\nada,2026-03-02T10:00:00+01:00\n"
    )
    with pytest.raises(CourseError, match=r"times.csv:3: the login 'ada' occurs twice"):
        read_times(path)
