"""`locklab play share` and `play open`: what goes out in a link comes back the same."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import locklab
from locksim.cli import open as opening
from locksim.cli.share import PAGE, app
from locksim.play.argument import Claim, opened
from locksim.play.catalogue import FOLDER

RUN = CliRunner()
WRONG = FOLDER / "programs" / "wrong_ttas.py"
SMALL = ["--cpus", "2"]


def link_of(*arguments: str) -> str:
    """What `locklab play share` prints."""
    done = RUN.invoke(app, [*arguments, *SMALL])
    assert 0 == done.exit_code, done.output
    return done.stdout.strip()


def test_a_link_holds_file_question_and_answer() -> None:
    """All on one line, behind the page's address."""
    link = link_of(str(WRONG), "--threads", "3", "--memory", "tso", "--seed", "7")
    assert link.startswith(f"{PAGE}#1.")
    asked = opened(link)
    assert ("wrong_ttas.py", WRONG.read_text("utf-8")) == (asked.file, asked.text)
    assert (3, "tso", 7, 2) == (asked.threads, asked.memory, asked.seed, asked.cpus)
    assert ("violated", "exclusion") == (asked.claim.verdict, asked.claim.found)
    assert asked.claim.schedule
    assert [1, 2] == [cpus for cpus, _ in asked.claim.units]


def test_open_proves_it_again(tmp_path: Path) -> None:
    """The counterexample as a table, the units, and that the claim holds; the program is saved."""
    file = tmp_path / "mine.py"
    done = RUN.invoke(opening.app, [link_of(str(WRONG)), "--out", str(file)])
    assert 0 == done.exit_code, done.output
    assert "two threads hold the lock" in done.stdout
    assert "wrong_ttas.py, 2 threads, sc, all: violated (exclusion)" in done.stdout
    assert "the link claims the same" in done.stdout
    assert WRONG.read_text("utf-8") == file.read_text("utf-8")
    again = RUN.invoke(opening.app, [link_of(str(WRONG)), "--out", str(file)])
    assert (2, True) == (again.exit_code, "the file exists" in again.output)


def test_a_claim_that_does_not_hold() -> None:
    """Exit code 1, and what differs."""
    asked = opened(link_of(str(WRONG)))
    lie = replace(asked, claim=Claim(verdict="proven"))
    done = RUN.invoke(opening.app, [f"{PAGE}#{lie.fragment()}", "--json"])
    assert 1 == done.exit_code
    found = json.loads(done.stdout)
    assert "violated" == found["found"]["verdict"]
    assert ["the link says 'proven', and here it is 'violated exclusion'"] == found["differences"]


def test_a_lock_of_the_library() -> None:
    """Its module's text is the program, and its class the lock."""
    asked = opened(link_of("ticket", "--page", "https://example.org/"))
    assert ("ticket.py", "TicketLock", "proven") == (asked.file, asked.lock, asked.claim.verdict)


def test_what_cannot_be_simulated_is_shared_all_the_same(tmp_path: Path) -> None:
    """A lock that is never released has a verdict and no curve."""
    text = (FOLDER / "programs" / "tas.py").read_text("utf-8")
    file = tmp_path / "kept.py"
    file.write_text(text.replace("store(0, RELEASE)", "store(1, RELEASE)"), encoding="utf-8")
    asked = opened(link_of(str(file)))
    assert "violated" == asked.claim.verdict


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["play", "share", "nothing.py"], "nothing.py cannot be read"),
        (["play", "share", "no-such-lock"], "unknown lock, cache or scheduler 'no-such-lock'"),
        (["play", "share", "ticket", "--cpus", "17"], "--cpus must be between 1 and 16 (got 17)"),
        (
            ["play", "share", "ticket", "--memory", "vax"],
            "memory must be one of sc, tso, c11",
        ),
        (["play", "open", "http://localhost/"], "the link is incomplete"),
    ],
)
def test_refusals(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One error on stderr, exit code 2."""
    assert 2 == locklab.main(arguments)
    said = capsys.readouterr()
    assert "" == said.out
    assert said.err.startswith("error: ")
    assert message in said.err
