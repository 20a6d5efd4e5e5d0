"""Files that outlive a version: docs/use/versions.md against the files of an earlier commit."""

import inspect
import json
import pkgutil
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import pytest

import locklab
from lockgrader.course import load as load_course
from lockgrader.course.roster import read_times
from lockgrader.export.gradebook import Gradebook
from lockgrader.lab import load as load_lab
from lockgrader.mark import read_marks
from lockgrader.read.record import read_record
from lockgrader.result import history
from lockgrader.workspace.folder import Workspace
from locklabs import names as lab_names
from locknative.benchmark.storage import load as load_measurement
from locksim import machine as machines
from locksim.checker.question import Question
from locksim.play.argument import opened
from lockui.files import home

OLD = Path(__file__).parent / "old"
ROW = re.compile(
    r"^\| `(?P<path>[^`]+)` \| (?P<number>[^|]+) \| (?P<verdict>read|refused) \|$", re.M
)
PAGE = {m["path"]: m for m in ROW.finditer((home() / "docs/use/versions.md").read_text("utf-8"))}

Ask = list[str] | Callable[[], object]


def tables() -> list[str]:
    """The gradebook's tables, after today's grader has opened it."""
    with closing(sqlite3.connect("gradebook.sqlite")) as database:
        database.executescript(Path("course/gradebook.sql").read_text())
    Gradebook("sqlite:///gradebook.sqlite")
    with closing(sqlite3.connect("gradebook.sqlite")) as database:
        marks = database.execute("select points, reason from marks").fetchall()
        return [*marks, *database.execute("select version from schema_version").fetchall()]


ASKED: dict[str, tuple[Ask, str]] = {
    "ttas.py": (["check", "ttas.py", "--threads", "2"], "proven (144 states"),
    "broken_lock.py": (["check", "broken_lock.py", "--threads", "2"], "violated (12 states"),
    "counterexample.json": (["check", "--replay", "counterexample.json"], "result: exclusion"),
    "link.txt": (
        ["play", "open", (OLD / "link.txt").read_text().strip()],
        "the link claims the same",
    ),
    "my-server.toml": (["show", "machine", "./my-server.toml"], "given with --latency"),
    "calibrated.toml": (["show", "machine", "./calibrated.toml"], "own_syscall"),
    "bench.json": (["show", "trials", "bench.json"], "ticket, 1 thread"),
    "bench.parquet": (["show", "trials", "bench.parquet"], "ticket, 1 thread"),
    "survey/": (
        ["native", "predict", "--from", "survey", "--machine", "calibrated.toml"],
        "ticket",
    ),
    "sweep/": (
        ["sweep", "ttas.py", "--cpus", "1", "--operations", "10", "--replications", "1"]
        + ["--machine", "./my-server.toml", "--out", "sweep", "--jobs", "1", "--json"],
        '"made": 1,',
    ),
    "lockmeter.txt": (["report", "lockmeter.txt"], "LockLab on desktop-4"),
    "progress.jsonl": (["progress", "--json"], "42.1277 of 50 points"),
    "levels.json": (["progress", "--add", "levels.json", "--all"], "1 new"),
    "my-lab/": (["lab", "start", "my-lab", "--dir", "new"], "lab.toml"),
    "workspace/.lab/state.json": (
        lambda: Workspace(Path("workspace")).state.predictions["sections_per_second"].values,
        "(1000000.0, 4000000.0)",
    ),
    "workspace/": (["lab", "check", "--dir", "workspace"], "lab.toml"),
    "course/course.toml": (
        lambda: load_course(Path("course/course.toml")).late.per_day,
        "0.25",
    ),
    "course/roster.csv": (
        lambda: load_course(Path("course/course.toml")).people()["bob"].extra_days,
        "1",
    ),
    "course/times.csv": (lambda: read_times(Path("course/times.csv"))["ada"].day, "24"),
    "course/course.lock": (["course", "check", "course/course.toml"], "course.lock"),
    "course/submissions/": (
        lambda: (
            read_record(
                Path("course/submissions/ada/record.json").read_bytes(), "lab00-five-minutes"
            )["sections_per_second"].values
        ),
        "(1000000.0, 4000000.0)",
    ),
    "course/results/ada/result.json": (["grade", "export", "course/results"], "result.json"),
    "course/results/ada/history.jsonl": (
        lambda: history(Path("course/results/ada")),
        "history.jsonl:1",
    ),
    "course/results/ada/marks.jsonl": (
        lambda: read_marks(Path("course/results/ada")),
        "marks.jsonl:1",
    ),
    "course/gradebook.sql": (tables, "[(4.0, 'names the line'), (1,)]"),
}
"""File → a command with its words, or a reader; and a part of the answer or of the refusal."""


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in a copy of the old files."""
    folder = tmp_path / "old"
    shutil.copytree(OLD, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LOCKLAB_PROGRESS", str(folder / "progress.jsonl"))
    monkeypatch.setenv("COLUMNS", "100")
    return folder


def answer(ask: Ask, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """Whether something was read or refused, and what was said. An error without a code passes."""
    if isinstance(ask, list):
        code = locklab.main(ask)
        said = capsys.readouterr()
        return ("refused", said.err) if code == 2 else ("read", said.out + said.err)
    try:
        return "read", str(ask())
    except Exception as error:
        if getattr(error, "exit_code", None) != 2:
            raise
        return "refused", f"error: {error}\n"


@pytest.mark.parametrize("path", ASKED)
def test_an_old_file_is_read_or_refused(
    path: str, old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the page says; a refusal is one sentence that names both numbers, and changes nothing."""
    ask, says = ASKED[path]
    before = (old / path).read_bytes() if (old / path).is_file() else b""
    verdict, said = answer(ask, capsys)
    assert (PAGE[path]["verdict"], True) == (verdict, says in said), said
    if verdict == "refused":
        sentence, _, _ = said.partition("\n")
        assert re.fullmatch(
            r"error: \S+: it has format 1, and LockLab \S+ reads format 2", sentence
        ), said
        assert said.count("error:") == 1
        assert before == ((old / path).read_bytes() if (old / path).is_file() else b"")


