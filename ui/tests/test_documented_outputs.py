"""The commands of README and docs run, and print what the pages show.

What is not run stands in ``documented.toml`` with its reason: it takes more than a minute, needs a
class, a cluster or a quiet machine, or a name that the reader gives.
"""

import os
import sys
from pathlib import Path

import pytest
from documented import OURS, Session, fits, reason, without_times
from test_documented_commands import ROOT, arguments, files, written

COMMANDS = {
    page: [command for _, command, mention in written(file.read_text("utf-8")) if not mention]
    for file in files()
    if (page := file.relative_to(ROOT).as_posix()).startswith(("README.md", "docs/"))
}
RUN = [page for page, rows in COMMANDS.items() if not all(reason(page, row) for row in rows)]


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", RUN)
def test_a_page_s_commands_print_what_it_shows(page: str, tmp_path: Path) -> None:
    """One after the other, in a folder and a home of their own; no command is refused.

    A page may show a part of an output, in one piece.
    """
    home = tmp_path / "home"
    home.mkdir()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    (tmp_path / "work").mkdir()
    session = Session(tmp_path / "work", {**os.environ, "HOME": str(home), "PATH": path})
    problems = []
    for done in session.run(page):
        if "error: " in done.err or done.code not in (0, 1, 3):  # 3: no proof, as a page says
            problems.append((done.line, done.command, done.code, done.err))
        elif done.shown and without_times(done.shown).strip() not in without_times(done.out):
            problems.append((done.line, done.command, done.shown, done.out))
    assert [] == problems


def test_each_row_leaves_out_a_command() -> None:
    """None is out of date."""
    every = [(page, " ".join(arguments(row))) for page, rows in COMMANDS.items() for row in rows]
    idle = [row for row in OURS["skip"] if not any(fits(row, *one) for one in every)]
    assert [] == idle
    assert len(RUN) > 10
