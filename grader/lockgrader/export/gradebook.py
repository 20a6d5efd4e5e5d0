"""The gradebook: every decided grading, in any database that SQLAlchemy supports.

    students ──< attempts >── labs
        │            ├──< checks          one row for each check of an attempt
    enrolments       ├──< marks           a person's points for a check, and the reason
                     └─── lateness        what a late submission costs

An attempt is one decision about a submission, identified by the hash of the decision. Entering the
same one again changes nothing, so a batch can be entered any number of times. Grading with other
checks, or another submission, adds an attempt and keeps the earlier ones.

For each student and lab the latest attempt *stands*. An incomplete one, or one in which the grader
failed, never replaces a sound one (:func:`lockgrader.result.replaces`, as for ``result.json``). A
row is never deleted.

The table ``schema_version`` holds the number of this schema. A gradebook of another number is
refused before anything is read or written. One from before there was a number has the same columns,
and gets it.

Several graders may enter at once. Each locks the rows of its students, in the order of their names,
so that one attempt stands whoever comes first. Where a database ends one of two transactions that
wait for each other, or two insert the same name, the transaction is begun anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import time
from collections.abc import Iterable
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    URL,
    Boolean,
    DateTime,
    Double,
    Engine,
    ForeignKey,
    String,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    inspect,
    make_url,
    select,
)
from sqlalchemy.dialects import mysql
from sqlalchemy.exc import (
    ArgumentError,
    IntegrityError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

from lockgrader import clock
from lockgrader.result import Result, history, load, replaces

__all__ = [
    "Attempt",
    "Check",
    "Gradebook",
    "GradebookError",
    "Lab",
    "Lateness",
    "Marked",
    "Student",
    "enter",
]


class GradebookError(Exception):
    """The database cannot be used; the message says why."""

    exit_code = 2


# MySQL and MariaDB: every letter of every script, whatever the server's own character set.
_LETTERS = {"mysql_charset": "utf8mb4", "mariadb_charset": "utf8mb4"}


class _Base(DeclarativeBase):
    __table_args__: Any = _LETTERS


# MySQL and MariaDB: names that differ in case are different, and a text may exceed 64 KiB.
_Name = String(255).with_variant(mysql.VARCHAR(255, collation="utf8mb4_bin"), "mysql", "mariadb")
_Long = Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
_TRIES = 10
"""Of a transaction that meets another one."""
VERSION = 1
"""Of the schema below; it grows with each change of a table or a column."""


class _Schema(_Base):
    """One row: the version of all tables."""

    __tablename__ = "schema_version"
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class Student(_Base):
    """A student."""

    __tablename__ = "students"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(_Name, unique=True)


class Lab(_Base):
    """A lab."""

    __tablename__ = "labs"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(_Name, unique=True)


class Attempt(_Base):
    """One decision about one submission.

    ``stands``: this attempt is the student's grade. ``sound``: complete, and the grader
    failed in no check. ``entered``: when the gradebook first saw it, UTC.
    """

    __tablename__ = "attempts"
    __table_args__ = (UniqueConstraint("student_id", "lab_id", "decision_sha256"), _LETTERS)
    id: Mapped[int] = mapped_column(primary_key=True)
    student_id: Mapped[int] = mapped_column(ForeignKey("students.id"), index=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("labs.id"), index=True)
    decision_sha256: Mapped[str] = mapped_column(String(64))
    submission_sha256: Mapped[str] = mapped_column(String(64))
    lab_sha256: Mapped[str] = mapped_column(String(64))
    version: Mapped[str] = mapped_column(String(64))
    points: Mapped[float] = mapped_column(Double)
    max_points: Mapped[float] = mapped_column(Double)
    sound: Mapped[bool] = mapped_column(Boolean)
    stands: Mapped[bool] = mapped_column(Boolean, default=False)
    entered: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    student: Mapped[Student] = relationship()
    lab: Mapped[Lab] = relationship()
    checks: Mapped[list[Check]] = relationship(order_by="Check.number")


class Check(_Base):
    """One check of an attempt."""

    __tablename__ = "checks"
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(String(255))
    public: Mapped[bool] = mapped_column(Boolean)
    verdict: Mapped[str] = mapped_column(String(32))
    points: Mapped[float] = mapped_column(Double)
    max_points: Mapped[float] = mapped_column(Double)
    misconception: Mapped[str] = mapped_column(_Long)
    message: Mapped[str] = mapped_column(_Long)
    answer: Mapped[str] = mapped_column(_Long)


class Enrolment(_Base):
    """What the roster says about a student."""

    __tablename__ = "enrolments"
    student_id: Mapped[int] = mapped_column(ForeignKey("students.id"), primary_key=True)
    name: Mapped[str] = mapped_column(_Long)
    section: Mapped[str] = mapped_column(_Long)


class Marked(_Base):
    """A person's points for a check of an attempt, with the reason; the check's points are these.

    ``graded_points``: what the grader gave.
    """

    __tablename__ = "marks"
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    check_name: Mapped[str] = mapped_column(_Long)
    points: Mapped[float] = mapped_column(Double)
    graded_points: Mapped[float] = mapped_column(Double)
    reason: Mapped[str] = mapped_column(_Long)
    marked_by: Mapped[str] = mapped_column(_Long)
    marked_at: Mapped[str] = mapped_column(String(64))


class Lateness(_Base):
    """What a late submission costs: the attempt's points are a share of those of its checks."""

    __tablename__ = "lateness"
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    due: Mapped[str] = mapped_column(String(64))
    handed_in: Mapped[str] = mapped_column(String(64))
    days: Mapped[int]
    excused: Mapped[int]
    share: Mapped[float] = mapped_column(Double)


