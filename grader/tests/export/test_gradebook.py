"""The gradebook: each decision once, history kept, internal errors never replace a grade."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from results_made import check, result
from servers import SERVERS, program
from sqlalchemy import create_engine, inspect, select, text

from lockgrader.export.gradebook import Attempt, Gradebook, GradebookError, enter
from lockgrader.result import Result, keep

BETTER = result("ada", check("a"), submission_sha256="2" * 64)
WORSE = result("ada", check("a", "fail", answer="words"), submission_sha256="3" * 64)
OURS = result("ada", check("a", "grader_error"), submission_sha256="4" * 64)
UNFINISHED = result("ada", submission_sha256="5" * 64, complete=False)


def attempts(url: str) -> list[tuple[str, bool]]:
    """The first digit of each attempt's submission hash, and whether it stands."""
    book = Gradebook(url)
    with book.session() as session:
        found = [(a.submission_sha256[0], a.stands) for a in session.scalars(select(Attempt))]
    book.close()
    return sorted(found)


def entered(url: str, *results: Result) -> int:
    """Enter results; how many are new."""
    book = Gradebook(url)
    new = book.enter(results)
    book.close()
    return new


def crowd(url: str) -> None:
    """Four graders enter decisions about the same students; checks what is there at the end."""
    entered(url)  # the tables are there
    with ThreadPoolExecutor(4) as pool:
        new = list(pool.map(lambda grader: entered(url, *decisions(grader)), range(4)))
    assert 4 * 6 == sum(new)
    book = Gradebook(url)
    with book.session() as session:
        every = session.scalars(select(Attempt)).all()
        stands = Counter(a.student.name for a in every if a.stands)
        assert (24, dict.fromkeys(STUDENTS, 1)) == (len(every), dict(stands))
        assert all(1 == len(a.checks) for a in every)
    book.close()


STUDENTS = ("ada", "Ada", "zoë", "bob", "eve", "x" * 160)


def decisions(grader: int) -> list[Result]:
    """A grader's, in an order of its own; long texts, and names that differ in case alone."""
    order = STUDENTS if grader % 2 else STUDENTS[::-1]
    long = "\N{SNOWMAN}" * 70_000
    return [
        result(s, check("a", "fail", answer=long, points=0.0), submission_sha256=f"{grader:064}")
        for s in order
    ]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database that does not exist yet."""
    return f"sqlite:///{tmp_path / 'book.sqlite'}"


def test_entering_again_changes_nothing(url: str) -> None:
    """The same decision is one attempt, however long it took and wherever its files lay."""
    moved = BETTER.model_copy(update={"replay": "elsewhere", "measured": {"seconds": 9.0}})
    assert [1, 0, 0] == [entered(url, BETTER), entered(url, BETTER), entered(url, moved)]
    assert [("2", True)] == attempts(url)


def test_regrading_keeps_the_history(url: str) -> None:
    """The latest stands, a worse one too; the earlier ones stay."""
    entered(url, BETTER)
    entered(url, WORSE)
    assert [("2", False), ("3", True)] == attempts(url)
    entered(url, BETTER)
    assert [("2", True), ("3", False)] == attempts(url)


@pytest.mark.parametrize("unsound", [OURS, UNFINISHED])
def test_our_own_fault_never_replaces(url: str, unsound: Result) -> None:
    """It is on record, and does not stand where something sound does."""
    entered(url, unsound)
    assert [True] == [stands for _, stands in attempts(url)]
    entered(url, BETTER)
    entered(url, unsound)
    assert [("2", True), (unsound.submission_sha256[0], False)] == attempts(url)


def test_students_are_apart(url: str) -> None:
    """One stands for each student and lab, and the checks are with it."""
    bob = result("bob", check("a", "fail"), check("b", answer="words"))
    other = result("ada", check("z"), lab="lab05-rcu")
    assert 3 == entered(url, BETTER, bob, other)
    book = Gradebook(url)
    with book.session() as session:
        found = session.scalars(select(Attempt).filter_by(stands=True)).all()
        told = {(a.student.name, a.lab.name): [c.name for c in a.checks] for a in found}
        words = [c.answer for a in found for c in a.checks if c.answer]
    book.close()
    assert {
        ("ada", "lab02-spinlocks"): ["a"],
        ("bob", "lab02-spinlocks"): ["a", "b"],
        ("ada", "lab05-rcu"): ["z"],
    } == told
    assert ["words"] == words


def test_two_graders_at_once(tmp_path: Path) -> None:
    """Each enters its own decisions of the same new students; nothing is lost or doubled."""
    crowd(f"sqlite:///{tmp_path / 'book.sqlite'}")


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVERS)
def test_two_graders_at_a_server(name: str) -> None:
    """As above, on a real PostgreSQL and a real MariaDB."""
    needs, start = SERVERS[name]
    if program(needs) is None:
        pytest.skip(f"no {needs} here (Debian: apt-get install {name})")
    with start() as url:
        crowd(url)
        assert 0 == entered(url, *decisions(2))


def test_another_schema_is_refused(url: str) -> None:
    """One sentence with both versions, and the database is as it was."""
    entered(url, BETTER)
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("update schema_version set version = 7"))
        connection.execute(text("drop table marks"))
    says = "has schema version 7, and LockLab 0.1.0 uses version 1"
    with pytest.raises(GradebookError, match=says) as caught:
        Gradebook(url)
    assert (2, True) == (caught.value.exit_code, "marks" not in inspect(engine).get_table_names())
    engine.dispose()


def test_a_gradebook_from_before_versions(url: str) -> None:
    """It gets the number, and keeps what it holds; its columns are the same."""
    entered(url, BETTER)
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("drop table schema_version"))
    assert (0, [("2", True)]) == (entered(url, BETTER), attempts(url))
    with engine.begin() as connection:
        assert [(1,)] == [*connection.execute(text("select version from schema_version"))]
    engine.dispose()


def test_tables_of_another_program(url: str) -> None:
    """A database that happens to have a table of the same name is left alone."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("create table students (id integer, surname text)"))
    with pytest.raises(GradebookError, match="a table 'students' that is not of schema version 1"):
        Gradebook(url)
    assert ["students"] == inspect(engine).get_table_names()
    engine.dispose()


def test_all_or_nothing(url: str) -> None:
    """A failure on the way leaves nothing half entered."""

    def broken() -> object:
        yield BETTER
        raise RuntimeError("on the way")

    book = Gradebook(url)
    with pytest.raises(RuntimeError):
        book.enter(broken())  # type: ignore[arg-type]
    book.close()
    assert [] == attempts(url)


@pytest.mark.parametrize(
    "wrong",
    ["no url", "nosuch://host/x", "sqlite:////nowhere/at/all/x.sqlite", "mysql://u:geheim@h/d"],
)
def test_unusable_databases_are_named(wrong: str) -> None:
    """Exit code 2, a reason, and no password in it."""
    with pytest.raises(GradebookError) as caught:
        Gradebook(wrong)
    assert 2 == caught.value.exit_code
    assert "geheim" not in str(caught.value)


def test_file_beside_the_results(tmp_path: Path) -> None:
    """A folder with a space, a question mark and a hash in its name is a folder."""
    folder = tmp_path / "results of ? #1"
    keep(folder / "ada", BETTER)
    assert 1 == enter(folder, ["ada"])
    assert ["ada", "gradebook.sqlite"] == sorted(p.name for p in folder.iterdir())