def test_the_page_lists_every_file() -> None:
    """Each row has a question, and each file has a row."""
    assert set(PAGE) == set(ASKED)
    files = {str(path.relative_to(OLD)) for path in OLD.rglob("*") if path.is_file()}
    lie_under = ("json/", *(path for path in PAGE if path.endswith("/")))
    others = {f for f in files if f not in PAGE and not f.startswith(lie_under)}
    assert {"README.md", "names.txt"} == others


def test_a_later_record_is_read(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The record of progress has no number: other kinds and other keys are left alone."""
    with (old / "progress.jsonl").open("a") as file:
        file.write('{"kind": "later", "name": "x", "at": "2030-01-01T00:00:00+00:00", "more": 1}\n')
    verdict, said = answer(*ASKED["progress.jsonl"][:1], capsys)
    assert ("read", True) == (verdict, "42.1277 of 50 points" in said)


LATER: dict[str, tuple[str, Ask]] = {
    "my-lab/lab.toml": ("format = 1", lambda: load_lab(Path("my-lab"))),
    "workspace/.lab/state.json": ('"format": 1', lambda: Workspace(Path("workspace")).state),
    "course/course.toml": ("format = 1", lambda: load_course(Path("course/course.toml"))),
    "course/course.lock": ('"format": 1', ASKED["course/course.lock"][0]),
    "course/results/ada/result.json": (
        '"format": 1',
        ASKED["course/results/ada/result.json"][0],
    ),
    "bench.json": ('"format":1', lambda: load_measurement(Path("bench.json"))),
    "survey/provenance.json": ("{", ASKED["survey/"][0]),
    "my-server.toml": ("schema = 1", lambda: machines.load("./my-server.toml")),
    "link.txt": ("#1.", lambda: opened(Path("link.txt").read_text())),
}
"""File → its number as it stands there, and who reads it."""


@pytest.mark.parametrize("path", LATER)
def test_a_later_number_is_refused(
    path: str, old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the same sentence, which names the number that the page gives."""
    number, ask = LATER[path]
    text = (old / path).read_text()
    assert number in text
    later = '{"format": 99,' if number == "{" else number.replace("1", "99")
    (old / path).write_text(text.replace(number, later, 1))
    verdict, said = answer(ask, capsys)
    row = next(m for name, m in PAGE.items() if path == name or path.startswith(name))
    today = re.search(r"`(format|schema) = (\d+)`", row["number"])
    assert today is not None
    wanted = today.expand(r"it has \1 99, and LockLab \\S+ reads \1 \2")
    assert ("refused", True) == (verdict, bool(re.search(wanted, said))), said


def key_paths(document: object, at: str = "") -> Iterator[str]:
    """Every key of a document with those above it, such as ``cells.role``."""
    if isinstance(document, list):
        for one in document:
            yield from key_paths(one, at)
    elif isinstance(document, dict):
        for key, value in document.items():
            yield at + key
            yield from key_paths(value, f"{at}{key}.")


PUBLIC: dict[str, tuple[list[str], str]] = {
    "check": (["check", "broken_lock.py", "--threads", "2"], "counterexample.json"),
    "native explore": (["native", "explore", "tas", "--threads", "2"], "verdict found"),
    "the list of locks": (["show", "lock"], "name kind"),
    "the list of labs": (["lab", "list"], "lab title points"),
    "the list of lessons": (["lesson", "list"], "number name title"),
    "report": (["report", "lockmeter.txt"], "json/report.json"),
    "lab check": (
        ["lab", "check", "break-it", "--dir", "five", "--sandbox", "none"],
        "json/lab-check.json",
    ),
}
"""Command → its words, and the keys of its ``--json`` that stay: named, or all of an old answer."""


@pytest.mark.parametrize("command", PUBLIC)
def test_public_keys_stay(command: str, old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is there, in each entry of a list."""
    words, wanted = PUBLIC[command]
    if command == "lab check":
        assert 0 == locklab.main(["lab", "start", "lab00", "--student", "ada", "--dir", "five"])
        capsys.readouterr()
    locklab.main([*words, "--json"])
    answer = json.loads(capsys.readouterr().out)
    keys = key_paths(json.loads(Path(wanted).read_text())) if "." in wanted else wanted.split()
    stay = set(keys)
    entries = answer if isinstance(answer, list) else [answer]
    assert entries
    assert [set()] * len(entries) == [stay - {*key_paths(entry)} for entry in entries]


def test_lists_have_an_entry_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    """Labs and lessons: as many entries as folders and files."""
    for words, count in (
        (PUBLIC["the list of labs"][0], len(lab_names())),
        (PUBLIC["the list of lessons"][0], len(list((home() / "lessons").glob("[0-9]*.md")))),
    ):
        locklab.main([*words, "--json"])
        assert count == len(json.loads(capsys.readouterr().out))


@pytest.mark.slow
def test_public_keys_of_a_reproduction_stay(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a real one; ``sim/tests/cli/test_reproduce.py`` holds all keys of a made-up one."""
    locklab.main(
        ["paper", "reproduce", "mckenney-2019", "--brief", "--replications", "1", "--json"]
    )
    document = json.loads(capsys.readouterr().out)
    stay = {"experiment", "summary.mean_abs_error", "cells.role", "parameters.role"}
    assert stay <= {*key_paths(document)}


def test_public_python_names_stay() -> None:
    """Names of the language, and two functions with their parameters; new ones may come."""
    for line in (OLD / "names.txt").read_text().splitlines():
        name, _, parameters = line.removesuffix(")").partition("(")
        found = pkgutil.resolve_name(name)
        stay = {*parameters.split(", ")} - {""}
        if stay:
            known = {*inspect.signature(found).parameters}
            known |= {field.name for field in fields(Question)} if "question" in known else set()
            assert stay <= known, line