def enter(results: Path, students: Iterable[str], url: str = "") -> int:
    """Enter the histories of students in a folder of results; how many attempts are new.

    Arguments:
        results: the folder. students: names of folders in it.
        url: of the database; by default the folder's own, ``gradebook.sqlite``.

    Raises:
        GradebookError: the database refuses. ResultError: a result cannot be read.
    """
    own = URL.create("sqlite", database=str(results / "gradebook.sqlite"))
    book = Gradebook(url or own)
    try:
        return book.enter_folders(results / student for student in students)
    finally:
        book.close()


_Named = TypeVar("_Named", Student, Lab)


class Gradebook:
    """A gradebook.

    Arguments:
        url: of the database, as SQLAlchemy writes it: ``sqlite:///grades.sqlite``.

    Raises:
        GradebookError: there is no such database, it cannot be written, or its schema is another.
    """

    def __init__(self, url: str | URL) -> None:
        try:
            self._engine: Engine = _engine(url)
            _prepare(self._engine)
        except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as error:
            raise GradebookError(
                f"--gradebook: this kind of database cannot be used: {_first(error)}\n"
                "help: give a URL such as sqlite:///grades.sqlite, or install its driver"
            ) from error
        except SQLAlchemyError as error:
            raise GradebookError(f"the gradebook cannot be opened: {_first(error)}") from error

    def enter(self, results: Iterable[Result]) -> int:
        """Enter results, all or none, in the order of their decisions.

        Arguments:
            results: of any students and labs; those already there stay unchanged.

        Returns:
            How many attempts are new.

        Raises:
            GradebookError: the database refuses.
        """
        given = list(results)
        for tries in range(_TRIES):
            try:
                with Session(self._engine) as session, session.begin():
                    _lock(session, given)
                    return sum(_enter(session, result) for result in given)
            except (IntegrityError, OperationalError) as error:
                if tries == _TRIES - 1:
                    raise GradebookError(_refused(error)) from error
                time.sleep(random.uniform(0, 0.05 * 2**tries))
            except SQLAlchemyError as error:
                raise GradebookError(_refused(error)) from error
        raise AssertionError

    def enter_folders(self, folders: Iterable[Path]) -> int:
        """Enter the histories of students' folders and the results that stand; as :meth:`enter`.

        Raises:
            GradebookError: the database refuses. ResultError: a result cannot be read.
        """
        kept = ((history(folder), load(folder)) for folder in folders)
        return self.enter(r for past, now in kept for r in (*past, *([now] if now else [])))

    def session(self) -> Session:
        """A database session for queries."""
        return Session(self._engine)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()


