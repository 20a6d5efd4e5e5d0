"""``locklab check FILE.litmus``."""

import json

import pytest
from checker.litmus.shapes import SHAPES, litmus
from typer.testing import CliRunner

from locksim.cli.check import app
from locksim.cli.litmus import LitmusAnswer


@pytest.fixture
def sb(tmp_path, monkeypatch):
    """A file with the test of store buffering."""
    monkeypatch.chdir(tmp_path)
    threads, condition, _ = SHAPES["SB"]
    (tmp_path / "sb.litmus").write_text(litmus("SB", threads, condition))
    return "sb.litmus"


def run(*arguments):
    """The command's result."""
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_the_answer_is_in_the_words_of_herd7(sb):
    """The final states with a star at those that fulfil the condition, and a run."""
    done = run(sb, "--memory", "tso")
    assert (0, "  * 0:r0=0; 1:r0=0") == (done.exit_code, done.stdout.splitlines()[-5])
    assert done.stdout.endswith(
        "SB, 2 threads, tso: Sometimes (1 of 4 final states); exists holds\n"
    )
    assert "  2  thread 0  sb.litmus:6   load y: 0; buffer: x=1" in done.stdout


def test_a_condition_that_does_not_hold_exits_with_1(sb):
    """exists, and no run ends so."""
    done = run(sb, "--json")
    document = json.loads(done.stdout)
    assert (1, set(LitmusAnswer.__annotations__)) == (done.exit_code, set(document))
    assert ("Never", False, None) == tuple(document[k] for k in ("observation", "holds", "run"))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("no.litmus",), 2, "no.litmus cannot be read: No such file or directory"),
        (("sb.litmus", "--threads", 3), 2, "a litmus test has its own threads and condition"),
        (("sb.litmus", "--max-states", 3), 3, "the outcomes are not complete after"),
    ],
)
def test_no_answer(sb, arguments, code, message):
    """Bad input, and a budget that does not suffice."""
    done = run(*arguments)
    assert (code, "") == (done.exit_code, done.stdout)
    assert message in done.stderr
