"""What a student gets names no place on the grader's machine, whatever was handed in."""

from __future__ import annotations

import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from places import places
from results_made import check
from tiny_lab import KEY, TAS, WRONG, hand_in, make_lab, needs_sandbox

import lockgrader
from lockgrader.author.mutants import solution, write
from lockgrader.grade import _placeless, grade
from lockgrader.lab import changed, load
from lockgrader.report.student import seen
from locklabs import find

PYTHON = "def f():\n    raise ValueError(__file__)\nf()\n"


def answers_in_python(path: Path, text: str) -> Path:
    """A submission whose answers are a program."""
    hand_in(path)
    (path / "answers.json").unlink()
    (path / "answers.py").write_text(text)
    return path


def zipped(path: Path, data: bytes | None = None) -> Path:
    """An archive: of links, or of garbage."""
    file = path.with_suffix(".zip")
    if data is not None:
        file.write_bytes(data)
        return file
    with zipfile.ZipFile(file, "w") as archive:
        link = zipfile.ZipInfo("tas.py")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return file


def linked(path: Path) -> Path:
    """A link to a folder of the grader."""
    path.symlink_to(Path(lockgrader.__file__).parent)
    return path


SUBMISSIONS: dict[str, Callable[[Path], Path]] = {
    "right": hand_in,
    "wrong": lambda path: hand_in(path, WRONG),
    "syntax": lambda path: hand_in(path, "def ("),
    "import": lambda path: hand_in(path, "import os\n" + TAS),
    "binary": lambda path: hand_in(path, "\x00\udcff".encode("utf-8", "surrogateescape").hex()),
    "answers": lambda path: hand_in(path, TAS, "[" * 5000),
    "raises": lambda path: answers_in_python(path, PYTHON),
    "reads": lambda path: answers_in_python(path, "open('/nowhere/at/all')"),
    "names": lambda path: answers_in_python(
        path, "import sys; answers = {'n': 1}; print(sys.path, file=sys.stderr); raise SystemExit"
    ),
    "links": zipped,
    "garbage": lambda path: zipped(path, b"PK no"),
    "link": linked,
    "nothing": lambda path: path,
}


@needs_sandbox
@pytest.mark.parametrize("kind", SUBMISSIONS)
def test_no_place_of_ours(tmp_path: Path, kind: str) -> None:
    """Neither the folders of submissions and results, nor the installation's, nor Python's."""
    lab = make_lab(tmp_path)
    path = SUBMISSIONS[kind](tmp_path / "ada")
    result = grade(lab, path, student="ada", key=KEY)
    assert set() == places(result, tmp_path)


@needs_sandbox
@pytest.mark.parametrize(
    ("name", "file", "change"),
    [
        pytest.param(
            *("alone", "cache.py", ["        return decision", "        return 0"]),
            marks=pytest.mark.slow,
        ),
        (
            "c-memory",
            "avc_rcu.c",
            ["#include <urcu.h>", "#include <urcu.h>\n#error"],
        ),
    ],
)
def test_no_place_in_a_cache(name: str, file: str, change: list[str]) -> None:
    """Neither in a counterexample that ends in the library, nor in a compiler's words."""
    lab = load(find("lab05"))
    files = solution(lab, "ada", KEY)
    files[file] = changed(files[file], [change], name)
    with tempfile.TemporaryDirectory() as made:
        path = write(files, Path(made) / "ada")
        result = grade(lab, path, student="ada", key=KEY, only=(name,))
    assert "pass" != result.checks[-1].verdict
    assert set() == places(result)


def test_a_step_in_the_library() -> None:
    """Its file is named without the folder."""
    step = {"file": f"{sys.prefix}/rcu_qsbr.py", "line": 5}
    found = _placeless({"found": "leak", "steps": [step]})
    assert {"found": "leak", "steps": [{"file": "rcu_qsbr.py", "line": 5}]} == found


def test_an_internal_error() -> None:
    """Its student reads that there was one; why a check is not decided, they read too."""
    told = 'Traceback (most recent call last):\n  File "/srv/x.py"'
    assert "instructor" in seen(check("a", "grader_error", message=told)).message
    undecided = "validate: not decided, and no points are lost: a limit"
    assert undecided == seen(check("a", "grader_error", message=undecided)).message