def _engine(url: str | URL) -> Engine:
    """An engine that sees what others have committed once it holds a lock."""
    sqlite = make_url(url).get_backend_name() == "sqlite"
    engine = create_engine(url) if sqlite else create_engine(url, isolation_level="READ COMMITTED")
    if sqlite:
        # The driver begins a transaction only at the first change; what was read before that may
        # have changed. IMMEDIATE takes the lock at once and waits for it.
        @event.listens_for(engine, "connect")
        def _connected(connection: Any, _record: Any) -> None:
            connection.isolation_level = None
            connection.execute("PRAGMA busy_timeout = 60000")

        @event.listens_for(engine, "begin")
        def _begins(connection: Any) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _prepare(engine: Engine) -> None:
    """Make the tables of a new gradebook; check those of an old one.

    Raises:
        GradebookError: the schema is another one.
    """
    found = inspect(engine)
    there = set(found.get_table_names())
    with Session(engine) as session:
        versioned = _Schema.__tablename__ in there
        held = session.scalar(select(_Schema.version)) if versioned else None
    if held not in (None, VERSION):
        raise GradebookError(
            f"the gradebook has schema version {held}, and LockLab {version('locklab')} uses "
            f"version {VERSION}\nhelp: use the version of LockLab that wrote it, or name another "
            "database and enter the results anew: locklab grade export RESULTS --gradebook URL"
        )
    for name, table in _Base.metadata.tables.items():
        columns = {c["name"] for c in found.get_columns(name)} if name in there else set()
        if columns and columns != set(table.columns.keys()):
            raise GradebookError(
                f"the database has a table '{name}' that is not of schema version {VERSION}, which "
                f"LockLab {version('locklab')} uses\nhelp: name another database"
            )
    _Base.metadata.create_all(engine)
    if held is None:
        with contextlib.suppress(IntegrityError), Session(engine) as session, session.begin():
            if session.scalar(select(_Schema.version)) is None:  # another grader may have been here
                session.add(_Schema(version=VERSION))


def _lock(session: Session, results: Iterable[Result]) -> None:
    """Lock the rows of all students until the end of the transaction; new ones are created."""
    for name in sorted({r.student for r in results}):
        _named(session, Student, name)
        session.flush()
        session.execute(select(Student.id).filter_by(name=name).with_for_update())


def _enter(session: Session, result: Result) -> bool:
    """Enter one result; whether it is new."""
    student, lab = _named(session, Student, result.student), _named(session, Lab, result.lab)
    digest = _digest(result)
    of_both = select(Attempt).filter_by(student=student, lab=lab)
    attempt = session.scalar(of_both.filter_by(decision_sha256=digest))
    new = attempt is None
    if attempt is None:
        attempt = _attempt(result, digest)
        attempt.student, attempt.lab = student, lab
        session.add(attempt)
        session.flush()
        session.add_all(_more(attempt.id, result))
    if result.name or result.section:
        session.merge(Enrolment(student_id=student.id, name=result.name, section=result.section))
    before = session.scalar(of_both.filter_by(stands=True))
    if before is None or replaces(result, before.sound):
        if before is not None:
            before.stands = False
        attempt.stands = True
    session.flush()
    return new


def _digest(result: Result) -> str:
    """What identifies a decision: no path, word of the roster or fingerprint is part of it."""
    decided = result.decided()
    for name in ("replay", "name", "section", "release", "fingerprints"):
        del decided[name]
    # What is not there leaves the digest as it was before there could be any.
    for part, name in (
        (decided, "late"),
        (decided, "absent"),
        *((c, n) for c in decided["checks"] for n in ("mark", "graded")),
    ):
        if not part[name]:
            del part[name]
    text = json.dumps(decided, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _attempt(result: Result, digest: str) -> Attempt:
    return Attempt(
        decision_sha256=digest,
        submission_sha256=result.submission_sha256,
        lab_sha256=result.lab_sha256,
        version=result.versions.get("locklab", ""),
        points=result.points,
        max_points=result.max_points,
        sound=result.sound,
        entered=clock.now(),
        checks=[
            Check(
                number=number,
                name=c.name,
                public=c.public,
                verdict=c.verdict,
                points=c.points,
                max_points=c.max_points,
                misconception=c.misconception,
                message=c.message,
                answer=c.answer,
            )
            for number, c in enumerate(result.checks)
        ],
    )


def _more(attempt: int, result: Result) -> list[Marked | Lateness]:
    """The rows beside an attempt: marks, and what lateness costs."""
    rows: list[Marked | Lateness] = [
        Marked(
            attempt_id=attempt,
            number=number,
            check_name=c.name,
            points=c.points,
            graded_points=c.graded[0],
            reason=c.mark.reason,
            marked_by=c.mark.by,
            marked_at=c.mark.at,
        )
        for number, c in enumerate(result.checks)
        if c.mark is not None and c.graded is not None
    ]
    if result.late is not None:
        rows.append(Lateness(attempt_id=attempt, **result.late.model_dump()))
    return rows


def _named(session: Session, kind: type[_Named], name: str) -> _Named:
    """The student or lab of a name, created if new."""
    found = session.scalar(select(kind).filter_by(name=name))
    if found is None:
        found = kind(name=name)
        session.add(found)
    return found


def _refused(error: Exception) -> str:
    return f"the gradebook cannot be written: {_first(error)}"


def _first(error: Exception) -> str:
    """The first line of a database error; the rest would repeat the statement with its values."""
    return str(getattr(error, "orig", None) or error).partition("\n")[0]
