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


BAD = """from locksim.lang import *

class Bad(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.load(ACQUIRE)):
            yield pause()
        yield self.held.store(1, RELAXED)

    def release(self):
        yield self.held.store(0, RELEASE)
"""


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("cex.litmus", "atomic_store_explicit(lock_held, 1, memory_order_relaxed); // bad.py:9"),
        ("cex.lkmm.litmus", "WRITE_ONCE(*lock_held, 1); // bad.py:9"),
    ],
)
def test_a_counterexample_is_written_and_read_back(name, operation, tmp_path, monkeypatch):
    """In the dialect that the ending asks for."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(BAD)
    asked = ("bad.py:Bad", "--threads", 2, "--rounds", 2, "--property", "exclusion", "--out", name)
    assert run(*asked).exit_code == 1
    text = (tmp_path / name).read_text()
    assert f"\t{operation}\n" in text
    command = "locklab check bad.py:Bad --threads 2 --memory sc --rounds 2 --property exclusion"
    assert ("C Bad+exclusion", command) == (text.splitlines()[0], text.splitlines()[2])
    assert run(name).exit_code == 0


def test_without_a_counterexample_nothing_is_written(tmp_path, monkeypatch):
    """And the answer says so."""
    monkeypatch.chdir(tmp_path)
    done = run("tas", "--threads", 2, "--out", "cex.litmus")
    assert (0, False) == (done.exit_code, (tmp_path / "cex.litmus").exists())
    assert "there is no counterexample, so cex.litmus was not written" in done.stdout
