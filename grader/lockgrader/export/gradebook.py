"""The gradebook: every decided grading, in any database that SQLAlchemy supports.

    students ─┬─< attempts >─┬─ labs
              │      │       │
              └──  checks >──┘        one row for each check of an attempt

An attempt is one decision about a submission, identified by the hash of the decision. Entering the
same one again changes nothing, so a batch can be entered any number of times. Grading with other
checks, or another submission, adds an attempt and keeps the earlier ones.

For each student and lab the latest attempt *stands*. An incomplete one, or one in which the grader
failed, never replaces a sound one (:func:`lockgrader.result.replaces`, as for ``result.json``). A
row is never deleted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from sqlalchemy import (
    URL,
    Boolean,
    DateTime,
    Engine,
    Float,
    ForeignKey,
    String,
    Text,
    UniqueConstraint,
    create_engine,
    select,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

from lockgrader.result import Result, history, load, replaces

__all__ = ["Attempt", "Check", "Gradebook", "GradebookError", "Lab", "Student", "enter"]


class GradebookError(Exception):
    """The database cannot be used; the message says why."""

    exit_code = 2


class _Base(DeclarativeBase):
    pass


class Student(_Base):
    """A student."""

    __tablename__ = "students"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255), unique=True)


class Lab(_Base):
    """A lab."""

    __tablename__ = "labs"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255), unique=True)


class Attempt(_Base):
    """One decision about one submission.

    ``stands``: this attempt is the student's grade. ``sound``: complete, and the grader
    failed in no check. ``entered``: when the gradebook first saw it, UTC.
    """

    __tablename__ = "attempts"
    __table_args__ = (UniqueConstraint("student_id", "lab_id", "decision_sha256"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    student_id: Mapped[int] = mapped_column(ForeignKey("students.id"), index=True)
    lab_id: Mapped[int] = mapped_column(ForeignKey("labs.id"), index=True)
    decision_sha256: Mapped[str] = mapped_column(String(64))
    submission_sha256: Mapped[str] = mapped_column(String(64))
    lab_sha256: Mapped[str] = mapped_column(String(64))
    version: Mapped[str] = mapped_column(String(64))
    points: Mapped[float] = mapped_column(Float)
    max_points: Mapped[float] = mapped_column(Float)
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
    points: Mapped[float] = mapped_column(Float)
    max_points: Mapped[float] = mapped_column(Float)
    misconception: Mapped[str] = mapped_column(Text)
    message: Mapped[str] = mapped_column(Text)
    answer: Mapped[str] = mapped_column(Text)


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
        GradebookError: there is no such database, or it cannot be written.
    """

    def __init__(self, url: str | URL) -> None:
        try:
            self._engine: Engine = create_engine(url)
            _Base.metadata.create_all(self._engine)
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
        new = 0
        try:
            with Session(self._engine) as session, session.begin():
                for result in results:
                    new += _enter(session, result)
        except SQLAlchemyError as error:
            raise GradebookError(f"the gradebook cannot be written: {_first(error)}") from error
        return new

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


def _enter(session: Session, result: Result) -> bool:
    """Enter one result; whether it is new."""
    student, lab = _named(session, Student, result.student), _named(session, Lab, result.lab)
    decided = result.decided()
    del decided["replay"]  # the paths of the files are not part of the decision
    text = json.dumps(decided, sort_keys=True, allow_nan=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    of_both = select(Attempt).filter_by(student=student, lab=lab)
    attempt = session.scalar(of_both.filter_by(decision_sha256=digest))
    new = attempt is None
    if attempt is None:
        attempt = _attempt(result, digest)
        attempt.student, attempt.lab = student, lab
        session.add(attempt)
    before = session.scalar(of_both.filter_by(stands=True))
    if before is None or replaces(result, before.sound):
        if before is not None:
            before.stands = False
        attempt.stands = True
    session.flush()
    return new


def _attempt(result: Result, digest: str) -> Attempt:
    return Attempt(
        decision_sha256=digest,
        submission_sha256=result.submission_sha256,
        lab_sha256=result.lab_sha256,
        version=result.versions.get("locklab", ""),
        points=result.points,
        max_points=result.max_points,
        sound=result.sound,
        entered=datetime.now(UTC),
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


def _named(session: Session, kind: type[_Named], name: str) -> _Named:
    """The student or lab of a name, created if new."""
    found = session.scalar(select(kind).filter_by(name=name))
    if found is None:
        found = kind(name=name)
        session.add(found)
    return found


def _first(error: Exception) -> str:
    """The first line of a database error; the rest would repeat the statement with its values."""
    return str(getattr(error, "orig", None) or error).partition("\n")[0]
