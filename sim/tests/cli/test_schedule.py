"""``locklab play schedule``: the page, the client it has, and refusals."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from locksim.cli.schedule import app

BAD = """
from locksim.lang import *

class Bad(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.load(ACQUIRE)) != 0:
            yield pause()
        yield self.locked.store(1, RELAXED)

    def release(self):
        yield self.locked.store(0, RELEASE)
"""


def run(*arguments: object) -> Any:
    """Run the command."""
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_the_page_has_the_client_that_breaks_the_lock(tmp_path: Path) -> None:
    """It is named, with what is wrong; the exit code is that of a page that is written."""
    file, page = tmp_path / "bad.py", tmp_path / "game.html"
    file.write_text(BAD)
    result = run(f"{file}:Bad", "--out", page)
    assert 0 == result.exit_code
    assert "client 'acquire and count up': violated (exclusion)\n" in result.stdout
    assert f"open {page} in a browser" in result.stdout
    assert "bad.py" in page.read_text(encoding="utf-8")


def test_a_proven_lock_has_a_page_too(tmp_path: Path) -> None:
    """With the first client, or the one that is named."""
    page = tmp_path / "game.html"
    assert "client 'acquire and count up': proven\n" in run("ticket", "--out", page).stdout
    result = run("lockref", "--only", "get", "--out", page)
    assert "client 'get and put; odd threads begin with the lock': proven\n" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "game.txt"], "--out game.txt: the page must be a file that ends in .html"),
        (["--only", "x"], "unknown client 'x'"),
        (["--threads", 9], "threads must be between 1 and 8 (got 9)"),
    ],
)
def test_bad_input_is_refused(arguments: list[object], message: str) -> None:
    """Before anything runs, and no page is written."""
    result = run("ticket", *arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert message in result.stderr


@pytest.mark.slow  # explores to the limit; test_graph.py has the short form
def test_a_client_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """The message says how to make it smaller; no half page is left."""
    page = tmp_path / "game.html"
    result = run("mcs", "--threads", 4, "--memory", "tso", "--out", page)
    assert 2 == result.exit_code
    assert "help: take fewer threads or rounds" in result.stderr
    assert not page.exists()
