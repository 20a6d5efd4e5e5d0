"""The people of a course, and the times of their submissions: CSV files with a line of headings.

A spreadsheet may separate columns by commas, semicolons or tabs and begin with the mark of UTF-8.
A column that is not known is refused: a misspelt accommodation would otherwise be lost silently.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from lockgrader.read.owner import student_name
from lockui.suggest import did_you_mean

_MOST_BYTES = 16 << 20


class CourseError(Exception):
    """A file of the course is invalid; the message says where, and what is expected."""

    exit_code = 2


@dataclass(frozen=True)
class Person:
    """A student of the roster.

    Arguments:
        login: as submissions are named. name, section: for people and platforms.
        extra_days: that this student may be late in addition to all others.
        note: on the accommodation, for the instructor alone; no result holds it.
    """

    login: str
    name: str = ""
    section: str = ""
    extra_days: int = 0
    note: str = ""


def read_roster(path: Path) -> dict[str, Person]:
    """Login → person, in the order of the file.

    Raises:
        CourseError: the file cannot be read, a column or a value is invalid, or a login is there
            twice.
    """
    columns = ("login", "name", "section", "extra_days", "note")
    people: dict[str, Person] = {}
    for row, where in _rows(path, columns, needed=("login",)):
        login = student_name(row["login"])
        if login in people:
            raise CourseError(f"{where}: the login '{login}' occurs twice\nhelp: remove one line")
        days = row.get("extra_days") or "0"
        if not days.isascii() or not days.isdigit() or len(days) > 3:
            raise CourseError(f"{where}: extra_days must be a number of days (got '{days}')")
        people[login] = Person(
            login, row.get("name", ""), row.get("section", ""), int(days), row.get("note", "")
        )
    return people


def read_times(path: Path) -> dict[str, datetime]:
    """Login → when the work was handed in, for a platform that knows better than a file's date.

    Raises:
        CourseError: as :func:`read_roster`, or a time has no offset from UTC.
    """
    times: dict[str, datetime] = {}
    for row, where in _rows(path, ("login", "handed_in"), needed=("login", "handed_in")):
        login = student_name(row["login"])
        if login in times:
            raise CourseError(
                f"{where}: the login '{login}' occurs twice\n"
                "help: keep the time of the submission that counts, and keep only that submission"
            )
        times[login] = when(row["handed_in"], where)
    return times


def read_marks_sheet(path: Path) -> list[tuple[dict[str, str], str]]:
    """The rows of a sheet of marks, each with its place for messages.

    Raises:
        CourseError: as :func:`read_roster`.
    """
    columns = ("login", "check", "points", "reason")
    return list(_rows(path, columns, needed=columns))


def when(text: str, where: str) -> datetime:
    """A time with its offset from UTC.

    Raises:
        CourseError: it is not one.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise CourseError(
            f"{where}: '{text}' is not a time with its offset from UTC\n"
            "help: write it as 2026-10-12T23:59:00+02:00"
        )
    return found


def _rows(
    path: Path, known: Sequence[str], needed: Sequence[str]
) -> list[tuple[dict[str, str], str]]:
    """The rows as heading → value, each with its place for messages; empty lines are left out."""
    text = _text(path)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [(row, reader.line_num) for row in reader]
    except csv.Error as error:
        raise CourseError(f"{path}:{reader.line_num}: not a CSV file: {error}") from error
    head = [cell.strip().casefold() for cell in (lines[0][0] if lines else [])]
    for column in head:
        if column not in known:
            raise CourseError(
                f"{path}:1: unknown column '{column}'; {did_you_mean(column, known)}\n"
                f"help: the columns are {', '.join(known)}; remove all others"
            )
        if head.count(column) > 1:
            raise CourseError(f"{path}:1: the column '{column}' occurs twice")
    for column in needed:
        if column not in head:
            raise CourseError(
                f"{path}:1: there is no column '{column}'\n"
                f"help: the first line holds the headings, such as {','.join(known)}"
            )
    return [_row(head, row, needed, f"{path}:{line}") for row, line in lines[1:] if any(row)]


def _row(
    head: Sequence[str], row: Sequence[str], needed: Sequence[str], where: str
) -> tuple[dict[str, str], str]:
    if len(row) > len(head):
        raise CourseError(f"{where}: {len(row)} values for {len(head)} columns")
    found = {column: cell.strip() for column, cell in zip(head, row, strict=False)}
    for column in needed:
        if not found.get(column):
            raise CourseError(f"{where}: '{column}' is empty")
    return found, where


def _text(path: Path) -> str:

    try:
        if path.stat().st_size > _MOST_BYTES:
            raise CourseError(f"{path} is larger than {_MOST_BYTES >> 20} MiB")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CourseError(
            f"{path} is not valid UTF-8\nhelp: save it as 'CSV UTF-8' in the spreadsheet"
        ) from error
